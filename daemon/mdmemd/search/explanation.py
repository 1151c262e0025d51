"""What a score is made of: words by term and field, meaning, identifiers, heading, losses, reranking.

Invariant: the contributions add up to the score, as far as single precision and ``SCORE_DIGITS`` go. Pure;
called on the query pool, for the sections that somebody wants explained.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mdmemd.index.scope import Scope
from mdmemd.index.term_columns import Field
from mdmemd.search.candidates import Candidates
from mdmemd.search.fusion import fusion_weights, known_cosines
from mdmemd.search.keyword_evidence import KeywordEvidence
from mdmemd.search.page import Contribution
from mdmemd.search.query import ParsedQuery
from mdmemd.search.ranking import Ranked

_FIELDS = {Field.TITLE: "headings", Field.PATH: "path", Field.BODY: "text"}


def contributions(
    ranked: Ranked, *, scope: Scope, query: ParsedQuery, evidence: KeywordEvidence, candidates: Candidates
) -> tuple[Contribution, ...]:
    """The terms of the sum, largest first, those that are 0 left out."""
    found = [
        *_words(ranked, scope, query, evidence, candidates),
        *_meaning(ranked, query, candidates),
        Contribution("heading is the question", ranked.bonus),
        Contribution("explains what is looked up", ranked.defines),
        Contribution("order of the reranker", ranked.moved),
        *(Contribution(each.what, -each.value) for each in ranked.losses),
    ]
    return tuple(sorted((each for each in found if each.value), key=lambda each: -each.value))


def _words(
    ranked: Ranked, scope: Scope, query: ParsedQuery, evidence: KeywordEvidence, candidates: Candidates
) -> Iterator[Contribution]:
    weights = fusion_weights(query)
    if candidates.fractions[ranked.position]:
        shares = scope.term_shares(ranked.section, evidence.terms)
        worth = [
            weights.fraction * term.weight * float(idf) * evidence.fraction_of_score
            for term, idf in zip(evidence.terms, evidence.matches.idf, strict=True)
        ]
        for term, factor, row in zip(evidence.terms, worth, shares.tolist(), strict=True):
            for field, share in zip(Field, row, strict=True):
                yield Contribution(f"word {term.text} in {_FIELDS[field]}", factor * share)
    covered = weights.coverage * float(candidates.coverage[ranked.position])
    yield Contribution("identifiers that it names", covered)


def _meaning(ranked: Ranked, query: ParsedQuery, candidates: Candidates) -> Iterator[Contribution]:
    cosines = candidates.cosines
    value = fusion_weights(query).cosine * float(known_cosines(cosines)[ranked.position])
    if np.isnan(cosines[ranked.position]):
        yield Contribution("meaning, taken as that of the middle candidate: it has no vector yet", value)
    else:
        yield Contribution(f"meaning, by passage {int(candidates.passages[ranked.position]) + 1}", value)
