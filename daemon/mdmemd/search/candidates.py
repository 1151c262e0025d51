"""The sections that compete for a place on the page, with the evidence for each: words, coverage, cosine.

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
from mdmemd.search.keyword_evidence import FloatArray, IntArray, KeywordEvidence
from mdmemd.search.weights import VECTOR_CANDIDATES


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
            refs=self.refs[kept],
            fractions=self.fractions[kept],
            coverage=self.coverage[kept],
            cosines=self.cosines[kept],
            passages=self.passages[kept],
        )


def keyword_candidates(evidence: KeywordEvidence) -> Candidates:
    """The best by words alone."""
    return _by_words(evidence, evidence.best)


def exact_candidates(evidence: KeywordEvidence) -> Candidates:
    """All that hold every concept: the one list that is complete, so its length is not bounded."""
    exact = evidence.exact_refs()
    return _by_words(evidence, np.searchsorted(evidence.matches.refs, exact))


def _by_words(evidence: KeywordEvidence, positions: IntArray) -> Candidates:
    refs = evidence.matches.refs[positions]
    return _with_words(evidence, positions, _unknown(refs))


def semantic_candidates(scope: Scope, vector: FloatVector) -> Candidates:
    """The best by vectors alone."""
    nearest = scope.nearest(vector, passages=VECTOR_CANDIDATES)
    order = np.argsort(nearest.refs, kind="stable")
    zeros = np.zeros(len(order), np.float32)
    return Candidates(nearest.refs[order], zeros, zeros, nearest.cosines[order], nearest.passages[order])


def hybrid_candidates(scope: Scope, vector: FloatVector, evidence: KeywordEvidence) -> Candidates:
    """The best by words and the best by vectors, each with both."""
    nearest = scope.nearest(vector, passages=VECTOR_CANDIDATES)
    by_words = evidence.matches.refs[evidence.best]
    refs = np.union1d(by_words, nearest.refs)
    positions = _positions_of(refs, evidence.matches.refs)
    return _with_words(evidence, positions, scope.best_passages(vector, refs))


def widened(
    candidates: Candidates,
    refs: IntArray,
    scope: Scope,
    vector: FloatVector | None,
    *,
    evidence: KeywordEvidence | None,
) -> Candidates:
    """The candidates and the sections ``refs``, none of which is among them, ascending.

    They are judged by ``evidence`` (``None``: not by words) and by ``vector``.
    """
    near = _unknown(refs) if vector is None else scope.best_passages(vector, refs)
    zeros = np.zeros(len(refs), np.float32)
    more = Candidates(refs, zeros, zeros, near.cosines, near.passages)
    if evidence is not None:
        more = _with_words(evidence, _positions_of(refs, evidence.matches.refs), near)
    order = np.argsort(np.concatenate([candidates.refs, more.refs]), kind="stable")
    return Candidates(
        refs=np.concatenate([candidates.refs, more.refs])[order],
        fractions=np.concatenate([candidates.fractions, more.fractions])[order],
        coverage=np.concatenate([candidates.coverage, more.coverage])[order],
        cosines=np.concatenate([candidates.cosines, more.cosines])[order],
        passages=np.concatenate([candidates.passages, more.passages])[order],
    )


def _unknown(refs: IntArray) -> VectorMatches:
    return VectorMatches(refs, np.full(len(refs), np.nan, np.float32), np.full(len(refs), -1, np.int32))


def _positions_of(wanted: IntArray, refs: IntArray) -> IntArray:
    """Positions in ``refs``, which is sorted, of those that are in ``wanted``."""
    if not len(refs):
        return np.empty(0, np.int64)
    slot = np.minimum(np.searchsorted(refs, wanted), len(refs) - 1)
    found: IntArray = slot[refs[slot] == wanted]
    return found


def _with_words(evidence: KeywordEvidence, positions: IntArray, vectors: VectorMatches) -> Candidates:
    """The sections of ``vectors``, sorted, with the words of those at these keyword matches."""
    order = np.argsort(vectors.refs, kind="stable")
    refs = vectors.refs[order]
    slot = np.searchsorted(refs, evidence.matches.refs[positions])
    fractions = np.zeros(len(refs), np.float32)
    coverage = np.zeros(len(refs), np.float32)
    fractions[slot] = evidence.fractions[positions]
    coverage[slot] = evidence.coverage(positions)
    return Candidates(refs, fractions, coverage, vectors.cosines[order], vectors.passages[order])
