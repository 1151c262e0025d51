"""What each term and field gives to the BM25 score of one section: the sum of ``keyword``, taken apart.

A term's factor ``f * (k1 + 1) / (k1 + f)`` is shared among the fields by their part of ``f``. Pure; called on
query threads, for the few sections that somebody wants explained.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mdmemd.index.arrays import ScoreArray
from mdmemd.index.bm25 import SATURATION, FieldStatistics, normalised_frequency
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.segment import Segment
from mdmemd.index.term_columns import Field


def term_shares(
    segment: Segment, section: int, terms: Sequence[WeightedTerm], *, statistics: FieldStatistics
) -> ScoreArray:
    """float32, shape ``(terms, 3)``: the factor of each term in each field (title, path, body).

    Times the weight and the idf of the term, the sum over all is the section's BM25 score.
    """
    shares = np.zeros((len(terms), len(Field)), np.float32)
    for number, term in enumerate(terms):
        run = segment.postings.find(term.text)
        if run is None:
            continue
        at = np.flatnonzero(segment.postings.sections[run] == section)
        for field in Field if len(at) else ():
            shares[number, field] = normalised_frequency(
                field,
                segment.postings.frequencies[field][run][at],
                segment.sections.lengths,
                np.array([section], np.int64),
                statistics,
            )[0]
        shares[number] *= (SATURATION + 1) / (SATURATION + shares[number].sum())
    return shares
