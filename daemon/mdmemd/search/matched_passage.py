"""How well each passage of a section answers: it chooses the excerpt and what stands beside a pointer.

A passage is worth the share of the question's words that it names plus ``PASSAGE_COSINE_WEIGHT`` times its
cosine. Pure; called on the query pool for the few sections of a page, since it reads their text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mdmemd.index.snapshot import PassageRecord
from mdmemd.model import LineRange
from mdmemd.search.query import Concept
from mdmemd.search.weights import BLOCK_WORDS_WEIGHT, PASSAGE_COSINE_WEIGHT
from mdmemd.text.source import SourceText
from mdmemd.text.tokens import terms


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
    concepts: Sequence[Concept],
    idf: Sequence[float],
    cosines: Sequence[float],
) -> PassageScores:
    """The values of ``passages``; ``cosines`` are parallel to them, NaN or none where there is no vector."""
    total = sum(idf) or 1.0
    wanted = frozenset(term for concept in concepts for term in (*concept.names, *concept.parts))

    @functools.cache  # passages hold few of the question's terms, and so few distinct sets of them
    def share(found: frozenset[str]) -> float:
        named = (weight for concept, weight in zip(concepts, idf, strict=True) if is_named(concept, found))
        return sum(named) / total

    values: list[float] = []
    words: dict[LineRange, frozenset[str]] = {}
    blocks: dict[LineRange, tuple[float, float]] = {}
    for index, passage in enumerate(passages):
        found = wanted.intersection(terms(source.slice(passage.lines)))
        covered = share(found)
        cosine = cosines[index] if index < len(cosines) else math.nan
        value = covered + (0.0 if math.isnan(cosine) else PASSAGE_COSINE_WEIGHT * cosine)
        values.append(value)
        if passage.block not in words:
            words[passage.block] = wanted.intersection(_header(source, passage))
        words[passage.block] |= found
        blocks[passage.block] = max(blocks.get(passage.block, (-math.inf, 0.0)), (value, covered))
    return PassageScores(
        tuple(values),
        tuple(
            (block, value + BLOCK_WORDS_WEIGHT * max(0.0, share(words[block]) - covered))
            for block, (value, covered) in blocks.items()
        ),
    )


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
