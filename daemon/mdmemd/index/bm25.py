"""BM25F: how much a section that holds a term is worth for it.

Formula (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6):
the frequencies of a term in the three fields are each divided by the field's length normalisation, weighted
and added up to one frequency f; the term scores idf * f * (k1 + 1) / (k1 + f), with idf = ln(1 + (N - n +
0.5) / (n + 0.5)) as Lucene has it, which is never negative. Statistics are those of everything that one
question searches, at that moment. Pure; called on query threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import ByteArray, Int32Array, IntArray, ScoreArray
from mdmemd.index.term_columns import Field

SATURATION = 1.2
"""k1, the usual value; a term's score stays below (k1 + 1) = 2.2 times its idf."""

FIELD_WEIGHTS = {Field.TITLE: 3.0, Field.PATH: 1.0, Field.BODY: 1.0}
"""What a word is worth in a heading, a path and the text. A path of 1.5 loses 0.003 of the mean reciprocal
rank of the development sets; the weight of headings is flat from 2 to 4."""

LENGTH_NORMALISATION = {Field.TITLE: 0.5, Field.PATH: 0.5, Field.BODY: 0.5}
"""b per field. 0.75 is usual for running text; 0.5 gave a mean reciprocal rank of .850 instead of .841 on the
development sets (hybrid) and lowered it in none: a section is cut to one subject, so length says little."""


@dataclass(frozen=True, slots=True)
class FieldStatistics:
    """Live sections that are searched, and their mean number of terms per field."""

    sections: int
    mean_lengths: tuple[float, float, float]

    @classmethod
    def of(cls, *, sections: int, total_lengths: tuple[int, int, int]) -> FieldStatistics:
        """From sums over all live sections; an empty field counts as of length 1."""
        title, path, body = (total / sections if sections and total else 1.0 for total in total_lengths)
        return cls(sections, (title, path, body))


def inverse_document_frequency(*, sections: int, holding: int) -> float:
    """Idf of a term that ``holding`` of ``sections`` sections hold."""
    return math.log(1 + (sections - holding + 0.5) / (holding + 0.5))


def saturated_frequency(
    frequencies: tuple[ByteArray, ByteArray, ByteArray],
    lengths: Int32Array,
    sections: IntArray,
    statistics: FieldStatistics,
) -> ScoreArray:
    """The factor f * (k1 + 1) / (k1 + f) for each posting of one term in one segment.

    ``lengths`` are the segment's, shape ``(3, sections of the segment)``; ``sections`` says which section
    each posting is of.
    """
    frequency = normalised_frequency(Field.BODY, frequencies[Field.BODY], lengths, sections, statistics)
    for field in (Field.TITLE, Field.PATH):
        held = np.flatnonzero(frequencies[field] != 0)  # few: most postings are of the body alone
        if len(held):
            frequency[held] += normalised_frequency(
                field, frequencies[field][held], lengths, sections[held], statistics
            )
    denominator = frequency + np.float32(SATURATION)
    frequency *= np.float32(SATURATION + 1)
    frequency /= denominator
    return frequency


def normalised_frequency(
    field: Field,
    frequencies: ByteArray,
    lengths: Int32Array,
    sections: IntArray,
    statistics: FieldStatistics,
) -> ScoreArray:
    """The frequencies of one term in one field over the field's length normalisation, weighted."""
    b = LENGTH_NORMALISATION[field]
    divisor = lengths[field].take(sections).astype(np.float32)
    divisor *= np.float32(b / (FIELD_WEIGHTS[field] * statistics.mean_lengths[field]))
    divisor += np.float32((1 - b) / FIELD_WEIGHTS[field])
    normalised: ScoreArray = np.divide(frequencies, divisor, dtype=np.float32)
    return normalised
