"""From scored candidates to the order of the page.

Rules on top of the fused score: a section whose own heading is the question comes first; a heading without
any text of its own comes last; release notes, what has passed and, where the newest is asked for, what is old
stand back a little (``standing``).
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
from mdmemd.search.standing import Loss
from mdmemd.search.weights import (
    DATES_COMPARED_MAX,
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
    ``bonus`` is in the score for its heading, ``defines`` because it explains a name, ``losses`` are out of
    it, and ``moved`` is what a reranker gave or took.
    """

    section: SectionHandle
    score: float
    passage: int | None
    position: int
    bonus: float
    losses: tuple[Loss, ...] = ()
    defines: float = 0.0
    moved: float = 0.0


def rank(scope: Scope, candidates: Candidates, scores: FloatArray, *, query: ParsedQuery) -> Iterator[Ranked]:
    """The candidates by falling score, equal ones by path; each bears its loss when it first comes up."""
    bonus = _title_bonus(scope, candidates, query.text)
    scores = scores + bonus
    waiting = [(-round(score, SCORE_DIGITS), position) for position, score in enumerate(scores.tolist())]
    heapq.heapify(waiting)
    newest = _newest_day(scope, candidates, scores) if standing.asks_for_the_newest(query) else None
    lowered: dict[int, tuple[Loss, ...]] = {}
    while waiting:
        best = waiting[0][0]
        equals: list[Ranked] = []
        while waiting and waiting[0][0] == best:
            position = heapq.heappop(waiting)[1]
            section = scope.section(int(candidates.refs[position]))
            if position not in lowered and (losses := _losses(section, query, newest)):
                lowered[position] = losses
                loss = sum(each.value for each in losses)
                heapq.heappush(waiting, (round(best + loss, SCORE_DIGITS), position))
            else:
                passage = int(candidates.passages[position])
                chosen = passage if passage >= 0 else None
                found = lowered.get(position, ())
                equals.append(Ranked(section, -best, chosen, position, float(bonus[position]), found))
        yield from sorted(equals, key=path_order)


def _title_bonus(scope: Scope, candidates: Candidates, question: str) -> FloatArray:
    """``TITLE_BONUS`` for each candidate whose own heading (before any, the title) is the question."""
    asked = terms(question)
    bonus = np.zeros(len(candidates.refs), np.float32)
    full = np.flatnonzero(candidates.coverage > _FULL_COVERAGE)
    if len(full) > TITLES_READ_MAX:
        order = np.lexsort((scope.place_keys(candidates.refs[full]), -candidates.fractions[full]))
        full = full[order[:TITLES_READ_MAX]]
    for position in full.tolist():
        section = scope.section(int(candidates.refs[position]))
        heading_path = section.record.heading_path
        if terms(heading_path[-1] if heading_path else section.document.title) == asked:
            bonus[position] = TITLE_BONUS
    return bonus


def _losses(section: SectionHandle, query: ParsedQuery, newest: int | None) -> tuple[Loss, ...]:
    """What a section loses; ``newest`` is the day of the newest document where that is asked for."""
    empty = () if section.passages else (Loss("no text of its own", EMPTY_SECTION_LOSS),)
    document = section.document
    day = document.day
    age = None if newest is None or day is None else max(newest - day, 0)
    return (*empty, *standing.losses(document.path, document.status, query, age_days=age))


def _newest_day(scope: Scope, candidates: Candidates, scores: FloatArray) -> int | None:
    """Of the documents of the best sections; ``None`` where none has a date."""
    best = np.lexsort((scope.place_keys(candidates.refs), -scores))[:DATES_COMPARED_MAX]
    days = [scope.section(ref).document.day for ref in candidates.refs[best].tolist()]
    return max((day for day in days if day is not None), default=None)


def path_order(ranked: Ranked) -> tuple[str, list[str], int]:
    """What decides between equal scores."""
    section = ranked.section
    return (section.root, section.document.path.split("/"), section.index)
