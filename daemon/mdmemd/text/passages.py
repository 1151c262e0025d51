"""Passages: the pieces of a document that are embedded one by one.

One passage per paragraph, list item with all that is nested in it, table row, code block, quoted paragraph,
HTML block, and per run of other text (formulas, footnotes, definitions). One longer than the limit becomes
several, cut after a line, sentence or word, that lose nothing but white space. A passage lies within one
section: a block that a part boundary cuts gives passages on both sides. Headings are not passages, the
breadcrumb says them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmemd.model import LineRange, Passage, PassageKind
from mdmemd.text.cuts import LINE_CUTS, PROSE_CUTS, pieces
from mdmemd.text.dialects import without_container_markers
from mdmemd.text.html_text import visible_text
from mdmemd.text.leaves import Leaf, LeafKind
from mdmemd.text.spans import Span
from mdmemd.text.tables import labelled_rows

_KINDS = {
    LeafKind.PARAGRAPH: PassageKind.PARAGRAPH,
    LeafKind.FENCE: PassageKind.CODE,
    LeafKind.INDENTED_CODE: PassageKind.CODE,
    LeafKind.HTML: PassageKind.HTML,
    LeafKind.TABLE: PassageKind.TABLE_ROW,
    LeafKind.OPAQUE: PassageKind.OTHER,
    LeafKind.DEFINITION: PassageKind.OTHER,
}
_PROSE = frozenset([PassageKind.PARAGRAPH, PassageKind.QUOTE, PassageKind.HTML])


class _Unit(NamedTuple):
    """What makes one passage if it is short enough.

    ``segments``: (first line, text whose lines follow one another).
    """

    kind: PassageKind
    start: int
    end: int
    block: LineRange
    segments: list[tuple[int, str]]


def section_passages(
    leaves: Sequence[Leaf], spans: Sequence[Span], lines: Sequence[str], *, characters_max: int
) -> Iterator[Passage]:
    """All passages of the sections that ``spans`` become, in order; ``section`` is the span's index."""
    units = list(_units(leaves))
    ends = [unit.end for unit in units]
    cutter = _Cutter(lines, characters_max)
    for section, span in enumerate(spans):
        index = bisect_right(ends, span.start)
        while index < len(units) and units[index].start < span.end:
            yield from cutter.passages(units[index], span, section)
            index += 1


def _units(leaves: Sequence[Leaf]) -> Iterator[_Unit]:
    item: _Unit | None = None
    for leaf in leaves:
        if leaf.kind is LeafKind.HEADING or leaf.kind is LeafKind.RULE:
            continue
        if leaf.item >= 0:
            if item is not None and item.start == leaf.item:
                item = item._replace(end=leaf.end)
            else:
                if item is not None:
                    yield item
                item = _Unit(PassageKind.LIST_ITEM, leaf.item, leaf.end, _block(leaf), [])
            item.segments.extend(_segments(leaf))
            continue
        if item is not None:
            yield item
            item = None
        yield from _single_units(leaf)
    if item is not None:
        yield item


def _single_units(leaf: Leaf) -> Iterator[_Unit]:
    kind = _KINDS[leaf.kind]
    if leaf.is_quoted and kind is not PassageKind.CODE:
        kind = PassageKind.QUOTE
    if leaf.kind is LeafKind.TABLE:
        for line, text in _segments(leaf):
            yield _Unit(kind, line, line + 1, _block(leaf), [(line, text)])
    else:
        yield _Unit(kind, leaf.start, leaf.end, _block(leaf), _segments(leaf))


def _segments(leaf: Leaf) -> list[tuple[int, str]]:
    if leaf.kind is LeafKind.TABLE:
        return [(leaf.start + offset, text) for offset, text in labelled_rows(leaf.content.split("\n"))]
    if leaf.kind is LeafKind.HTML:
        return [(leaf.content_start, visible_text(leaf.content))]
    return [(leaf.content_start, without_container_markers(leaf.content))]


def _block(leaf: Leaf) -> LineRange:
    return LineRange(leaf.block_start + 1, leaf.block_end)


class _Cutter:
    """Turns units into passages.

    Keeps the lines of the last long unit, which may reach over many sections.
    """

    def __init__(self, lines: Sequence[str], characters_max: int) -> None:
        self._lines = lines
        self._characters_max = characters_max
        self._unit: _Unit | None = None
        self._numbers: list[int] = []
        self._texts: list[str] = []

    def passages(self, unit: _Unit, span: Span, section: int) -> Iterator[Passage]:
        is_whole = span.start <= unit.start and unit.end <= span.end and not span.head and span.tail is None
        if is_whole and sum(len(text) + 1 for _, text in unit.segments) <= self._characters_max + 1:
            text = " ".join([word for _, text in unit.segments for word in text.split()])
            if text:
                yield Passage(section, unit.kind, LineRange(unit.start + 1, unit.end), unit.block, text)
            return
        yield from self._windows(unit, span, section)

    def _windows(self, unit: _Unit, span: Span, section: int) -> Iterator[Passage]:
        numbers, texts = self._lines_within(unit, span)
        if not texts:
            return
        starts = [0]
        for text in texts:
            starts.append(starts[-1] + len(text) + 1)
        first, last = max(unit.start, span.start), min(unit.end, span.end)
        cuts = PROSE_CUTS if unit.kind in _PROSE else LINE_CUTS
        joined = "\n".join(texts)
        for start, end in pieces(joined, self._characters_max, cuts=cuts):
            window = joined[start:end].replace("\n", " ").strip()
            if window:
                lines = LineRange(
                    (first if start == 0 else numbers[bisect_right(starts, start) - 1]) + 1,
                    last if end == len(joined) else numbers[bisect_left(starts, end) - 1] + 1,
                )
                yield Passage(section, unit.kind, lines, unit.block, window)

    def _lines_within(self, unit: _Unit, span: Span) -> tuple[list[int], list[str]]:
        """Numbers and collapsed texts of the unit's lines in the span; a cut line as it is in the file."""
        if self._unit is not unit:
            self._unit = unit
            numbered = [
                (first + offset, " ".join(line.split()))
                for first, text in unit.segments
                for offset, line in enumerate(text.split("\n"))
            ]
            self._numbers = [number for number, text in numbered if text]
            self._texts = [text for _, text in numbered if text]
        low, high = bisect_left(self._numbers, span.start), bisect_left(self._numbers, span.end)
        numbers, texts = self._numbers[low:high], self._texts[low:high]
        if texts and span.tail is not None and numbers[-1] == span.end - 1:
            head = span.head if span.end - 1 == span.start else 0
            texts[-1] = self._raw(numbers[-1], head, span.tail)
        if texts and span.head and numbers[0] == span.start:
            texts[0] = self._raw(numbers[0], span.head, span.tail if span.end - 1 == span.start else None)
        return numbers, texts

    def _raw(self, line: int, head: int, tail: int | None) -> str:
        return " ".join(self._lines[line][head:tail].replace("|", " ").split())
