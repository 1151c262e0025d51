"""Constructs of Markdown dialects that CommonMark would misread.

Opaque blocks: a display formula (``$$``, no blank line inside), an Obsidian comment (``%%``), a Hugo or
Liquid ``highlight`` block and a Liquid ``comment`` block hold text in which a ``#`` or ``---`` line is no
heading. Each must be closed, or it is no block. Containers: MkDocs admonitions and tabs (``!!!``, ``???``,
``===``) indent their content by four spaces, which CommonMark takes for code. VitePress and Docusaurus
containers (``:::``), Hugo shortcodes, JSX and mdBook includes need no rule: their lines are text.

Pure functions over lines without line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BLOCK_TAG = re.compile(r"\s{0,3}\{(?:\{[<%]|%-?)\s*(highlight|comment)\b[^{}]*(?:[>%]\}|-?%)\}\s*\Z")
_COMMENT_LINE = re.compile(r"\s*%%\s*\Z")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+\S")
_CONTAINER = re.compile(r"^[ \t]*:{3,}[ \t]*", re.MULTILINE)
_MODULE_LINE = re.compile(
    r"""import\s+(?:['"]|[\w$*{][^'";]*\sfrom\s*['"])|export\s+(?:const|let|var|default|function|class|async|\{|\*)"""
)


class OpaqueBlocks:
    """Finds opaque blocks in one document.

    Remembers searches that ran to the end in vain, so that the work stays linear.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._never_closed: set[str] = set()

    def end(self, first: int) -> int | None:
        """End (exclusive) of the opaque block that opens at ``lines[first]``, ``None`` where none does."""
        line = self._lines[first].strip()
        if line.startswith("$$"):
            return self._end_of_formula(first) if "$$" not in line[2:] else None
        if line == "%%":
            return self._find(first + 1, "%%", _COMMENT_LINE)
        if line.startswith("{"):
            match = _BLOCK_TAG.match(line)
            return self._end_of_tag(first + 1, line, match[1]) if match else None
        return None

    def _end_of_formula(self, first: int) -> int | None:
        for index in range(first + 1, len(self._lines)):
            line = self._lines[index].strip()
            if not line:
                return None
            if line.endswith("$$"):
                return index + 1
        return None

    def _end_of_tag(self, start: int, opening: str, name: str) -> int | None:
        closing = "end" + name if opening.startswith("{%") else "/" + name
        return self._find(start, closing, re.compile(r"\s*\{(?:\{[<%]|%-?)\s*" + closing + r"\b"))

    def _find(self, start: int, closing: str, pattern: re.Pattern[str]) -> int | None:
        if closing in self._never_closed:
            return None
        for index in range(start, len(self._lines)):
            if closing in self._lines[index] and pattern.match(self._lines[index]):
                return index + 1
        self._never_closed.add(closing)
        return None


def opens_admonition(paragraph: str) -> bool:
    """Whether a paragraph starts a MkDocs admonition or tab: indented lines after it are no code."""
    return paragraph[:3] in ("!!!", "???", "===") and _ADMONITION.match(paragraph) is not None


def admonition_title(line: str) -> str | None:
    """The title in the line that opens an admonition or tab, empty where it has none; else ``None``."""
    marker = line.strip()
    return marker.partition('"')[2].rstrip('"') if opens_admonition(marker) else None


def without_container_markers(paragraph: str) -> str:
    """The paragraph without the colons of ``::: tip Title`` lines; words and line ends stay."""
    return _CONTAINER.sub("", paragraph) if ":::" in paragraph else paragraph


def is_module_code(paragraph: str) -> bool:
    """Whether a paragraph of an MDX file is an ``import`` or ``export`` statement."""
    return _MODULE_LINE.match(paragraph) is not None
