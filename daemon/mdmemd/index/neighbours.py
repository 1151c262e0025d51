"""From vectors back to passages: the nearest ones of a root, and the best one of given sections.

Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray, ScoreArray, run_members
from mdmemd.index.matches import VectorMatches
from mdmemd.index.snapshot import RootSnapshot, SegmentView
from mdmemd.model import FloatVector


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """Passages, best first; equal cosines are ordered by section, then by passage.

    Attributes:
        refs: ref of each passage's section, int64 ``(n,)``.
        cosines: float32 ``(n,)``.
        passages: position within the section's passages, int32 ``(n,)``.
    """

    refs: IntArray
    cosines: ScoreArray
    passages: Int32Array

    @classmethod
    def best_of(cls, found: Sequence[RankedPassages], *, count: int) -> RankedPassages:
        """The best ``count`` of several lists."""
        if not found:
            return cls(np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int32))
        refs = np.concatenate([each.refs for each in found])
        cosines = np.concatenate([each.cosines for each in found])
        passages = np.concatenate([each.passages for each in found])
        order = np.lexsort((passages, refs, -cosines))[:count]
        return cls(refs[order], cosines[order], passages[order])

    def by_section(self) -> VectorMatches:
        """Each section once, with its best passage, best first."""
        _, first = np.unique(self.refs, return_index=True)
        first.sort()
        return VectorMatches(self.refs[first], self.cosines[first], self.passages[first])


def nearest_passages(
    snapshot: RootSnapshot, bases: Sequence[int], vector: FloatVector, *, count: int
) -> RankedPassages:
    """The ``count`` live passages of a root nearest to the question.

    ``bases`` are the refs of the first section of each of its segments.
    """
    best = RankedPassages.best_of([], count=count)
    for keys, cosines in snapshot.vectors.ranked(vector, count=count):
        found = [
            _passages_with(view, base, keys, cosines)
            for base, view in zip(bases, snapshot.segments, strict=True)
        ]
        best = RankedPassages.best_of(found, count=count)
        if len(best.refs) >= count:
            break
    return best


def _passages_with(view: SegmentView, base: int, keys: Int32Array, cosines: ScoreArray) -> RankedPassages:
    """The live passages of a segment whose texts have these keys."""
    columns = view.segment.passages
    starts = np.searchsorted(columns.sorted_keys, keys, side="left")
    stops = np.searchsorted(columns.sorted_keys, keys, side="right")
    passages = columns.by_key[run_members(starts, stops)]
    cosines = np.repeat(cosines, stops - starts)
    passage_starts = view.segment.sections.passage_starts
    sections = np.searchsorted(passage_starts, passages, side="right") - 1
    live = view.live_sections
    if live is not None:
        is_live = live[sections]
        passages, cosines, sections = passages[is_live], cosines[is_live], sections[is_live]
    return RankedPassages(sections + base, cosines, (passages - passage_starts[sections]).astype(np.int32))


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
