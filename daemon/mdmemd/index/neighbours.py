"""From vectors back to passages: the nearest ones of a root, and the best one of given sections.

Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray, ScoreArray, run_members
from mdmemd.index.matches import PlaceKeys, VectorMatches
from mdmemd.index.searched_segment import SearchedSegment
from mdmemd.index.snapshot import RootSnapshot, SegmentView
from mdmemd.model import FloatVector

GATHERED_MAX = 16_384
"""Up to so many passages behind a filter are compared one by one; beyond, a ranking of all is filtered."""

PlaceKeysOf = Callable[[IntArray], PlaceKeys]
"""``Scope.place_keys``."""


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """Passages, best first; equal cosines are ordered by section, then by passage.

    Which of equal ones are among the best does not depend on their refs, that is on the history of the index.

    Attributes:
        refs: ref of each passage's section, int64 ``(n,)``.
        cosines: float32 ``(n,)``.
        passages: position within the section's passages, int32 ``(n,)``.
    """

    refs: IntArray
    cosines: ScoreArray
    passages: Int32Array

    @classmethod
    def best_of(
        cls, found: Sequence[RankedPassages], *, count: int, place_keys: PlaceKeysOf
    ) -> RankedPassages:
        """The best ``count`` of several lists; of the equal ones at the edge, those of the smallest key."""
        if not found:
            return cls(np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int32))
        refs = np.concatenate([each.refs for each in found])
        cosines = np.concatenate([each.cosines for each in found])
        passages = np.concatenate([each.passages for each in found])
        order = np.lexsort((passages, refs, -cosines))
        if count < len(order) and cosines[order[count - 1]] == cosines[order[count]]:
            chosen = np.lexsort((passages, place_keys(refs), -cosines))[:count]
            order = order[np.isin(order, chosen)]
        order = order[:count]
        return cls(refs[order], cosines[order], passages[order])

    def by_section(self) -> VectorMatches:
        """Each section once, with its best passage, best first."""
        _, first = np.unique(self.refs, return_index=True)
        first.sort()
        return VectorMatches(self.refs[first], self.cosines[first], self.passages[first])


def nearest_passages(
    snapshot: RootSnapshot,
    parts: Sequence[SearchedSegment],
    vector: FloatVector,
    *,
    count: int,
    place_keys: PlaceKeysOf,
) -> RankedPassages:
    """The ``count`` searched passages of a root nearest to the question; ``parts`` are its segments."""
    best = RankedPassages.best_of([], count=count, place_keys=place_keys)
    searched = [part for part in parts if part.count]
    wanted = count
    if any(part.is_filtered for part in searched):
        members = [_searched_passages(part) for part in searched]
        selected = sum(map(len, members))
        if selected <= GATHERED_MAX:
            pairs = zip(searched, members, strict=True)
            found = [_all_passages(snapshot, part, each, vector, count) for part, each in pairs]
            return RankedPassages.best_of(found, count=count, place_keys=place_keys)
        wanted = -(-count * snapshot.passages // selected)  # so many hold enough, if evenly spread
    for keys, cosines in snapshot.vectors.ranked(vector, count=wanted) if searched else ():
        found = [_passages_with(part, keys, cosines) for part in searched]
        best = RankedPassages.best_of(found, count=count, place_keys=place_keys)
        if len(best.refs) >= count:
            break
    return best


def _searched_passages(part: SearchedSegment) -> IntArray:
    assert part.searched is not None
    starts = part.view.segment.sections.passage_starts
    sections = np.flatnonzero(part.searched)
    return run_members(starts[sections], starts[sections + 1])


def _all_passages(
    snapshot: RootSnapshot, part: SearchedSegment, passages: IntArray, vector: FloatVector, count: int
) -> RankedPassages:
    """The best ``count`` of these passages of a segment, or a few more that are equal to the last."""
    cosines = snapshot.vectors.cosines(vector, part.view.segment.passages.keys[passages])
    chosen = ~np.isnan(cosines)
    passages, cosines = passages[chosen], cosines[chosen]
    if count < len(cosines):
        chosen = cosines >= np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        passages, cosines = passages[chosen], cosines[chosen]
    starts = part.view.segment.sections.passage_starts
    sections = np.searchsorted(starts, passages, side="right") - 1
    return RankedPassages(part.base + sections, cosines, (passages - starts[sections]).astype(np.int32))


def _passages_with(part: SearchedSegment, keys: Int32Array, cosines: ScoreArray) -> RankedPassages:
    """The searched passages of a segment whose texts have these keys."""
    segment = part.view.segment
    columns = segment.passages
    starts = np.searchsorted(columns.sorted_keys, keys, side="left")
    stops = np.searchsorted(columns.sorted_keys, keys, side="right")
    passages = columns.by_key[run_members(starts, stops)]
    cosines = np.repeat(cosines, stops - starts)
    passage_starts = segment.sections.passage_starts
    sections = np.searchsorted(passage_starts, passages, side="right") - 1
    if part.searched is not None:
        chosen = part.searched[sections]
        passages, cosines, sections = passages[chosen], cosines[chosen], sections[chosen]
    return RankedPassages(
        sections + part.base, cosines, (passages - passage_starts[sections]).astype(np.int32)
    )


def best_passage_of_each(
    snapshot: RootSnapshot, view: SegmentView, sections: IntArray, vector: FloatVector
) -> tuple[ScoreArray, Int32Array]:
    """The highest cosine among each section's passages, and which passage has it (the first of equals).

    NaN and -1 where a section has no passage with a vector.
    """
    best = np.full(len(sections), np.nan, np.float32)
    which = np.full(len(sections), -1, np.int32)
    starts = view.segment.sections.passage_starts[sections]
    stops = view.segment.sections.passage_starts[sections + 1]
    members = run_members(starts, stops)
    cosines = snapshot.vectors.cosines(vector, view.segment.passages.keys[members])
    owners = np.repeat(np.arange(len(sections)), stops - starts)
    has_vector = ~np.isnan(cosines)
    members, cosines, owners = members[has_vector], cosines[has_vector], owners[has_vector]
    order = np.lexsort((members, -cosines, owners))
    owned, first = np.unique(owners[order], return_index=True)
    winners = order[first]
    best[owned] = cosines[winners]
    which[owned] = members[winners] - starts[owned]
    return best, which
