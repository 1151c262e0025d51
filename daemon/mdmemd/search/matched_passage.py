"""How well each passage and each block of a section answers: it chooses what is quoted.

A passage is worth the share of the question's words that it names plus ``PASSAGE_COSINE_WEIGHT`` times its
cosine; a block is worth its best passage, a little more for words that its passages name between them, and a
share of its neighbours, since what surrounds an answer belongs to it. Pure; called on the query pool for the
few sections of a page, since it reads their text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mdmemd.index.snapshot import PassageRecord
from mdmemd.model import LineRange
from mdmemd.search.definition_start import begins_with
from mdmemd.search.query import Concept
from mdmemd.search.weights import (
    BLOCK_WORDS_WEIGHT,
    DEFINING_PASSAGE_WEIGHT,
    NEIGHBOUR_WEIGHT,
    PASSAGE_COSINE_WEIGHT,
)
from mdmemd.text.source import SourceText
from mdmemd.text.tokens import terms


class QuestionWords:
    """What a question asks for in words, and what each is worth: ``idf``, parallel to ``concepts``.

    ``names`` are those that it looks up (``definition_start``). Lives for one question on one thread.
    """

    def __init__(
        self, concepts: Sequence[Concept], idf: Sequence[float], *, names: Sequence[str] = ()
    ) -> None:
        self.names = names
        self._concepts = concepts
        self._idf = idf
        self._total = sum(idf) or 1.0
        self._wanted = frozenset(term for concept in concepts for term in (*concept.names, *concept.parts))
        # Passages hold few of the question's terms, and so few distinct sets of them.
        self._shares: dict[frozenset[str], float] = {}

    def among(self, found: Iterable[str]) -> frozenset[str]:
        """The terms of the question among ``found``."""
        return self._wanted.intersection(found)

    def share(self, found: frozenset[str]) -> float:
        """The share, 0..1, of the question that a text with the terms ``found`` of it names."""
        share = self._shares.get(found)
        if share is None:
            pairs = zip(self._concepts, self._idf, strict=True)
            share = sum(weight for concept, weight in pairs if is_named(concept, found)) / self._total
            self._shares[found] = share
        return share


@dataclass(frozen=True, slots=True)
class PassageScores:
    """What the passages of one section are worth, and the blocks that they stand in.

    Attributes:
        passages: one value a passage.
        blocks: the distinct blocks in order, each with its value.
    """

    passages: tuple[float, ...]
    blocks: tuple[tuple[LineRange, float], ...]

    @property
    def best(self) -> int:
        """The passage of the most value, the first of equals."""
        return max(range(len(self.passages)), key=lambda index: (self.passages[index], -index))


def passage_scores(
    source: SourceText,
    passages: Sequence[PassageRecord],
    *,
    words: QuestionWords,
    cosines: Sequence[float],
    first_defines: bool = False,
) -> PassageScores:
    """The values of ``passages``; ``cosines`` are parallel to them, NaN or none where there is no vector.

    Where the section ``first_defines`` what is asked for, what it begins with is worth as much as the best.
    """
    values: list[float] = []
    named: dict[LineRange, frozenset[str]] = {}
    blocks: dict[LineRange, tuple[float, float]] = {}
    for index, passage in enumerate(passages):
        text = source.slice(passage.lines)
        found = words.among(terms(text))
        covered = words.share(found)
        cosine = cosines[index] if index < len(cosines) else math.nan
        value = covered + (0.0 if math.isnan(cosine) else PASSAGE_COSINE_WEIGHT * cosine)
        if words.names and begins_with(text, words.names):
            value += DEFINING_PASSAGE_WEIGHT
        values.append(value)
        before = named[passage.block] if passage.block in named else words.among(_header(source, passage))
        named[passage.block] = before | found
        blocks[passage.block] = max(blocks.get(passage.block, (-math.inf, 0.0)), (value, covered))
    alone = [
        value + BLOCK_WORDS_WEIGHT * max(0.0, words.share(named[block]) - covered)
        for block, (value, covered) in blocks.items()
    ]
    together = _with_neighbours(alone)
    if first_defines and values:
        values[0], together[0] = max(values), max(together)
    return PassageScores(tuple(values), tuple(zip(blocks, together, strict=True)))


def _with_neighbours(values: Sequence[float]) -> list[float]:
    """Each value with ``NEIGHBOUR_WEIGHT`` of those beside it; beyond an edge is one of the least value."""
    edge = min(values, default=0.0)
    padded = [edge, *values, edge]
    return [
        value + NEIGHBOUR_WEIGHT * (before + after)
        for before, value, after in zip(padded, padded[1:], padded[2:], strict=False)
    ]


def _header(source: SourceText, passage: PassageRecord) -> list[str]:
    """The words of the first line of the passage's block, unless it is the passage's own.

    Of a table they name its columns.
    """
    first = passage.block.first
    return terms(source.slice(LineRange(first, first))) if first < passage.lines.first else []


def is_named(concept: Concept, found: frozenset[str]) -> bool:
    """Whether a text with the index terms ``found`` names the concept, as ``KeywordEvidence`` has it."""
    if any(name in found for name in concept.names):
        return True
    return bool(concept.parts) and not concept.is_identifier and all(part in found for part in concept.parts)
