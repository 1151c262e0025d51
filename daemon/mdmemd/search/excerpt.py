"""Which lines of a section answer: the blocks that are worth most for the question, and their neighbours.

Invariants: an excerpt is made of whole top-level blocks (``PassageRecord.block``), in order and verbatim, so
that a fence, a list or a table is not cut and a table keeps its header; what was left out between two of them
stands as ``GAP``, on a line of its own, and ``Excerpt.cut`` says which lines are quoted; only where one block
alone is beyond the budget, a part of it is quoted, which ``cut`` says too. A line that ends with a colon is
quoted with what it announces, the marker of an admonition (``!!! note``) never without. Pure; called by
``assembly`` on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mdmemd.index.snapshot import PassageRecord
from mdmemd.model import LineRange
from mdmemd.search.block_cut import NOUNS, cut_block, named_lines, span
from mdmemd.search.page import Excerpt
from mdmemd.search.quotable import Quotable
from mdmemd.search.weights import BLOCK_VALUE_MIN, WHOLE_SECTION_TOKENS
from mdmemd.text.dialects import opens_admonition
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

GAP = "[…]"
GAP_TOKENS = 3


def choose_excerpt(
    quotable: Quotable, *, source: SourceText, tokens_max: int, is_sparing: bool = False
) -> Excerpt:
    """What to quote for ``tokens_max`` tokens; a sparing excerpt leaves out what hardly answers."""
    whole_max = min(tokens_max, WHOLE_SECTION_TOKENS) if is_sparing else tokens_max
    lines, passages = quotable.lines, quotable.passages
    if not passages or estimate_tokens(source.slice(lines)) <= whole_max:
        return _excerpt([lines], passages, source)
    blocks = _blocks(quotable, source)
    chosen = _chosen(blocks, tokens_max=tokens_max, share_min=BLOCK_VALUE_MIN if is_sparing else 0.0)
    if not chosen:
        return _part_of_best(blocks, quotable, source=source, tokens_max=tokens_max)
    return _excerpt(list(_runs(blocks, chosen)), passages, source)


@dataclass(frozen=True, slots=True)
class _Block:
    """One block: ``lines`` as quoted, the first with the heading above it; ``tokens`` up to the next one."""

    lines: LineRange
    block: LineRange
    value: float
    tokens: int
    is_introduction: bool
    is_marker: bool


def _blocks(quotable: Quotable, source: SourceText) -> list[_Block]:
    within, scored = quotable.lines, quotable.scores.blocks
    starts = [within.first, *(block.first for block, _ in scored[1:]), within.last + 1]
    found: list[_Block] = []
    for index, (block, value) in enumerate(scored):
        last = min(within.last, block.last)
        tokens = estimate_tokens(source.slice(LineRange(starts[index], max(last, starts[index + 1] - 1))))
        last_line = source.slice(LineRange(last, last)).rstrip()
        is_marker = block.first == block.last and opens_admonition(last_line.lstrip())
        is_introduction = is_marker or last_line.endswith((":", "："))
        found.append(_Block(LineRange(starts[index], last), block, value, tokens, is_introduction, is_marker))
    return found


def _chosen(blocks: Sequence[_Block], *, tokens_max: int, share_min: float) -> set[int]:
    """Positions of the blocks to quote: the best first, each with what belongs to it, while there is room."""
    chosen: set[int] = set()
    best = _best(blocks)
    order = sorted(range(len(blocks)), key=lambda index: (-blocks[index].value, abs(index - best), index))
    value_min = share_min * blocks[best].value
    for index in order:
        if chosen and blocks[index].value < value_min:
            break
        for group in _together(blocks, index, is_first=not chosen):
            if _tokens(blocks, chosen | group) <= tokens_max:
                chosen |= group
                break
        if not chosen:
            break
    return chosen


def _best(blocks: Sequence[_Block]) -> int:
    return max(range(len(blocks)), key=lambda index: (blocks[index].value, -index))


def _together(blocks: Sequence[_Block], index: int, *, is_first: bool) -> list[set[int]]:
    """The block with what it introduces or what introduces it; else alone, an introduction last of all."""
    if blocks[index].is_introduction and index + 1 < len(blocks):
        announced = [{index + 1}] if is_first else []
        alone = [] if blocks[index].is_marker else [{index}]
        return [{index, index + 1}, *announced, *alone]
    if index and blocks[index - 1].is_introduction:
        return [{index - 1, index}, {index}]
    return [{index}]


def _tokens(blocks: Sequence[_Block], chosen: set[int]) -> int:
    gaps = sum(index - 1 not in chosen for index in chosen) - 1
    return sum(blocks[index].tokens for index in chosen) + GAP_TOKENS * gaps


def _runs(blocks: Sequence[_Block], chosen: set[int]) -> Iterator[LineRange]:
    """The lines of blocks that follow one another, in order."""
    for index in sorted(chosen):
        if index - 1 not in chosen:
            first = blocks[index].lines.first
        if index + 1 not in chosen:
            yield LineRange(first, blocks[index].lines.last)


def _part_of_best(
    blocks: Sequence[_Block], quotable: Quotable, *, source: SourceText, tokens_max: int
) -> Excerpt:
    """As much as fits of the best block, or of what it introduces."""
    best = _best(blocks)
    if blocks[best].is_introduction and best + 1 < len(blocks):
        best += 1
    of_block = [index for index, each in enumerate(quotable.passages) if each.block == blocks[best].block]
    return cut_block(
        blocks[best].block,
        [quotable.passages[index] for index in of_block],
        [quotable.scores.passages[index] for index in of_block],
        source=source,
        within=quotable.lines,
        tokens_max=tokens_max,
    )


def _excerpt(runs: Sequence[LineRange], passages: Sequence[PassageRecord], source: SourceText) -> Excerpt:
    """These lines, told in words where they are not one run of whole blocks."""
    text = f"\n{GAP}\n\n".join(source.slice(run) for run in runs)
    hull = LineRange(runs[0].first, runs[-1].last)
    if len(runs) > 1:
        quoted = ", ".join(map(span, runs))
        return Excerpt(hull, text, f"lines {quoted}")
    return Excerpt(hull, text, _unfinished_block(hull, passages))


def _unfinished_block(lines: LineRange, passages: Sequence[PassageRecord]) -> str | None:
    """What is missing where a block goes on beyond these lines, in parts of a section that are not here."""
    told = None
    for passage in passages:
        block = passage.block
        is_quoted = block.first <= lines.last and block.last >= lines.first
        if is_quoted and (block.first < lines.first or block.last > lines.last):
            shown = LineRange(max(block.first, lines.first), min(block.last, lines.last))
            noun = NOUNS.get(passage.kind, "block")
            told = f"{named_lines(shown)} of a {noun} at {named_lines(block)}"
    return told
