"""From scored candidates to the order of the page.

Rules on top of the fused score: a section whose own heading is the question comes first; a heading without
any text of its own comes last; release notes and what has passed stand back a little (``standing``).
Invariants: deterministic; scores fall along the order; equal scores stand in path order. Lazy: only the
sections that are asked for, and those that could be titled like the question, are read from the index. Pure;
called on the query pool.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.scope import Scope, SectionHandle
from mdmemd.search import standing
from mdmemd.search.candidates import Candidates
from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import (
    EMPTY_SECTION_LOSS,
    TITLE_BONUS,
    TITLES_READ_MAX,
)
from mdmemd.text.tokens import terms

FloatArray = npt.NDArray[np.float32]

SCORE_DIGITS = 5
"""Scores that agree to this many digits are equal: beyond them speaks the order of additions."""

_FULL_COVERAGE = 0.999


@dataclass(frozen=True, slots=True)
class Ranked:
    """One section on its way to the page.

    ``passage`` is the one that the vectors chose, if they did; ``position`` the place among the candidates;
    ``bonus`` is in the score for its heading, and ``moved`` what a reranker gave or took.
    """

    section: SectionHandle
    score: float
    passage: int | None
    position: int
    bonus: float
    moved: float = 0.0


def rank(scope: Scope, candidates: Candidates, scores: FloatArray, *, query: ParsedQuery) -> Iterator[Ranked]:
    """The candidates by falling score, equal ones by path; each bears its loss when it first comes up."""
    bonus = _title_bonus(scope, candidates, query.text)
    scores = scores + bonus
    waiting = [(-round(score, SCORE_DIGITS), position) for position, score in enumerate(scores.tolist())]
    heapq.heapify(waiting)
    lowered: set[int] = set()
    while waiting:
        best = waiting[0][0]
        equals: list[Ranked] = []
        while waiting and waiting[0][0] == best:
            position = heapq.heappop(waiting)[1]
            section = scope.section(int(candidates.refs[position]))
            loss = 0.0 if position in lowered else sum(lost for _, lost in losses(section, query))
            if loss:
                lowered.add(position)
                heapq.heappush(waiting, (round(best + loss, SCORE_DIGITS), position))
            else:
                passage = int(candidates.passages[position])
                chosen = passage if passage >= 0 else None
                equals.append(Ranked(section, -best, chosen, position, float(bonus[position])))
        yield from sorted(equals, key=_path_order)


def _title_bonus(scope: Scope, candidates: Candidates, question: str) -> FloatArray:
    """``TITLE_BONUS`` for each candidate whose own heading (before any, the title) is the question."""
    asked = terms(question)
    bonus = np.zeros(len(candidates.refs), np.float32)
    full = np.flatnonzero(candidates.coverage > _FULL_COVERAGE)
    order = np.lexsort((scope.place_keys(candidates.refs[full]), -candidates.fractions[full]))
    for position in full[order[:TITLES_READ_MAX]].tolist():
        section = scope.section(int(candidates.refs[position]))
        heading_path = section.record.heading_path
        if terms(heading_path[-1] if heading_path else section.document.title) == asked:
            bonus[position] = TITLE_BONUS
    return bonus


def losses(section: SectionHandle, query: ParsedQuery) -> tuple[tuple[str, float], ...]:
    """What a section loses, and for what."""
    empty = () if section.passages else (("no text of its own", EMPTY_SECTION_LOSS),)
    return (*empty, *standing.losses(section.document.path, section.document.status, query))


def _path_order(ranked: Ranked) -> tuple[str, list[str], int]:
    section = ranked.section
    return (section.root, section.document.path.split("/"), section.index)
