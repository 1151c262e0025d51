"""What the inverted index says about a question: per section how much of its words, and which concepts, it
holds.

Invariants: evidence of a section is a fraction of the most that any section could have (BM25 over its upper
bound), so that it can be weighed against a cosine; a concept counts once, however many of its index terms
match. Pure; called on the query pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.matches import KeywordMatches, WeightedTerm
from mdmemd.index.scope import Scope
from mdmemd.search.page import KeywordMatch
from mdmemd.search.query import Concept
from mdmemd.search.weights import BM25_MAX_PER_IDF, COVERAGE_MIN, KEYWORD_CANDIDATES, PART_WEIGHT

FloatArray = npt.NDArray[np.float32]
BoolMatrix = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConceptTerms:
    """Where a concept's terms stand in the bit mask of matched terms."""

    names: int
    parts: int
    is_identifier: bool


class KeywordEvidence:
    """The sections that hold any word of a question.

    Attributes:
        matches: the index's answer, unordered.
        fractions: float32[n], parallel to ``matches.refs``, 0..1.
        concept_idf: float32[concepts], how rare each concept is.
        known: for each concept whether any section names it.
    """

    def __init__(self, scope: Scope, concepts: Sequence[Concept]) -> None:
        terms, self._concepts = _plan(concepts)
        self.matches: KeywordMatches = scope.keyword(terms)
        bound = BM25_MAX_PER_IDF * self.matches.idf_mass
        self.fractions: FloatArray = self.matches.scores / np.float32(max(bound, 1e-9))
        idf = self.matches.idf
        frequencies = self.matches.document_frequencies
        self.known = [any(frequencies[bit] for bit in _bits(each.names)) for each in self._concepts]
        self.concept_idf: FloatArray = np.array(
            [_idf(each, idf, frequencies) for each in self._concepts], np.float32
        )

    def holds(self, positions: IntArray) -> BoolMatrix:
        """Whether each concept is named by the sections at ``positions``, shape ``(len(positions), concepts)``."""
        matched = self.matches.matched[positions]
        return np.stack([_is_named(each, matched) for each in self._concepts], axis=1)

    def coverage(self, positions: IntArray) -> FloatArray:
        """Share of the question's idf mass that the sections at ``positions`` name, 0..1."""
        return (self.holds(positions) @ self.concept_idf) / np.float32(
            max(float(self.concept_idf.sum()), 1e-9)
        )

    def is_unknown_identifier(self) -> bool:
        """Whether the question consists of identifiers that no section names: then nothing else can be meant."""
        return all(each.is_identifier for each in self._concepts) and not any(self.known)

    def outcome(self) -> KeywordMatch:
        """What became of the words: ``FILTERED`` where no section names enough of the question."""
        if not len(self.matches.refs):
            return KeywordMatch.NO_MATCH
        best = self.coverage(self.matches.top(KEYWORD_CANDIDATES)).max()
        return KeywordMatch.MATCHED if best >= COVERAGE_MIN else KeywordMatch.FILTERED

    def exact_sections(self) -> int:
        """How many sections hold every concept."""
        matched = self.matches.matched
        for index in np.argsort(-self.concept_idf, kind="stable"):
            matched = matched[_is_named(self._concepts[index], matched)]
        return len(matched)


def excluded_refs(scope: Scope, excluded: Sequence[Concept]) -> IntArray:
    """Sections that name any of the excluded concepts."""
    if not excluded:
        return np.empty(0, np.int64)
    evidence = KeywordEvidence(scope, excluded)
    everything = np.arange(len(evidence.matches.refs))
    return evidence.matches.refs[evidence.holds(everything).any(axis=1)]


def _plan(concepts: Sequence[Concept]) -> tuple[list[WeightedTerm], list[ConceptTerms]]:
    """Each distinct term once with its largest weight, names before parts so that names always fit the mask."""
    weights: dict[str, float] = {name: 1.0 for concept in concepts for name in concept.names}
    for concept in concepts:
        for part in concept.parts:
            weights.setdefault(part, PART_WEIGHT)
    bit = {term: index for index, term in enumerate(weights)}
    places = [
        ConceptTerms(_mask(concept.names, bit), _mask(concept.parts, bit), concept.is_identifier)
        for concept in concepts
    ]
    return [WeightedTerm(term, weight) for term, weight in weights.items()], places


def _mask(terms: Sequence[str], bit: dict[str, int]) -> int:
    mask = 0
    for term in terms:
        mask |= 1 << bit[term]
    return mask


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _is_named(terms: ConceptTerms, matched: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    named: npt.NDArray[np.bool_] = (matched & np.uint64(terms.names)) != 0
    if terms.parts and not terms.is_identifier:
        parts = np.uint64(terms.parts)
        named |= (matched & parts) == parts
    return named


def _idf(terms: ConceptTerms, idf: FloatArray, frequencies: Sequence[int]) -> float:
    """How rare a concept is: as its rarest name that exists; else as the rarest of its parts, for what is no identifier."""
    names = _bits(terms.names)
    known = [bit for bit in names if frequencies[bit]]
    if not known and not terms.is_identifier:
        known = [bit for bit in _bits(terms.parts) if frequencies[bit]]
    return max(float(idf[bit]) for bit in known or names)
