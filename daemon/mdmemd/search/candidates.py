"""The sections that compete for a place on the page, with the evidence for each: keyword fraction, coverage,
cosine.

Invariants: whichever list a section came from, it is judged by all of its evidence: words are looked up for
what the vectors found, vectors for what the words found. Bounded by ``weights``, whatever the size of the
index. Pure; called on the query pool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.matches import VectorMatches
from mdmemd.index.scope import Scope
from mdmemd.model import FloatVector
from mdmemd.search.keyword_evidence import KeywordEvidence
from mdmemd.search.weights import KEYWORD_CANDIDATES, VECTOR_CANDIDATES

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Parallel arrays over the candidates, by ascending ``refs``.

    Attributes:
        refs: sections of the scope.
        fractions: keyword fraction, 0 where no word matches.
        coverage: share of the question's idf mass that is named.
        cosines: of the best passage, NaN where none has a vector.
        passages: index of that passage in its section, -1 where none has a vector.
    """

    refs: IntArray
    fractions: FloatArray
    coverage: FloatArray
    cosines: FloatArray
    passages: npt.NDArray[np.int32]

    def without(self, refs: IntArray) -> Candidates:
        """The candidates that are not among ``refs``."""
        kept = ~np.isin(self.refs, refs)
        return Candidates(
            self.refs[kept],
            self.fractions[kept],
            self.coverage[kept],
            self.cosines[kept],
            self.passages[kept],
        )


def keyword_candidates(evidence: KeywordEvidence) -> Candidates:
    """The best by words alone."""
    positions = _top(evidence)
    refs = evidence.matches.refs[positions]
    return _with_words(refs, evidence, positions, _no_vectors(refs))


def semantic_candidates(scope: Scope, vector: FloatVector) -> Candidates:
    """The best by vectors alone."""
    nearest = scope.nearest(vector, passages=VECTOR_CANDIDATES)
    order = np.argsort(nearest.refs, kind="stable")
    zeros = np.zeros(len(order), np.float32)
    return Candidates(nearest.refs[order], zeros, zeros, nearest.cosines[order], nearest.passages[order])


def hybrid_candidates(scope: Scope, vector: FloatVector, evidence: KeywordEvidence) -> Candidates:
    """The best by words and the best by vectors, each with both."""
    nearest = scope.nearest(vector, passages=VECTOR_CANDIDATES)
    refs = np.union1d(evidence.matches.refs[_top(evidence)], nearest.refs)
    # The nearest fold their passages only as far as they were asked for, so every cosine is taken from the sections themselves.
    vectors = scope.best_passages(vector, refs)
    return _with_words(refs, evidence, _positions_of(refs, evidence.matches.refs), vectors)


def _top(evidence: KeywordEvidence) -> IntArray:
    return evidence.matches.top(KEYWORD_CANDIDATES)


def _no_vectors(refs: IntArray) -> VectorMatches:
    return VectorMatches(refs, np.full(len(refs), np.nan, np.float32), np.full(len(refs), -1, np.int32))


def _positions_of(wanted: IntArray, refs: IntArray) -> IntArray:
    """Positions in ``refs``, which is sorted, of those that are in ``wanted``."""
    if not len(refs):
        return np.empty(0, np.int64)
    slot = np.minimum(np.searchsorted(refs, wanted), len(refs) - 1)
    return slot[refs[slot] == wanted]


def _with_words(
    refs: IntArray, evidence: KeywordEvidence, positions: IntArray, vectors: VectorMatches
) -> Candidates:
    """``vectors`` (over ``refs``) joined with the words of the sections at ``positions``, all sorted by section."""
    order = np.argsort(refs, kind="stable")
    refs = refs[order]
    slot = np.searchsorted(refs, evidence.matches.refs[positions])
    fractions = np.zeros(len(refs), np.float32)
    coverage = np.zeros(len(refs), np.float32)
    fractions[slot] = evidence.fractions[positions]
    coverage[slot] = evidence.coverage(positions)
    return Candidates(refs, fractions, coverage, vectors.cosines[order], vectors.passages[order])
