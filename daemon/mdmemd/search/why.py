"""Why a section is on the page of a question, or what keeps it off.

Invariant: the section is judged exactly as the question judges those that compete, also where it is not among
them; what is said of it holds for this index and these files. Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mdmemd.index.arrays import IntArray
from mdmemd.index.scope import SectionHandle
from mdmemd.search.admission import Admitted, holds
from mdmemd.search.competition import Competition
from mdmemd.search.page import Contribution, Place, Question
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked


class WhyState(StrEnum):
    """Where a section stands."""

    SHOWN = "shown"
    BELOW = "below"
    COPY = "copy"
    EXCLUDED = "excluded"
    NO_PHRASE = "no_phrase"
    UNMATCHED = "unmatched"
    STALE = "stale"
    FILTERED = "filtered"
    NO_ANSWER = "no_answer"
    NOT_INDEXED = "not_indexed"


@dataclass(frozen=True, slots=True)
class Why:
    """Where the best of some sections stands.

    Attributes:
        sentence: the answer in words.
        place: the section, ``None`` where there is none to speak of.
        rank: among the hits of all pages, from 1; ``None`` where it is no hit.
        score: what it has, ``contributions`` what that is made of.
        last_score: of the last hit on the first page: what it takes to be there.
    """

    state: WhyState
    sentence: str
    place: Place | None = None
    rank: int | None = None
    score: float | None = None
    last_score: float | None = None
    contributions: tuple[Contribution, ...] = ()


def stand(
    competition: Competition,
    ranked: Iterator[Ranked],
    quoter: Quoter,
    question: Question,
    refs: IntArray,
) -> Why:
    """Where the best of the sections ``refs`` stands; they compete, unless they are excluded.

    ``ranked`` are all who compete, in the order of the page.
    """
    wanted = {_identity(competition.scope.section(int(ref))) for ref in refs}
    last_score: float | None = None
    found: tuple[Admitted, int] | None = None
    for rank, each, first_rank in _hits(competition, ranked, quoter, question):
        if found is None and _identity(each.ranked.section) in wanted:
            found = each, first_rank
        if rank <= question.limit:
            last_score = each.ranked.score
        if found is not None and rank >= question.limit:
            break
    if found is not None:
        each, first_rank = found
        state, sentence = _standing(first_rank, each.copy_of is not None, question)
        return _told(competition, each.ranked, state, sentence, last_score=last_score, rank=first_rank)
    best = next((each for each in competition.ranked() if _identity(each.section) in wanted), None)
    if best is None:
        is_excluded = any(ref in competition.excluded for ref in refs)
        if is_excluded:
            return Why(WhyState.EXCLUDED, "it holds what the question leaves out", last_score=last_score)
        return Why(WhyState.UNMATCHED, "it does not hold every word of the question", last_score=last_score)
    state, sentence = _refusal(competition, quoter, best)
    return _told(competition, best, state, sentence, last_score=last_score)


def _hits(
    competition: Competition, ranked: Iterator[Ranked], quoter: Quoter, question: Question
) -> Iterator[tuple[int, Admitted, int]]:
    """Rank of the hits so far, what was admitted, and the rank of the hit that it is or is a copy of."""
    ranks: dict[int, int] = {}
    rank = 0
    for each in competition.admitted(ranked, quoter, question.mode):
        if each.copy_of is None:
            rank += 1
            ranks[each.position] = rank
        yield rank, each, ranks[each.position if each.copy_of is None else each.copy_of]


def _standing(rank: int, is_copy: bool, question: Question) -> tuple[WhyState, str]:
    if is_copy:
        return WhyState.COPY, f"its text is that of hit {rank}, which names it as another place"
    if rank <= question.limit:
        return WhyState.SHOWN, f"it is hit {rank}"
    return WhyState.BELOW, f"it is hit {rank}, and the page has {question.limit}"


def _refusal(competition: Competition, quoter: Quoter, ranked: Ranked) -> tuple[WhyState, str]:
    """Why what was ranked is no hit."""
    section = ranked.section
    source = quoter.source(section.root, section.document)
    if source is None:
        return WhyState.STALE, "its file is not what was indexed, or could not be read"
    if not holds(source, section.record.lines, competition.query):
        return WhyState.NO_PHRASE, "it lacks a phrase that must be there, or holds one that must not"
    return WhyState.BELOW, "so many sections are better that it was not read"


def _told(
    competition: Competition,
    ranked: Ranked,
    state: WhyState,
    sentence: str,
    *,
    last_score: float | None,
    rank: int | None = None,
) -> Why:
    section, record = ranked.section, ranked.section.record
    return Why(
        state,
        sentence,
        Place(section.root, section.document.path, record.heading_path, record.part, record.lines),
        rank,
        ranked.score,
        last_score,
        competition.explain(ranked),
    )


def _identity(section: SectionHandle) -> tuple[str, str, int]:
    return section.root, section.document.path, section.index
