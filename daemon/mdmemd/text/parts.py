"""Cuts a section that is too long into parts that join back to it, byte for byte.

Parts are filled up block by block. A block that is longer than a part is cut between its list items, then
between lines, then within a line (sentence, word, character); a fence that fits into a part by itself is
never cut. A heading keeps company: the block after it is cut sooner than the heading is left alone, unless
that block is such a fence. Blank lines belong to what is before them and never make a part.

Tokens are counted in quarters (``text.token_estimate``), which add up exactly; blank lines count nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from mdmemd.text.cuts import PROSE_CUTS, pieces
from mdmemd.text.leaves import Leaf, LeafKind, leaf_start
from mdmemd.text.spans import Span
from mdmemd.text.token_estimate import token_quarters

_LINE_PIECES_PER_PART = 2
"""An over-long line is cut finer than a part: its pieces fill parts well and keep a heading company."""


def split_span(span: Span, lines: Sequence[str], leaves: Sequence[Leaf], *, tokens_max: int) -> list[Span]:
    """``span`` itself if it has at most ``tokens_max`` tokens, else its parts, not numbered yet.

    ``leaves`` are those that start within the span, in order; where it is a window, they may end after it.
    """
    own_lines = lines[span.start : span.end]
    quarters = [token_quarters(line) + 1 if line.strip() else 0 for line in own_lines]
    if sum(quarters) <= 4 * tokens_max:
        return [span]
    return _Splitter(span, own_lines, leaves, quarters, quarters_max=4 * tokens_max).split()


class _Splitter:
    """One split.

    Positions are (line, character) within the document; a part ends where the next one starts.
    """

    def __init__(
        self,
        span: Span,
        lines: Sequence[str],
        leaves: Sequence[Leaf],
        quarters: Sequence[int],
        *,
        quarters_max: int,
    ) -> None:
        self._span = span
        self._lines = lines
        self._leaves = leaves
        self._before = [0, *accumulate(quarters)]
        self._quarters_max = quarters_max
        self._starts: list[tuple[int, int]] = [(span.start, 0)]
        self._used = 0
        self._fences = {leaf.start: min(leaf.end, span.end) for leaf in leaves if leaf.kind is LeafKind.FENCE}
        heading = leaves[0] if leaves and leaves[0].kind is LeafKind.HEADING else None
        self._heading_cost = self._cost(heading.start, min(heading.end, span.end)) if heading else 0

    def split(self) -> list[Span]:
        blocks = sorted({leaf.block_start for leaf in self._leaves})
        for start, end in self._ranges(blocks, self._span.start, self._span.end):
            self._add_lines_or(self._add_cut_block, start, end)
        return list(self._spans())

    def _add_lines_or(self, cut: Callable[[int, int], None], start: int, end: int) -> None:
        """Lines ``start`` to ``end`` whole if they may stay whole, else by ``cut``."""
        cost = self._cost(start, end)
        if cost > self._quarters_max or (self._leaves_heading_alone(cost) and start not in self._fences):
            cut(start, end)
        else:
            self._add((start, 0), cost)

    def _leaves_heading_alone(self, cost: int) -> bool:
        is_first_part = len(self._starts) == 1
        return (
            is_first_part and 0 < self._used <= self._heading_cost and self._used + cost > self._quarters_max
        )

    def _ranges(self, starts: Sequence[int], first: int, end: int) -> list[tuple[int, int]]:
        inner = [start for start in starts if first < start < end]
        return list(zip([first, *inner], [*inner, end], strict=True))

    def _cost(self, start: int, end: int) -> int:
        return self._before[end - self._span.start] - self._before[start - self._span.start]

    def _add(self, position: tuple[int, int], cost: int) -> None:
        if self._used and self._used + cost > self._quarters_max:
            self._starts.append(position)
            self._used = 0
        self._used += cost

    def _add_cut_block(self, start: int, end: int) -> None:
        first = bisect_left(self._leaves, start, key=leaf_start)
        items = sorted(
            {leaf.item for leaf in self._leaves[first : bisect_left(self._leaves, end, key=leaf_start)]}
            - {-1}
        )
        for item_start, item_end in self._ranges(items, start, end):
            if items:
                self._add_lines_or(self._add_cut_lines, item_start, item_end)
            else:
                self._add_cut_lines(item_start, item_end)

    def _add_cut_lines(self, start: int, end: int) -> None:
        line = start
        while line < end:
            following = self._fences.get(line, line + 1)
            if self._cost(line, following) > self._quarters_max:
                following = line + 1
            self._add_lines_or(self._add_pieces, line, following)
            line = following

    def _add_pieces(self, line: int, _end: int) -> None:
        text = self._lines[line - self._span.start]
        for start, end in _line_pieces(text, self._quarters_max // _LINE_PIECES_PER_PART):
            piece = text[start:end]
            line_end = 1 if end == len(text) else 0
            self._add((line, start), token_quarters(piece) + line_end if piece.strip() else 0)

    def _spans(self) -> Iterator[Span]:
        ends = [*self._starts[1:], (self._span.end, 0)]
        for (start, head), (end, tail) in zip(self._starts, ends, strict=True):
            if tail:
                yield replace(self._span, start=start, end=end + 1, head=head, tail=tail)
            else:
                yield replace(self._span, start=start, end=end, head=head)


def _line_pieces(line: str, quarters_max: int) -> Iterator[tuple[int, int]]:
    """Pieces of an over-long line; where characters are dear (CJK), a piece has fewer of them."""
    characters_max = max(quarters_max * len(line) // max(token_quarters(line), 1), 1)
    for start, end in pieces(line, characters_max, cuts=PROSE_CUTS):
        if token_quarters(line[start:end]) <= quarters_max or characters_max == 1:
            yield start, end
        else:
            for inner_start, inner_end in pieces(line[start:end], max(quarters_max // 4, 1), cuts=PROSE_CUTS):
                yield start + inner_start, start + inner_end
