"""What the index must answer, computed slowly from the definition of BM25F and of the cosine.

Nothing here is shared with the index but the constants of the formula; numbers are double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.bm25 import FIELD_WEIGHTS, LENGTH_NORMALISATION, SATURATION
from mdmemd.index.postings import FREQUENCY_MAX
from mdmemd.index.term_columns import Field
from mdmemd.model import FloatVector, IndexedFile, ParsedDocument, Passage

Place = tuple[str, int]
"""A section: path of the document and position of the section in it."""


@dataclass(frozen=True, slots=True)
class OracleMatch:
    """One section that holds a term."""

    score: float
    matched: int


def bm25(
    files: Iterable[IndexedFile],
    terms: Sequence[tuple[str, float]],
    *,
    tokenize: Callable[[str], Sequence[str]],
) -> dict[Place, OracleMatch]:
    """All sections that hold at least one of the weighted terms."""
    fields = {
        (file.path, number): section_fields(file, number, tokenize)
        for file in files
        for number in range(len(file.document.sections))
    }
    means = {field: _mean([len(each[field]) for each in fields.values()]) for field in Field}
    found: dict[Place, OracleMatch] = {}
    weighted_idf = []
    for text, weight in terms:
        holding = sum(any(text in words for words in each.values()) for each in fields.values())
        weighted_idf.append(weight * math.log(1 + (len(fields) - holding + 0.5) / (holding + 0.5)))
    for place, each in fields.items():
        score = 0.0
        matched = 0
        for number, (text, _) in enumerate(terms):
            frequency = sum(_normalised(field, each[field], text, means[field]) for field in Field)
            if frequency:
                score += weighted_idf[number] * frequency * (SATURATION + 1) / (SATURATION + frequency)
                matched |= 1 << number
        if matched:
            found[place] = OracleMatch(score, matched)
    return found


def section_fields(
    file: IndexedFile, number: int, tokenize: Callable[[str], Sequence[str]]
) -> dict[Field, list[str]]:
    """The words of the three fields of one section."""
    document = file.document
    section = document.sections[number]
    title = section.heading_path[-1] if section.heading_path else document.title
    path = [*section.heading_path[:-1], document.title, file.path]
    return {
        Field.TITLE: list(tokenize(title)),
        Field.PATH: [word for text in path for word in tokenize(text)],
        Field.BODY: list(tokenize(section.text)),
    }


def nearest(
    files: Iterable[IndexedFile], vectors: Mapping[str, FloatVector], question: FloatVector
) -> list[tuple[float, Place, int]]:
    """Cosine, section and position in it of each passage with a vector, best first; vectors are by text."""
    ranked = []
    for file in files:
        positions: dict[int, int] = {}
        for passage in file.document.passages:
            position = positions.get(passage.section, 0)
            positions[passage.section] = position + 1
            vector = vectors.get(passage_text(file.document, passage))
            if vector is not None:
                ranked.append((_cosine(vector, question), (file.path, passage.section), position))
    return sorted(ranked, key=lambda each: -each[0])


def passage_text(document: ParsedDocument, passage: Passage) -> str:
    """The text that is embedded for a passage."""
    heading_path = document.sections[passage.section].heading_path
    return f"{' > '.join(heading_path) if heading_path else document.title}: {passage.text}"


def _normalised(field: Field, words: list[str], text: str, mean: float) -> float:
    b = LENGTH_NORMALISATION[field]
    frequency = min(words.count(text), FREQUENCY_MAX)
    return FIELD_WEIGHTS[field] * frequency / (1 - b + b * len(words) / mean)


def _mean(lengths: list[int]) -> float:
    return (sum(lengths) / len(lengths) if lengths else 0.0) or 1.0


def _cosine(left: FloatVector, right: FloatVector) -> float:
    a, b = left.astype(np.float64), right.astype(np.float64)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
