"""A part of one block that is too large to be quoted whole: rows under their header, items, lines of code.

Invariants: it ends and begins at line ends, and where it can at those of a passage (an item, a row); what was
left out is always told; a fence in a list is not begun where its end does not fit, and a part of a code block
comes without the mark of either end; only a single line beyond the budget is cut within, at a word. Pure;
called by ``excerpt`` on the query pool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mdmemd.index.snapshot import PassageRecord
from mdmemd.model import LineRange, PassageKind
from mdmemd.search.page import Excerpt
from mdmemd.text.cuts import first_cut
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

NOUNS = {
    PassageKind.TABLE_ROW: "table",
    PassageKind.LIST_ITEM: "list",
    PassageKind.CODE: "code block",
    PassageKind.QUOTE: "quote",
    PassageKind.PARAGRAPH: "paragraph",
}
"""How a block with such passages is called; any other is a ``block``."""

_FENCE = re.compile(
    r"[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^`\r\n]*)$", re.MULTILINE
)
_DELIMITER_ROW = re.compile(r"[\s>]*\|?\s*:?-+:?\s*(\|\s*:?-*:?\s*)*$")


def cut_block(
    block: LineRange,
    passages: Sequence[PassageRecord],
    values: Sequence[float],
    *,
    source: SourceText,
    within: LineRange,
    tokens_max: int,
) -> Excerpt:
    """The best passage of ``block`` with those around it, as many as ``tokens_max`` allows.

    ``passages`` are those of the block in one section, whose lines are ``within``, with their ``values``.
    """
    header = _header(block, passages, source)
    room = tokens_max - (estimate_tokens(source.slice(header)) if header else 0)
    first = last = best = max(range(len(passages)), key=lambda index: (values[index], -index))

    def lines(first: int, last: int) -> LineRange:
        return LineRange(
            max(within.first, passages[first].lines.first), min(within.last, passages[last].lines.last)
        )

    def fits(first: int, last: int) -> bool:
        return estimate_tokens(source.slice(lines(first, last))) <= room

    grows = True
    while grows:
        sides = [index for index in (last + 1, first - 1) if 0 <= index < len(passages)]
        sides.sort(key=lambda index: -values[index])
        fitting = [index for index in sides if fits(min(first, index), max(last, index))]
        grows = bool(fitting)
        if grows:
            first, last = min(first, fitting[0]), max(last, fitting[0])
    run = lines(first, last)
    for fence in _fences(block, source):
        if max(run.first, passages[best].lines.first) < fence.first <= run.last < fence.last:
            run = _with_whole_fence(run, fence, source=source, room=room)
    if passages[best].kind is PassageKind.CODE:
        run = _without_marks(run, block, source)
    text, run, is_within_line = _clipped(run, source, room)
    told = f"{named_lines(run)} of a {NOUNS.get(passages[0].kind, 'block')} at {named_lines(block)}"
    if is_within_line:
        told = f"the beginning of line {run.first}, which is too long"
    if header is None or run.first <= header.last:
        return Excerpt(run, text, told)
    return Excerpt(run, source.slice(header) + text, f"{told}, under its header")


def named_lines(lines: LineRange) -> str:
    """``line 4`` or ``lines 4-6``."""
    return f"{'line' if lines.first == lines.last else 'lines'} {span(lines)}"


def span(lines: LineRange) -> str:
    """``4`` or ``4-6``."""
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def _with_whole_fence(run: LineRange, fence: LineRange, *, source: SourceText, room: int) -> LineRange:
    """The lines with all of a fence that ends beyond them, or without it where there is no room."""
    whole = LineRange(run.first, fence.last)
    if estimate_tokens(source.slice(whole)) <= room:
        return whole
    return LineRange(run.first, fence.first - 1)


def _without_marks(run: LineRange, block: LineRange, source: SourceText) -> LineRange:
    """The lines of a part of a code block without the mark of one end, which would promise the other."""
    first, last = (
        at == end and _FENCE.match(source.slice(LineRange(at, at))) is not None
        for at, end in zip(run, block, strict=True)
    )
    inner = LineRange(run.first + first, run.last - last)
    return inner if inner.first <= inner.last else run


def _fences(block: LineRange, source: SourceText) -> Iterator[LineRange]:
    """The fences in a list or quote, each with its marks."""
    first, opening = 0, ""
    for number in range(block.first, block.last + 1):
        found = _FENCE.match(source.slice(LineRange(number, number)))
        if found and not opening:
            first, opening = number, found["mark"]
        elif found and found["mark"].startswith(opening) and not found["info"].strip():
            yield LineRange(first, number)
            opening = ""


def _clipped(run: LineRange, source: SourceText, room: int) -> tuple[str, LineRange, bool]:
    """As many of the lines as fit, at least the first or its beginning; whether that line was cut."""
    text = source.slice(run)
    if estimate_tokens(text) <= room:
        return text, run, False
    last = run.first
    while last < run.last and estimate_tokens(source.slice(LineRange(run.first, last + 1))) <= room:
        last += 1
    kept = LineRange(run.first, last)
    text = source.slice(kept)
    tokens = estimate_tokens(text)
    if tokens <= room:
        return text, kept, False
    limit = max(1, len(text) * max(room, 1) // tokens)
    return text[: first_cut(text, limit)], kept, True


def _header(block: LineRange, passages: Sequence[PassageRecord], source: SourceText) -> LineRange | None:
    """The two lines above the rows of a table."""
    delimiter = source.slice(LineRange(block.first + 1, block.first + 1)).rstrip("\r\n")
    is_table = passages[0].kind is PassageKind.TABLE_ROW and _DELIMITER_ROW.fullmatch(delimiter)
    return LineRange(block.first, block.first + 1) if is_table else None
