"""Lines out of bytes, however they are cut (fault G5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.mcp.lines import LineReader, LineTooLongError


def read_all(pieces: list[bytes], *, line_bytes_max: int = 1000) -> tuple[list[bytes | None], bytes]:
    """The lines, ``None`` for each that was too long, and what is left."""
    reader = LineReader(line_bytes_max=line_bytes_max)
    lines: list[bytes | None] = []
    for piece in pieces:
        reader.feed(piece)
        while True:
            try:
                line = reader.next()
            except LineTooLongError:
                lines.append(None)
                continue
            if line is None:
                break
            lines.append(line)
    return lines, reader.rest()


@pytest.mark.parametrize(
    ("data", "lines", "rest"),
    [
        (b"", [], b""),
        (b"a\nb\n", [b"a", b"b"], b""),
        (b"a\r\n\r\n\nb", [b"a", b"", b""], b"b"),
        (b"12345\n123456\nx\n", [b"12345", None, b"x"], b""),
        (b"123456789012345\nx\ny", [None, b"x"], b"y"),
        (b"123456789012345", [], b""),
    ],
)
def test_g5_lines_whole_and_byte_by_byte(data: bytes, lines: list[bytes | None], rest: bytes) -> None:
    assert read_all([data], line_bytes_max=5)[0] == lines
    assert read_all([bytes((byte,)) for byte in data], line_bytes_max=5) == (lines, rest)


@given(st.lists(st.binary(max_size=20)))
def test_the_cuts_do_not_matter(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    *lines, rest = whole.split(b"\n")
    assert read_all(pieces) == ([line.removesuffix(b"\r") for line in lines], rest)


def test_a_line_without_end_is_not_kept() -> None:
    reader = LineReader(line_bytes_max=1000)
    for _ in range(1000):
        reader.feed(b"x" * 1000)
        assert reader.next() is None
        assert len(reader._buffer) <= 2000
    reader.feed(b"\nnext\n")
    with pytest.raises(LineTooLongError):
        reader.next()
    assert reader.next() == b"next"
