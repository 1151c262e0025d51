"""One text for a place in a document: ``PATH``, ``PATH#HEADING``, ``PATH#^ID``, ``PATH:10-40`` or ``^ID``.

Only what follows the suffix of a Markdown file is taken apart, so every other name is a path as it stands.
``^ID`` alone (``text.section_id``) names the document that has this section, and in it the section. Globs:
``docs/**/*.md`` for documents, and behind ``#`` a heading in which ``*`` stands for any text. Pure; any
thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError
from mdmemd.index.path_globs import is_glob
from mdmemd.model import LineRange
from mdmemd.text.section_id import parse_section_id

_ADDRESS = re.compile(
    r"(?P<path>.+?\.(?:md|markdown|mdx))"
    r"(?::(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?|#(?P<heading>.+))",
    re.IGNORECASE | re.DOTALL,
)

_MARKDOWN = re.compile(r".+\.(?:md|markdown|mdx)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    """A document and what of it is meant: ``heading`` (empty: all), or ``lines``."""

    path: str
    heading: str = ""
    lines: LineRange | None = None

    @property
    def is_pattern(self) -> bool:
        """Whether it may mean several places; a document or heading of just this name still comes first."""
        return is_glob(self.path) or "*" in self.heading

    def within(self, path: str) -> str:
        """The same place of the document ``path``, as one text."""
        if self.lines is not None:
            return f"{path}:{self.lines.first}-{self.lines.last}"
        return f"{path}#{self.heading}" if self.heading else path


def is_address(text: str) -> bool:
    """Whether it can be nothing but a place: a Markdown file or what is in one, an id, a glob."""
    address = parse_address(text)
    is_inside = bool(address.heading) or address.lines is not None
    return is_inside or is_glob(address.path) or _MARKDOWN.fullmatch(address.path) is not None


def parse_address(text: str) -> Address:
    """The place that ``text`` names; ``InvalidRequestError`` for lines that are none."""
    if parse_section_id(text):
        return Address(text, heading=text)
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return Address(text)
    if found["heading"]:
        return Address(found["path"], heading=found["heading"].strip())
    first = int(found["first"])
    last = int(found["last"] or first)
    if not 1 <= first <= last:
        raise InvalidRequestError(
            f"{text!r} names no lines.", remedy="Lines count from 1, and the last is not before the first."
        )
    return Address(found["path"], lines=LineRange(first, last))
