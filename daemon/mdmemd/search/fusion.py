"""One score out of words and meaning.

``score = v x cosine + k x fraction``: absolute scores, since ranks lose how much better one section is than
the next (reciprocal rank fusion was measurably the weakest). ``k`` grows with the share of identifiers, whose
literal presence is what is asked for; ``v`` shrinks with the share of a script that the model hardly knows.
Invariants: monotone: more of either evidence never lowers a score. Pure.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import KEYWORD_WEIGHT, KEYWORD_WEIGHT_IDENTIFIERS, UNSPACED_VECTOR_LOSS

FloatArray = npt.NDArray[np.float32]


def fuse(query: ParsedQuery, *, fractions: FloatArray, cosines: FloatArray) -> FloatArray:
    """Scores, float32[n]. A section without a vector is taken to be as near as the middle one of those that have any."""
    keyword_weight = KEYWORD_WEIGHT + KEYWORD_WEIGHT_IDENTIFIERS * query.identifier_share
    vector_weight = 1.0 - UNSPACED_VECTOR_LOSS * query.unspaced_share
    missing = np.isnan(cosines)
    middle = float(np.median(cosines[~missing])) if not missing.all() else 0.0
    known = np.where(missing, np.float32(middle), cosines)
    scores: FloatArray = np.float32(vector_weight) * known + np.float32(keyword_weight) * fractions
    return scores
