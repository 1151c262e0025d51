"""One score out of words and meaning: ``v x cosine + k x fraction``.

Absolute scores, since ranks lose how much better one section is than the next. ``k`` grows with the share of
identifiers among words; where a question is nothing but identifiers, naming them adds to the score instead.
``v`` shrinks with the share of a script that the model hardly knows, less for Chinese, which it reads as
English glosses. Invariant: more of any evidence never
lowers a score. Pure; called on the query pool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdmemd.search.keyword_evidence import FloatArray
from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import (
    GLOSSED_VECTOR_LOSS,
    KEYWORD_WEIGHT,
    KEYWORD_WEIGHT_IDENTIFIERS,
    LOOKUP_BONUS,
    UNSPACED_VECTOR_LOSS,
)


def fuse(
    query: ParsedQuery, *, fractions: FloatArray, coverage: FloatArray, cosines: FloatArray
) -> FloatArray:
    """Scores, float32[n], of sections with this evidence, each float32[n] (cosines NaN: no vector yet).

    A section without a vector is taken to be as near as the middle one of those that have one.
    """
    weights = fusion_weights(query)
    scores: FloatArray = (
        np.float32(weights.cosine) * known_cosines(cosines) + np.float32(weights.fraction) * fractions
    )
    if weights.coverage:
        scores += np.float32(weights.coverage) * coverage
    return scores


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """What each kind of evidence is multiplied by."""

    cosine: float
    fraction: float
    coverage: float


def fusion_weights(query: ParsedQuery) -> FusionWeights:
    """The weights for one question."""
    is_lookup = query.identifier_share == 1.0
    mixed = 0.0 if is_lookup else KEYWORD_WEIGHT_IDENTIFIERS * query.identifier_share
    unread = UNSPACED_VECTOR_LOSS * (query.unspaced_share - query.chinese_share)
    unread += GLOSSED_VECTOR_LOSS * query.chinese_share
    return FusionWeights(
        cosine=1.0 if query.is_multilingual else 1.0 - unread,
        fraction=KEYWORD_WEIGHT + mixed,
        coverage=LOOKUP_BONUS if is_lookup else 0.0,
    )


def known_cosines(cosines: FloatArray) -> FloatArray:
    """The cosines, where NaN is the middle one of those that are known, 0 where none is."""
    missing = np.isnan(cosines)
    if not missing.any():
        return cosines
    middle = 0.0 if missing.all() else float(np.median(cosines[~missing]))
    return np.where(missing, np.float32(middle), cosines)
