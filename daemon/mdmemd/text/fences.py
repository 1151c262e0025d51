"""Fenced code at the top level, and the one rule that recovers what a forgotten closing fence swallowed.

CommonMark lets a fence without a closing line run to the end of the file. The recovery rule:

1. A fence is suspect when it is never closed, or when the line that closes it belongs to a later fence: its
   body holds an opening line with an info string, of the same character and at least as long. The second case
   needs a language that does not quote Markdown (``SAMPLE_LANGUAGES``).
2. A suspect fence ends before the first ATX heading in its body that follows a blank line and stands before
   that later opening line. Where the language may have ``#`` comments, a heading is believed only from level
   2 on, and only if the body has no ``#`` line before it or the document already has a heading of that level.
3. A recovery never costs a heading: the caller keeps it only if all headings found without it are still
   found.

Pure functions over lines without line ends. Fences inside lists and quotes are left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto

RECOVERIES_MAX = 64
"""Suspect fences looked into per document: each costs a scan of what follows it."""

SAMPLE_LANGUAGES = frozenset(
    ["", "markdown", "md", "mdx", "mdown", "text", "txt", "plain", "plaintext", "rst", "html"]
)
"""Languages whose code may itself show fences, so that an opening line inside proves nothing."""

_NO_HASH_COMMENTS = frozenset(
    (
        *(
            "c",
            "cpp",
            "c++",
            "cs",
            "csharp",
            "css",
            "go",
            "golang",
            "html",
            "java",
            "javascript",
            "js",
            "json",
        ),
        *(
            "jsonc",
            "jsx",
            "kotlin",
            "lua",
            "rs",
            "rust",
            "scss",
            "sql",
            "swift",
            "ts",
            "tsx",
            "typescript",
            "xml",
        ),
    )
)
"""Languages in which ``# x`` at the start of a line is no comment."""

_OPENING = re.compile(r" {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))\Z", re.DOTALL)
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+[^\s#]")


class Recovery(Enum):
    """Which suspect fences are ended early."""

    NONE = auto()
    UNCLOSED = auto()
    ALL = auto()


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence from its opening line to ``end`` (exclusive); if ``is_closed``, its last line closes it."""

    info: str
    end: int
    is_closed: bool


@dataclass(frozen=True, slots=True)
class _Opening:
    line: int
    marker: str
    length: int
    info: str

    @property
    def language(self) -> str:
        return re.split(r"[\s{},:]", self.info.lower().lstrip(" \t{."), maxsplit=1)[0]


class FenceScanner:
    """Finds the fences of one document under one ``Recovery``, and remembers the opening lines of suspects.

    Attributes:
        recoverable: suspects with a heading to end them at, whether that was asked for or not.
        recovered: those of them that were ended there.
        unclosed: fences that run to the end of the document.
    """

    def __init__(self, lines: Sequence[str], recovery: Recovery) -> None:
        self.recoverable: list[int] = []
        self.recovered: list[int] = []
        self.unclosed: list[int] = []
        self._lines = lines
        self._recovery = recovery
        self._looked_into = 0

    def scan(self, first: int, *, heading_levels: Collection[int]) -> Fence | None:
        """The fence that opens at line ``first``, ``None`` if none does. ``heading_levels``: met before."""
        opening = self._opening(first)
        if opening is None:
            return None
        end = self._closing_line(opening)
        is_closed = end < len(self._lines)
        cut = self._cut(opening, end, heading_levels)
        if cut is not None:
            return Fence(opening.info, cut, is_closed=False)
        if not is_closed:
            self.unclosed.append(first)
        return Fence(opening.info, end + 1 if is_closed else end, is_closed=is_closed)

    def _opening(self, line: int) -> _Opening | None:
        match = _OPENING.match(self._lines[line])
        if match is None:
            return None
        run = match[1] or match[3]
        return _Opening(line, run[0], len(run), match[2] if match[1] else match[4])

    def _closing_line(self, opening: _Opening) -> int:
        """Index of the line that closes the fence, the number of lines if none does."""
        run = opening.marker * opening.length
        closing = re.compile(rf" {{0,3}}{run}{opening.marker}*[ \t]*\Z")
        for index in range(opening.line + 1, len(self._lines)):
            if run in self._lines[index] and closing.match(self._lines[index]):
                return index
        return len(self._lines)

    def _cut(self, opening: _Opening, end: int, heading_levels: Collection[int]) -> int | None:
        """The heading that ends a suspect fence, if recovery is asked for."""
        is_closed = end < len(self._lines)
        if is_closed and opening.language in SAMPLE_LANGUAGES:
            return None
        later = self._later_opening(opening, end) if is_closed else end
        if later is None or self._looked_into >= RECOVERIES_MAX:
            return None
        self._looked_into += 1
        cut = self._first_heading(opening, later, heading_levels)
        if cut is None:
            return None
        self.recoverable.append(opening.line)
        if self._recovery is Recovery.NONE or (is_closed and self._recovery is Recovery.UNCLOSED):
            return None
        self.recovered.append(opening.line)
        return cut

    def _later_opening(self, opening: _Opening, end: int) -> int | None:
        run = opening.marker * opening.length
        for index in range(opening.line + 1, end):
            if run in self._lines[index]:
                later = self._opening(index)
                if (
                    later
                    and later.marker == opening.marker
                    and later.length >= opening.length
                    and later.language
                ):
                    return index
        return None

    def _first_heading(self, opening: _Opening, end: int, heading_levels: Collection[int]) -> int | None:
        may_be_comment = opening.language not in _NO_HASH_COMMENTS
        comments_seen = False
        for index in range(opening.line + 1, end):
            line = self._lines[index]
            if "#" not in line:
                continue
            match = _HEADING.match(line)
            if match and index > opening.line + 1 and not self._lines[index - 1].strip():
                level = len(match[1])
                if not may_be_comment or (level > 1 and (level in heading_levels or not comments_seen)):
                    return index
            comments_seen = comments_seen or line.lstrip().startswith("#")
        return None
