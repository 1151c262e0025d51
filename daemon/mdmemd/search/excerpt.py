"""Which lines of a section answer: the blocks that are worth most for the question, and their neighbours.

Invariants: an excerpt is one run of lines within its section, made of whole top-level blocks
(``PassageRecord.block``), so that a fence, a list or a table is not cut and a table keeps its header; only
where one block alone is beyond the budget, a part of it is quoted, and ``Excerpt.cut`` says so; a section
within the budget is quoted whole. Pure; called by ``assembly`` on the query pool.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from mdmemd.index.snapshot import PassageRecord, SectionRecord
from mdmemd.model import LineRange
from mdmemd.search.block_cut import NOUNS, cut_block
from mdmemd.search.matched_passage import PassageScores
from mdmemd.search.page import Excerpt
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

POINTER_CHARS_MAX = 100

_MARKS = {"Mn", "Mc", "Me", "Sk", "Cf"}
_ZERO_WIDTH_JOINER = "\u200d"


def choose_excerpt(
    section: SectionRecord,
    passages: Sequence[PassageRecord],
    scores: PassageScores,
    *,
    source: SourceText,
    tokens_max: int,
) -> Excerpt:
    """What to quote of ``section`` for ``tokens_max`` tokens."""
    if not passages or estimate_tokens(source.slice(section.lines)) <= tokens_max:
        return _whole_blocks(section.lines, passages, source)
    blocks = [block for block, _ in scores.blocks]
    values = _with_introductions(scores, source)

    def span(first: int, last: int) -> LineRange:
        begin = section.lines.first if first == 0 else blocks[first].first
        return LineRange(max(section.lines.first, begin), min(section.lines.last, blocks[last].last))

    def fits(first: int, last: int) -> bool:
        return estimate_tokens(source.slice(span(first, last))) <= tokens_max

    best = max(range(len(blocks)), key=lambda index: (values[index], -index))
    if _introduces(blocks[best], source) and best + 1 < len(blocks) and not fits(best, best + 1):
        best += 1
    if not fits(best, best):
        chosen = [index for index, passage in enumerate(passages) if passage.block == blocks[best]]
        return cut_block(
            blocks[best],
            [passages[index] for index in chosen],
            [scores.passages[index] for index in chosen],
            source=source,
            within=section.lines,
            tokens_max=tokens_max,
        )
    first = last = best
    wanted = sorted(range(len(blocks)), key=lambda index: (-values[index], abs(index - best), -index))
    for index in wanted:
        grown = min(first, index), max(last, index)
        if fits(*grown):
            first, last = grown
    return _whole_blocks(span(first, last), passages, source)


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


def _with_introductions(scores: PassageScores, source: SourceText) -> list[float]:
    """The values of the blocks, where what follows an introduction is worth as much as that."""
    values: list[float] = []
    introduced = -1.0
    for block, value in scores.blocks:
        values.append(max(value, introduced))
        introduced = value if _introduces(block, source) else -1.0
    return values


def _introduces(block: LineRange, source: SourceText) -> bool:
    """Whether a block ends with a colon, and so names what the next one says."""
    return source.slice(LineRange(block.last, block.last)).rstrip().endswith((":", "："))


def _whole_blocks(lines: LineRange, passages: Sequence[PassageRecord], source: SourceText) -> Excerpt:
    """These lines; a block that a part of a section shares with the next part is not whole."""
    told = None
    for passage in passages:
        block = passage.block
        is_quoted = block.first <= lines.last and block.last >= lines.first
        if is_quoted and (block.first < lines.first or block.last > lines.last):
            shown = f"lines {max(block.first, lines.first)}-{min(block.last, lines.last)}"
            told = f"{shown} of a {NOUNS.get(passage.kind, 'block')} at lines {block.first}-{block.last}"
    return Excerpt(lines, source.slice(lines), told)
