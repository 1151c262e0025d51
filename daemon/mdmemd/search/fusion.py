"""One score out of words and meaning: ``v x cosine + k x fraction``.

Absolute scores, since ranks lose how much better one section is than the next. ``k`` grows with the share of
identifiers among words; where a question is nothing but identifiers, naming them adds to the score instead.
``v`` shrinks with the share of a script that the model hardly knows. Invariant: more of any evidence never
lowers a score. Pure; called on the query pool.
"""

from __future__ import annotations

import numpy as np

from mdmemd.search.keyword_evidence import FloatArray
from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import (
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
    is_lookup = query.identifier_share == 1.0
    mixed = 0.0 if is_lookup else KEYWORD_WEIGHT_IDENTIFIERS * query.identifier_share
    vector_weight = 1.0 - UNSPACED_VECTOR_LOSS * query.unspaced_share
    scores: FloatArray = (
        np.float32(vector_weight) * _known(cosines) + np.float32(KEYWORD_WEIGHT + mixed) * fractions
    )
    if is_lookup:
        scores += np.float32(LOOKUP_BONUS) * coverage
    return scores


def _known(cosines: FloatArray) -> FloatArray:
    missing = np.isnan(cosines)
    if not missing.any():
        return cosines
    middle = 0.0 if missing.all() else float(np.median(cosines[~missing]))
    return np.where(missing, np.float32(middle), cosines)
