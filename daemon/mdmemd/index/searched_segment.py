"""A segment as one question searches it. Immutable; made by ``scope`` on a query thread."""

from __future__ import annotations

from dataclasses import dataclass

from mdmemd.index.arrays import BoolArray
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.snapshot import SegmentView


@dataclass(frozen=True, slots=True, eq=False)
class SearchedSegment:
    """One segment of one root of a scope.

    Attributes:
        base: ref of its first section.
        root: number of its root in the scope.
        view: the segment.
        searched: mask of the live sections that may be answers; ``None``: all of the segment.
        count: how many these are.
        is_filtered: something else than deletions leaves sections out.
    """

    base: int
    root: int
    view: SegmentView
    searched: BoolArray | None
    count: int
    is_filtered: bool

    @classmethod
    def of(cls, base: int, root: int, view: SegmentView, chosen: DocumentFilter | None) -> SearchedSegment:
        """The segment behind a filter, where there is one."""
        if chosen is not None:
            selection = view.selection(chosen)
            return cls(base, root, view, selection.sections, selection.count, is_filtered=True)
        count = view.segment.section_count - len(view.deletions.sections)
        return cls(base, root, view, view.live_sections, count, is_filtered=False)
