"""The bytes of a file as text and lines.

Invariants: a line ends at LF, CRLF or a lone CR, as in CommonMark, and nowhere else (form feed and U+2028 are
text); ``slice`` gives the lines as they stand in the file, line ends included; joining all lines gives the
whole text. A byte order mark belongs to no line; NUL becomes U+FFFD, as CommonMark has it, so that no index
ever sees one.

Read by the parser and by the search layer, which quotes with ``slice``, on any thread.
"""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass

from mdmemd.model import LineRange, Problem

_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class SourceText:
    """Decoded lines of one file, each with its own line end, and what was wrong with the bytes."""

    lines: tuple[str, ...]
    problems: tuple[Problem, ...] = ()

    @classmethod
    def decode(cls, data: bytes) -> SourceText:
        """UTF-8, or UTF-16 where a byte order mark says so; bytes that are neither become U+FFFD.

        Never raises.
        """
        text, problems = _decode(data)
        if "\0" in text:
            line = _line_of(text, text.index("\0"))
            problems.append(Problem("nul", f"{text.count(chr(0))} NUL characters were replaced", line))
            text = text.replace("\0", "\ufffd")
        return cls(lines=_lines(text), problems=tuple(problems))

    @property
    def line_count(self) -> int:
        """Number of lines; a last line without a line end counts."""
        return len(self.lines)

    def slice(self, lines: LineRange) -> str:
        """The text of these lines, verbatim; lines that the file does not have give nothing."""
        return "".join(self.lines[max(lines.first - 1, 0) : max(lines.last, 0)])

    def normalized_lines(self) -> list[str]:
        """All lines without their line ends."""
        return [line.rstrip("\r\n") for line in self.lines]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(io.StringIO(text, newline=""))


def _line_of(text: str, position: int) -> int:
    return len(_lines(text[:position] + "."))


def _decode(data: bytes) -> tuple[str, list[Problem]]:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    return _decode_as(data.removeprefix(codecs.BOM_UTF8), "utf-8")


def _decode_as(data: bytes, encoding: str) -> tuple[str, list[Problem]]:
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, errors="replace")
        message = f"bytes that are not {encoding.upper()} were replaced"
        problem = Problem("invalid_bytes", message, _line_of(before, len(before)))
        return data.decode(encoding, errors="replace"), [problem]
