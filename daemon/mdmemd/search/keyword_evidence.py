"""What the inverted index says about a question: how much of its words, and which concepts, a section holds.

Invariants: evidence of a section is a fraction of the most that any section could have (BM25 over its upper
bound), so that it can be weighed against a cosine; a concept counts once, however many of its index terms
match. Pure; called on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mdmemd.index.bm25 import inverse_document_frequency
from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.scope import Scope
from mdmemd.search.page import KeywordMatch
from mdmemd.search.query import Concept, ParsedQuery
from mdmemd.search.weights import (
    BM25_MAX_PER_IDF,
    COVERAGE_MIN,
    KEYWORD_CANDIDATES,
    PART_WEIGHT,
    UNSPACED_COVERAGE_LOSS,
)

FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_TINY = 1e-9
"""Keeps a question whose every word has an idf of 0 from dividing by it."""


@dataclass(frozen=True, slots=True)
class _ConceptBits:
    """Where a concept's terms stand in the bit mask of matched terms."""

    names: int
    parts: int
    is_identifier: bool

    def among(self, matched: npt.NDArray[np.uint64]) -> BoolArray:
        """Which of these masks name the concept: by any name, or by all parts where it is no identifier."""
        named: BoolArray = (matched & np.uint64(self.names)) != 0
        if self.parts and not self.is_identifier:
            parts = np.uint64(self.parts)
            named |= (matched & parts) == parts
        return named


class KeywordEvidence:
    """The sections that hold any word of a question.

    Attributes:
        terms: what was looked up; ``matches`` has its idf in this order.
        matches: the index's answer, by ascending ref.
        fractions: float32[n], parallel to ``matches.refs``, 0..1.
        fraction_of_score: what a BM25 score is multiplied by to be such a fraction.
        concept_idf: float32[concepts], how rare each concept is.
        coverage_min: least coverage that counts as a match by words.
    """

    def __init__(self, scope: Scope, query: ParsedQuery) -> None:
        self.terms, self._concepts = _plan(query.concepts)
        self.matches: KeywordMatches = scope.keyword(self.terms)
        bound = np.float32(max(BM25_MAX_PER_IDF * self.matches.idf_mass, _TINY))
        self.fractions: FloatArray = self.matches.scores / bound
        self.fraction_of_score = 1.0 / float(bound)
        self._sections = max(scope.sections, 1)
        self._place_keys = scope.place_keys
        self.concept_idf: FloatArray = np.array([self._idf(each) for each in self._concepts], np.float32)
        self.coverage_min = COVERAGE_MIN * (1.0 - UNSPACED_COVERAGE_LOSS * query.unspaced_share)

    @cached_property
    def best(self) -> IntArray:
        """Positions of the ``KEYWORD_CANDIDATES`` best by score, best first."""
        return self.matches.top(KEYWORD_CANDIDATES, place_keys=self._place_keys)

    def coverage(self, positions: IntArray) -> FloatArray:
        """Share of the question's idf mass that each section at ``positions`` names, float32, 0..1."""
        matched = self.matches.matched[positions]
        named = np.stack([each.among(matched) for each in self._concepts], axis=1)
        return (named @ self.concept_idf) / np.float32(max(float(self.concept_idf.sum()), _TINY))

    def is_unknown_identifier(self) -> bool:
        """Whether the question consists of identifiers that no searched section names.

        Nothing else can be meant by it then.
        """
        found = self.matches.found_frequencies
        return all(
            each.is_identifier and not any(found[bit] for bit in _bits(each.names)) for each in self._concepts
        )

    def absence(self) -> KeywordMatch:
        """What became of identifiers that no searched section names: ``FILTERED`` where another one does."""
        is_elsewhere = any(self._is_known(each.names) for each in self._concepts)
        return KeywordMatch.FILTERED if is_elsewhere else KeywordMatch.NO_MATCH

    def outcome(self) -> KeywordMatch:
        """What became of the words.

        ``FILTERED`` where no searched section names enough of the question, though some section has words.
        """
        if not len(self.matches.refs):
            is_elsewhere = any(self.matches.document_frequencies)
            return KeywordMatch.FILTERED if is_elsewhere else KeywordMatch.NO_MATCH
        best = self.coverage(self.best).max()
        return KeywordMatch.MATCHED if best >= self.coverage_min else KeywordMatch.FILTERED

    def unknown(self) -> list[int]:
        """Positions of the concepts that no section of the scope names, searched or not, nor their parts."""
        return [
            position
            for position, each in enumerate(self._concepts)
            if not self._is_known(each.names if each.is_identifier else each.names | each.parts)
        ]

    def exact_refs(self) -> IntArray:
        """The sections that hold every concept, ascending."""
        refs, matched = self.matches.refs, self.matches.matched
        for index in np.argsort(-self.concept_idf, kind="stable").tolist():
            named = self._concepts[index].among(matched)
            refs, matched = refs[named], matched[named]
        return refs

    def _is_known(self, mask: int) -> bool:
        return any(self.matches.document_frequencies[bit] for bit in _bits(mask))

    def _idf(self, concept: _ConceptBits) -> float:
        """The idf of the rarest name that exists, else of the rarest part unless it is an identifier."""
        names = concept.names
        if not self._is_known(names) and self._is_known(concept.parts) and not concept.is_identifier:
            names = concept.parts
        frequencies = self.matches.document_frequencies
        known = [float(self.matches.idf[bit]) for bit in _bits(names) if frequencies[bit]]
        # A word that nothing holds is taken to be as rare as one that a single section holds.
        return max(known) if known else inverse_document_frequency(sections=self._sections, holding=1)


def excluded_refs(scope: Scope, excluded: Sequence[Concept]) -> IntArray:
    """Sections that name any of the excluded concepts."""
    if not excluded:
        return np.empty(0, np.int64)
    terms, concepts = _plan(excluded)
    matches = scope.keyword(terms)
    named = np.zeros(len(matches.refs), np.bool_)
    for concept in concepts:
        named |= concept.among(matches.matched)
    return matches.refs[named]


def _plan(concepts: Sequence[Concept]) -> tuple[list[WeightedTerm], list[_ConceptBits]]:
    """Each distinct term once with its largest weight, and the bits of each concept's terms."""
    weights: dict[str, float] = {name: 1.0 for concept in concepts for name in concept.names}
    for concept in concepts:
        for part in concept.parts:
            weights.setdefault(part, PART_WEIGHT)
    mask = {term: 1 << index for index, term in enumerate(weights)}
    places = [
        _ConceptBits(
            names=sum(mask[name] for name in set(concept.names)),
            parts=sum(mask[part] for part in set(concept.parts)),
            is_identifier=concept.is_identifier,
        )
        for concept in concepts
    ]
    return [WeightedTerm(term, weight) for term, weight in weights.items()], places


def _bits(mask: int) -> Iterator[int]:
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)
