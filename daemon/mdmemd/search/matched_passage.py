"""Which passage of a section answers: it anchors the excerpt and stands beside a pointer.

The passage whose words cover most of the question wins; the one that the vectors chose has a head start of
``VECTOR_PASSAGE_BONUS`` (as a share of the question's words). Pure; called on the query pool for the few
sections of a page, since it reads their text.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmemd.index.snapshot import PassageRecord
from mdmemd.search.query import Concept
from mdmemd.search.weights import VECTOR_PASSAGE_BONUS
from mdmemd.text.source import SourceText
from mdmemd.text.tokens import terms


def matched_passage(
    source: SourceText,
    passages: Sequence[PassageRecord],
    *,
    concepts: Sequence[Concept],
    idf: Sequence[float],
    chosen: int | None,
) -> int:
    """Index of the passage that answers best; the first of equals. ``chosen`` is the vectors' choice."""
    total = sum(idf) or 1.0
    best, best_score = 0, -1.0
    for index, passage in enumerate(passages):
        found = frozenset(terms(source.slice(passage.lines)))
        score = (
            sum(weight for concept, weight in zip(concepts, idf, strict=True) if is_named(concept, found))
            / total
        )
        score += VECTOR_PASSAGE_BONUS if index == chosen else 0.0
        if score > best_score:
            best, best_score = index, score
    return best


def is_named(concept: Concept, found: frozenset[str]) -> bool:
    """Whether a text with the index terms ``found`` names the concept, as ``KeywordEvidence`` has it."""
    if any(name in found for name in concept.names):
        return True
    return bool(concept.parts) and not concept.is_identifier and all(part in found for part in concept.parts)
