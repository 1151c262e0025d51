"""One pass over the postings of a question's terms, in all segments of a scope.

Costs O(postings of the terms), plus one byte of scratch per section where the postings are many. A section's
score is added up in the order of the terms, so it does not depend on how sections are spread over segments.
Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mdmemd.index.arrays import IntArray, ScoreArray
from mdmemd.index.bm25 import FieldStatistics, inverse_document_frequency, saturated_frequency
from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.snapshot import SegmentView

_MASK_BITS = 64
_SPARSE_FACTOR = 64
"""Sorting n refs costs as much as clearing and scanning a mask of about this many times n."""


def keyword_matches(
    parts: Sequence[tuple[int, SegmentView]],
    terms: Sequence[WeightedTerm],
    *,
    ref_count: int,
    statistics: FieldStatistics,
) -> KeywordMatches:
    """Score all live sections that hold at least one term.

    Args:
        parts: first ref of each segment, and the segment.
        terms: each is scored by itself, also where two have the same text.
        ref_count: above all refs of ``parts``.
        statistics: of everything that is searched.
    """
    found = [_holding(parts, term.text, statistics) for term in terms]
    frequencies = tuple(len(refs) for refs, _ in found)
    idf = np.array(
        [
            inverse_document_frequency(sections=statistics.sections, holding=holding)
            for holding in frequencies
        ],
        np.float32,
    )
    weighted = idf * np.array([term.weight for term in terms], np.float32)
    idf_mass = float(weighted.sum())
    refs = _union([term_refs for term_refs, _ in found], ref_count)
    positions_of_refs = np.empty(ref_count, np.int64)  # only entries that are written below are read
    positions_of_refs[refs] = np.arange(len(refs))
    scores = np.zeros(len(refs), np.float32)
    coverage = np.zeros(len(refs), np.float32)
    matched = np.zeros(len(refs), np.uint64)
    for number, (term_refs, term_scores) in enumerate(found):
        positions = positions_of_refs[term_refs]
        scores[positions] += term_scores * weighted[number]
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
        idf=idf,
        idf_mass=idf_mass,
    )


def _holding(
    parts: Sequence[tuple[int, SegmentView]], term: str, statistics: FieldStatistics
) -> tuple[IntArray, ScoreArray]:
    """Refs of the live sections that hold a term, ascending, and its saturated frequency in each."""
    refs: list[IntArray] = []
    scores: list[ScoreArray] = []
    for base, view in parts:
        postings = view.segment.postings
        run = postings.find(term)
        if run is None:
            continue
        sections = postings.sections[run].astype(np.int64)  # numpy gathers by int64 without another copy
        title, path, body = (column[run] for column in postings.frequencies)
        live = view.live_sections
        if live is not None:
            is_live = live[sections]
            sections = sections[is_live]
            title, path, body = title[is_live], path[is_live], body[is_live]
        lengths = view.segment.sections.lengths
        scores.append(saturated_frequency((title, path, body), lengths, sections, statistics))
        refs.append(sections + base)
    if not refs:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    return np.concatenate(refs), np.concatenate(scores)


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
