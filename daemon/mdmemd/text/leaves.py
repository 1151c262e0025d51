"""The blocks of a document: a flat list of leaves, each knowing the list, quote and whole block around it.

Lines here are 0-based and ``end`` is exclusive, as lists of lines are sliced; everything that leaves this
package is 1-based.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

_PLAIN_LINES = 20


class LeafKind(Enum):
    """What a leaf is."""

    HEADING = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    INDENTED_CODE = auto()
    HTML = auto()
    TABLE = auto()
    OPAQUE = auto()
    DEFINITION = auto()
    RULE = auto()


class Leaf(NamedTuple):
    """One block without blocks in it.

    Attributes:
        kind: what it is. ``HEADING`` is a document-level heading only; one in a list or a quote is a
            ``PARAGRAPH``.
        start, end: its lines.
        block_start, block_end: lines of the top-level block around it (a whole list or quote), without blank
            lines at its end.
        content_start: line of the first line of ``content``; further lines of ``content`` are the lines after
            it.
        content: text without the markup of containers, inline markup kept.
        item: first line of the outermost list item around it, -1 outside lists.
        is_quoted: whether it stands in a block quote.
        level: 1 to 6 for a ``HEADING``, else 0.
    """

    kind: LeafKind
    start: int
    end: int
    block_start: int
    block_end: int
    content_start: int
    content: str
    item: int = -1
    is_quoted: bool = False
    level: int = 0


def leaf_start(leaf: Leaf) -> int:
    """Key to find leaves by line: they are in the order of the document."""
    return leaf.start


def plain_leaves(lines: Sequence[str]) -> Iterator[Leaf]:
    """Lines in groups of 20, as leaves of no particular kind: for a file that is not parsed as Markdown."""
    for start in range(0, len(lines), _PLAIN_LINES):
        end = min(start + _PLAIN_LINES, len(lines))
        yield Leaf(LeafKind.OPAQUE, start, end, start, end, start, "\n".join(lines[start:end]))
