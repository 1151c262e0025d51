r"""The few marks of the human output, and the rule that text from documents never steers the terminal.

Invariants: our own words are ASCII, so that they survive any locale; control characters that come from a
document, a file name or the daemon are shown as ``\xNN``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_CONTROL_IN_BLOCK = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and line feed
_CONTROL_IN_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Style:
    """What the text is for: a ``terminal`` or a pipe, with or without ``colour``."""

    terminal: bool = False
    colour: bool = False

    def bold(self, text: str) -> str:
        """For what the eye should find first."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        """For what is about the answer and not the answer."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text


def block(text: str) -> str:
    """Text of several lines without control characters; a carriage return before a line feed is dropped."""
    return _CONTROL_IN_BLOCK.sub(_escaped, text.replace("\r\n", "\n"))


def line(text: str) -> str:
    """Text of one line: line ends are shown as escapes too."""
    return _CONTROL_IN_LINE.sub(_escaped, text)


def place(path: str, lines: tuple[int, int]) -> str:
    """``path:first-last``, or ``path:line`` where it is one."""
    first, last = lines
    return f"{line(path)}:{first}" if first == last else f"{line(path)}:{first}-{last}"


def breadcrumb(heading_path: Sequence[str], part: int | None = None) -> str:
    """``A > B (part 2)``; empty for the text before the first heading."""
    joined = " > ".join(line(heading) for heading in heading_path)
    return joined if part is None else f"{joined} (part {part})".strip()


def counted(number: int, noun: str) -> str:
    """``1 file``, ``1,200 files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as aligned lines; the columns in ``right`` are flush right; nothing trails."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _escaped(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
