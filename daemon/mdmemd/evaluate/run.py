"""One run over a golden set: what each question got, and the figures over all of them.

Invariants: measures nothing itself: it is given the answers of the product; a run knows enough of each
question to be compared later, query by query, with another. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mdmemd.evaluate.figures import Figures, Judged, figures, mean, percentile
from mdmemd.evaluate.golden import GoldenQuestion, GoldenSet, SectionKey
from mdmemd.evaluate.judgement import Judgement

ABOVE_SHOWN_MAX = 3
"""Hits above the one expected that a miss is explained by."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one question got.

    Attributes:
        hits: the ranked sections, best first, without repetitions.
        took_ms: of the page of those.
        shown: the sections of the answer that a caller gets who sets nothing.
        excerpt: what that quotes of its first hit.
        text: all that it quotes.
        tokens: what it costs.
    """

    hits: tuple[SectionKey, ...]
    took_ms: float
    shown: tuple[SectionKey, ...] = ()
    excerpt: str = ""
    text: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question of a run.

    Attributes:
        name: as in the golden set.
        query: what was asked.
        kind: its group.
        rank: of the first section that answers, from 1; ``None``: not on the page, or nothing is expected.
        ndcg: 0..1; 0 where nothing is expected.
        is_answerable: whether anything is expected.
        is_right: found first, or an empty page where that is right; ``None`` where nothing is expected and
            any page is as good.
        expected: the labels as a person names them.
        above: the first sections that stood above the one expected.
        holds_answer: whether the first excerpt has the golden answer; ``None`` where no answer is given or
            another section was first.
        page_holds_answer: whether anything that the default answer quotes has it; ``None`` where no answer is
            given or no section that answers is on it.
        took_ms: of the answer within the daemon.
        tokens: of the default answer.
    """

    name: str
    query: str
    kind: str
    rank: int | None
    ndcg: float
    is_answerable: bool
    is_right: bool | None
    expected: tuple[str, ...]
    above: tuple[SectionKey, ...]
    holds_answer: bool | None
    page_holds_answer: bool | None
    took_ms: float
    tokens: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Costs are over all questions.

    ``held`` of ``holdable`` first excerpts hold the golden answer, ``page_held`` of ``page_holdable`` pages.
    """

    figures: tuple[Figures, ...]
    empty_wanted: int
    empty_right: int
    holdable: int
    held: int
    page_holdable: int
    page_held: int
    tokens_mean: float
    tokens_median: int
    tokens_p95: int
    tokens_max: int
    took_p50_ms: float
    took_p95_ms: float


def results(
    golden: GoldenSet, judgements: Mapping[str, Judgement], answers: Mapping[str, Answered]
) -> tuple[QuestionResult, ...]:
    """Every question with what it got, in the order of the set."""
    return tuple(
        _result(question, judgements.get(question.name), answers[question.name])
        for question in golden.questions
    )


def summary(system: str, found: Sequence[QuestionResult]) -> RunSummary:
    """The figures of one run of the product."""
    first = [each.holds_answer for each in found if each.holds_answer is not None]
    pages = [each.page_holds_answer for each in found if each.page_holds_answer is not None]
    empty = [each.is_right for each in found if not each.is_answerable and each.is_right is not None]
    times = [each.took_ms for each in found]
    tokens = [each.tokens for each in found]
    return RunSummary(
        figures=figures(system, judged(found)),
        empty_wanted=len(empty),
        empty_right=sum(empty),
        holdable=len(first),
        held=sum(first),
        page_holdable=len(pages),
        page_held=sum(pages),
        tokens_mean=mean(tokens),
        tokens_median=int(percentile(tokens, 0.5)),
        tokens_p95=int(percentile(tokens, 0.95)),
        tokens_max=max(tokens, default=0),
        took_p50_ms=percentile(times, 0.5),
        took_p95_ms=percentile(times, 0.95),
    )


def judged(found: Sequence[QuestionResult]) -> tuple[Judged, ...]:
    """What can be averaged and compared: the answerable questions."""
    return tuple(
        Judged(each.name, each.kind, each.rank, each.ndcg, each.page_holds_answer)
        for each in found
        if each.is_answerable
    )


def _result(question: GoldenQuestion, judgement: Judgement | None, answer: Answered) -> QuestionResult:
    rank = judgement.rank(answer.hits) if judgement else None
    is_known = bool(question.answer.alternatives) and judgement is not None
    is_on_page = judgement is not None and judgement.rank(answer.shown) is not None
    return QuestionResult(
        name=question.name,
        query=question.query,
        kind=question.kind,
        rank=rank,
        ndcg=judgement.ndcg(answer.hits) if judgement else 0.0,
        is_answerable=question.is_answerable,
        is_right=rank == 1 if judgement else not answer.hits if question.is_identifier else None,
        expected=tuple(map(str, question.labels)),
        above=answer.hits[: min(ABOVE_SHOWN_MAX, (rank or len(answer.hits) + 1) - 1)],
        holds_answer=question.answer.is_held_by(answer.excerpt) if is_known and rank == 1 else None,
        page_holds_answer=question.answer.is_held_by(answer.text) if is_known and is_on_page else None,
        took_ms=answer.took_ms,
        tokens=answer.tokens,
    )
