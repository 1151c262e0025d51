"""From scored candidates to the order of the page.

Rules on top of the fused score: a section whose own heading is the question comes first; a heading without
any text of its own comes last; of the parts of one section the best speaks for all. Invariants:
deterministic; scores fall along the order; equal scores stand in path order. Pure; query pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.scope import Scope, SectionHandle, SectionRef
from mdmemd.search.candidates import Candidates
from mdmemd.search.weights import EMPTY_SECTION_LOSS, TITLE_BONUS
from mdmemd.text.tokens import terms

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One section on its way to the page; ``passage`` is the one that the vectors chose, if they did."""

    section: SectionHandle
    score: float
    passage: int | None


def rank(scope: Scope, candidates: Candidates, scores: FloatArray, *, question: str) -> list[Ranked]:
    """The candidates best first, one for each section however many parts it has."""
    asked = terms(question)
    ranked = [
        Ranked(
            section=(section := scope.section(SectionRef(ref))),
            score=round(score + _adjustment(section, asked), 5),
            passage=passage if passage >= 0 else None,
        )
        for ref, score, passage in zip(
            candidates.refs.tolist(), scores.tolist(), candidates.passages.tolist(), strict=True
        )
    ]
    ranked.sort(key=_order)
    return list(_without_further_parts(ranked))


def _adjustment(section: SectionHandle, asked: list[str]) -> float:
    heading_path = section.record.heading_path
    title = heading_path[-1] if heading_path else section.document.title
    if terms(title) == asked:
        return TITLE_BONUS
    return 0.0 if section.passages else -EMPTY_SECTION_LOSS


def _order(ranked: Ranked) -> tuple[float, str, list[str], int]:
    section = ranked.section
    return (-ranked.score, section.root, section.document.path.split("/"), section.index)


def _without_further_parts(ranked: list[Ranked]) -> Iterator[Ranked]:
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    for each in ranked:
        section = each.section
        key = (section.root, section.document.path, section.record.heading_path)
        if key not in seen:
            seen.add(key)
            yield each
