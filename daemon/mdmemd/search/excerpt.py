"""Which lines of a section answer: the block around the passage that matched, with its neighbours.

Invariants: an excerpt is one run of lines made of whole top-level blocks (``PassageRecord.block``), so that a
fence, a list or a table is never cut and a table keeps its header; it lies within its section; a section
within the budget is quoted whole. Pure; called by ``searcher`` on the query pool. Deliberately does not
choose the passage that matched.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from mdmemd.index.snapshot import PassageRecord, SectionRecord
from mdmemd.model import LineRange

EXCERPT_TOKENS_MAX = 300
"""What the first hit may cost an agent; a single block that is larger stays whole."""

_GROWTH = ((0, 1), (1, 0), (0, 1), (0, 1))
"""Blocks before and after that are tried one after another: what follows explains more than what precedes."""

POINTER_CHARS_MAX = 100

_MARKS = {"Mn", "Mc", "Me", "Sk", "Cf"}
_ZERO_WIDTH_JOINER = "\u200d"


def excerpt_lines(
    section: SectionRecord,
    passages: Sequence[PassageRecord],
    *,
    anchor: int,
    tokens: Callable[[LineRange], int],
) -> LineRange:
    """The lines to quote.

    Args:
        section: the section that matched.
        passages: its passages in order.
        anchor: index of the passage that matched; ignored where there is none.
        tokens: cost of a run of lines.
    """
    if section.tokens <= EXCERPT_TOKENS_MAX or not passages:
        return section.lines
    blocks = _blocks(passages)
    at = blocks.index(passages[anchor].block)
    first = last = at
    for before, after in _GROWTH:
        grown_first, grown_last = first - before, last + after
        if grown_first < 0 or grown_last >= len(blocks):
            continue
        if tokens(_span(section, blocks, grown_first, grown_last)) <= EXCERPT_TOKENS_MAX:
            first, last = grown_first, grown_last
    return _span(section, blocks, first, last)


def pointer_text(text: str) -> str:
    """``text`` on one line, cut at a word and ended with ``…`` above ``POINTER_CHARS_MAX`` characters."""
    flat = " ".join(text.split())
    if len(flat) <= POINTER_CHARS_MAX:
        return flat
    cut = flat.rfind(" ", POINTER_CHARS_MAX // 2, POINTER_CHARS_MAX)
    if cut < 0:
        cut = POINTER_CHARS_MAX - 1
        while cut > 1 and (unicodedata.category(flat[cut]) in _MARKS or flat[cut - 1] == _ZERO_WIDTH_JOINER):
            cut -= 1
    return flat[:cut].rstrip() + "…"


def _blocks(passages: Sequence[PassageRecord]) -> list[LineRange]:
    """The distinct blocks in order."""
    return list(dict.fromkeys(passage.block for passage in passages))


def _span(section: SectionRecord, blocks: Sequence[LineRange], first: int, last: int) -> LineRange:
    """Lines of a run of blocks; from the heading on where it begins with the first block."""
    begin = section.lines.first if first == 0 else blocks[first].first
    return LineRange(max(section.lines.first, begin), min(section.lines.last, blocks[last].last))
