"""Decoding and lines (F3, F5, P4, P16, P17)."""

from __future__ import annotations

import pytest

from mdmemd.model import LineRange
from mdmemd.text.source import SourceText


def test_only_markdown_line_ends_end_a_line() -> None:
    """F5: form feed, vertical tab, U+0085, U+2028 and U+2029 are text."""
    source = SourceText.decode("a\x0cb\n\x0b\nc\u2028d\u2029e\x85f\n".encode())
    assert source.lines == ("a\x0cb\n", "\x0b\n", "c\u2028d\u2029e\x85f\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_style_of_line_end_gives_the_same_lines(end: str) -> None:
    source = SourceText.decode(f"one{end}{end}two{end}".encode())
    assert source.line_count == 3
    assert source.normalized_lines() == ["one", "", "two"]


def test_mixed_line_ends_are_kept_verbatim() -> None:
    text = "a\rb\r\nc\n\r\nd"
    source = SourceText.decode(text.encode())
    assert source.lines == ("a\r", "b\r\n", "c\n", "\r\n", "d")
    assert source.slice(LineRange(2, 3)) == "b\r\nc\n"
    assert source.slice(LineRange(1, 5)) == text


@pytest.mark.parametrize("lines", [LineRange(7, 9), LineRange(0, 0), LineRange(3, 2), LineRange(-4, -1)])
def test_lines_that_the_file_does_not_have_give_nothing(lines: LineRange) -> None:
    assert SourceText.decode(b"a\nb\n").slice(lines) == ""


def test_a_slice_stops_at_the_end_of_the_file() -> None:
    assert SourceText.decode(b"a\nb").slice(LineRange(2, 99)) == "b"


def test_no_bytes_are_no_lines() -> None:
    source = SourceText.decode(b"")
    assert (source.line_count, source.problems) == (0, ())


def test_byte_order_mark_belongs_to_no_line() -> None:
    """F3, P4."""
    source = SourceText.decode("\ufeff# T\n".encode())
    assert source.lines == ("# T\n",)
    assert source.problems == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_by_byte_order_mark(encoding: str) -> None:
    assert SourceText.decode("\ufeff# Ü\r\n中\n".encode(encoding)).lines == ("# Ü\r\n", "中\n")


def test_an_odd_byte_at_the_end_of_utf16_is_replaced() -> None:
    source = SourceText.decode("\ufeffab".encode("utf-16-le") + b"x")
    assert source.lines == ("ab\ufffd",)
    assert source.problems[0].kind == "invalid_bytes"


def test_invalid_bytes_are_replaced_and_reported_with_their_line() -> None:
    """P16: one bad byte costs neither the file nor the line numbers."""
    source = SourceText.decode(b"fine\r\nM\xfcnchen\nfine\n")
    assert source.lines == ("fine\r\n", "M\ufffdnchen\n", "fine\n")
    assert [(problem.kind, problem.line) for problem in source.problems] == [("invalid_bytes", 2)]


def test_an_invalid_first_byte_is_on_line_one() -> None:
    assert SourceText.decode(b"\xff").problems[0].line == 1


def test_nul_is_neutralised_and_reported() -> None:
    """P17."""
    source = SourceText.decode(b"a\nb\0c\0\n")
    assert source.lines == ("a\n", "b\ufffdc\ufffd\n")
    assert [(problem.kind, problem.line) for problem in source.problems] == [("nul", 2)]
