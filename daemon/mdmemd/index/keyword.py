"""One pass over the postings of a question's terms, in all segments of a scope.

All terms together: a question is mostly many short runs of postings, where calls cost more than what they do.
Costs O(postings of the terms), plus one byte of scratch per section where the postings are many. A section's
score is added up in the order of the terms, so it does not depend on how sections are spread over segments.
Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import IntArray, ScoreArray
from mdmemd.index.bm25 import FieldStatistics, inverse_document_frequency, saturated_frequency
from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.searched_segment import SearchedSegment
from mdmemd.index.text_table import HashedTexts

Scalar = TypeVar("Scalar", bound=np.generic)

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
    found = _Found.of(parts, terms, statistics)
    frequencies = tuple(found.live_counts.tolist())
    idf = np.array(
        [
            inverse_document_frequency(sections=statistics.sections, holding=holding)
            for holding in frequencies
        ],
        np.float32,
    )
    weighted = idf * np.array([term.weight for term in terms], np.float32)
    refs = _union(found.refs, ref_count)
    positions_of_refs = np.empty(ref_count, np.int64)  # only entries that are written below are read
    positions_of_refs[refs] = np.arange(len(refs))
    positions = positions_of_refs[found.refs]
    scores = np.zeros(len(refs), np.float32)
    np.add.at(scores, positions, found.scores * weighted[found.terms])
    bits = np.zeros(len(terms), np.uint64)
    bits[:_MASK_BITS] = np.uint64(1) << np.arange(min(len(terms), _MASK_BITS), dtype=np.uint64)
    matched = np.zeros(len(refs), np.uint64)
    np.add.at(matched, positions, bits[found.terms])  # no bit twice: a term has one posting a section
    return KeywordMatches(
        refs=refs,
        scores=scores,
        matched=matched,
        document_frequencies=frequencies,
        found_frequencies=tuple(np.bincount(found.terms, minlength=len(terms)).tolist()),
        idf=idf,
        idf_mass=float(weighted.sum()),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The postings of all terms, those of a section in the order of the terms.

    Attributes:
        refs: the searched section of each posting, int64 ``(n,)``.
        terms: which term it is of, int64 ``(n,)``.
        scores: the term's saturated frequency in the section, float32 ``(n,)``.
        live_counts: the live sections that hold each term, searched or not, int64 ``(terms,)``.
    """

    refs: IntArray
    terms: IntArray
    scores: ScoreArray
    live_counts: IntArray

    @classmethod
    def of(
        cls, parts: Sequence[SearchedSegment], terms: Sequence[WeightedTerm], statistics: FieldStatistics
    ) -> _Found:
        """All of them."""
        texts = HashedTexts.of(term.text for term in terms)
        found = [each for part in parts if (each := _in_segment(part, texts, statistics))]
        return cls(
            refs=np.concatenate([np.zeros(0, np.int64), *(each.refs for each in found)]),
            terms=np.concatenate([np.zeros(0, np.int64), *(each.terms for each in found)]),
            scores=np.concatenate([np.zeros(0, np.float32), *(each.scores for each in found)]),
            live_counts=sum((each.live_counts for each in found), start=np.zeros(len(terms), np.int64)),
        )


def _in_segment(part: SearchedSegment, terms: HashedTexts, statistics: FieldStatistics) -> _Found | None:
    segment = part.view.segment
    postings = segment.postings
    runs = {number: run for number, run in enumerate(postings.find_each(terms)) if run}
    if not runs:
        return None
    sections: IntArray = _joined(postings.sections, runs.values(), np.int64)  # gathers without another copy
    term_of = np.repeat(np.array(list(runs), np.int64), [run.stop - run.start for run in runs.values()])
    live = part.view.live_sections
    live_counts = np.bincount(
        term_of if live is None else term_of[live[sections]], minlength=len(terms.pieces)
    )
    title, path, body = (_joined(column, runs.values(), np.uint8) for column in postings.frequencies)
    if part.searched is not None:
        chosen = part.searched[sections]
        sections, term_of = sections[chosen], term_of[chosen]
        title, path, body = title[chosen], path[chosen], body[chosen]
    scores = saturated_frequency((title, path, body), segment.sections.lengths, sections, statistics)
    return _Found(sections + part.base, term_of, scores, live_counts)


def _joined(column: npt.NDArray[Any], runs: Iterable[slice], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    return np.concatenate([column[run] for run in runs], dtype=dtype)


def _union(refs: IntArray, ref_count: int) -> IntArray:
    """All refs that occur, ascending, each once."""
    if len(refs) * _SPARSE_FACTOR < ref_count:
        return np.unique(refs)
    is_held = np.zeros(ref_count, np.bool_)
    is_held[refs] = True
    return np.flatnonzero(is_held)
