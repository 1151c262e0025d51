"""One pass over the postings of a question's terms, in all segments of a scope.

Costs O(postings of the terms), plus one byte of scratch per section where the postings are many. A section's
score is added up in the order of the terms, so it does not depend on how sections are spread over segments.
Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import IntArray, ScoreArray
from mdmemd.index.bm25 import FieldStatistics, inverse_document_frequency, saturated_frequency
from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.searched_segment import SearchedSegment

_MASK_BITS = 64
_SPARSE_FACTOR = 64
"""Sorting n refs costs as much as clearing and scanning a mask of about this many times n."""


def keyword_matches(
    parts: Sequence[SearchedSegment],
    terms: Sequence[WeightedTerm],
    *,
    ref_count: int,
    statistics: FieldStatistics,
) -> KeywordMatches:
    """Score the searched sections that hold at least one term.

    Args:
        parts: the segments, by ascending ``base``.
        terms: each is scored by itself, also where two have the same text.
        ref_count: above all refs of ``parts``.
        statistics: of everything that is searched.
    """
    found = [_holding(parts, term.text, statistics) for term in terms]
    frequencies = tuple(each.frequency for each in found)
    idf = np.array(
        [
            inverse_document_frequency(sections=statistics.sections, holding=holding)
            for holding in frequencies
        ],
        np.float32,
    )
    weighted = idf * np.array([term.weight for term in terms], np.float32)
    idf_mass = float(weighted.sum())
    refs = _union([each.refs for each in found], ref_count)
    positions_of_refs = np.empty(ref_count, np.int64)  # only entries that are written below are read
    positions_of_refs[refs] = np.arange(len(refs))
    scores = np.zeros(len(refs), np.float32)
    coverage = np.zeros(len(refs), np.float32)
    matched = np.zeros(len(refs), np.uint64)
    for number, each in enumerate(found):
        positions = positions_of_refs[each.refs]
        scores[positions] += each.scores * weighted[number]
        coverage[positions] += weighted[number]
        if number < _MASK_BITS:
            matched[positions] |= np.uint64(1 << number)
    if idf_mass > 0:
        coverage = np.minimum(coverage / np.float32(idf_mass), np.float32(1))
    return KeywordMatches(
        refs=refs,
        scores=scores,
        coverage=coverage,
        matched=matched,
        document_frequencies=frequencies,
        found_frequencies=tuple(len(each.refs) for each in found),
        idf=idf,
        idf_mass=idf_mass,
    )


@dataclass(frozen=True, slots=True)
class _Holding:
    """The searched sections that hold a term.

    ``refs`` ascending, ``scores`` the term's saturated frequency in each; ``frequency`` counts the live
    sections that hold it, searched or not.
    """

    refs: IntArray
    scores: ScoreArray
    frequency: int


def _holding(parts: Sequence[SearchedSegment], term: str, statistics: FieldStatistics) -> _Holding:
    refs = [np.zeros(0, np.int64)]
    scores = [np.zeros(0, np.float32)]
    frequency = 0
    for part in parts:
        segment = part.view.segment
        run = segment.postings.find(term)
        if run is None:
            continue
        sections = segment.postings.sections[run].astype(np.int64)  # gathers without another copy
        live = part.view.live_sections
        frequency += len(sections) if live is None else int(np.count_nonzero(live[sections]))
        title, path, body = (column[run] for column in segment.postings.frequencies)
        if part.searched is not None:
            chosen = part.searched[sections]
            sections, title, path, body = sections[chosen], title[chosen], path[chosen], body[chosen]
        scores.append(
            saturated_frequency((title, path, body), segment.sections.lengths, sections, statistics)
        )
        refs.append(sections + part.base)
    return _Holding(np.concatenate(refs), np.concatenate(scores), frequency)


def _union(lists: Sequence[IntArray], ref_count: int) -> IntArray:
    """All refs that occur, ascending, each once."""
    if len(lists) == 1:
        return lists[0]
    total = sum(map(len, lists))
    if total * _SPARSE_FACTOR < ref_count:
        return np.unique(np.concatenate(lists)) if lists else np.zeros(0, np.int64)
    is_held = np.zeros(ref_count, np.bool_)
    for refs in lists:
        is_held[refs] = True
    return np.flatnonzero(is_held)
