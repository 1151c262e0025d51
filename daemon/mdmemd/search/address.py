"""One text for a place in a document: ``PATH``, ``PATH#HEADING`` or ``PATH:10-40``.

Only what follows the suffix of a Markdown file is taken apart, so every other name is a path as it stands.
Pure; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError
from mdmemd.model import LineRange

_ADDRESS = re.compile(
    r"(?P<path>.+?\.(?:md|markdown|mdx))"
    r"(?::(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?|#(?P<heading>.+))",
    re.IGNORECASE | re.DOTALL,
)

_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Address:
    """A document and what of it is meant: ``heading`` (empty: all), or ``lines``."""

    path: str
    heading: str = ""
    lines: LineRange | None = None


def parse_address(text: str) -> Address:
    """The place that ``text`` names; ``InvalidRequestError`` for lines that are none."""
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


def is_glob(text: str) -> bool:
    """Whether ``text`` is a pattern for many documents."""
    return _GLOB.search(text) is not None
