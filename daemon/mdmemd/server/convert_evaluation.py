"""An evaluation to its wire struct, by hand. Pure; any thread."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.evaluation import Evaluation
from mdmemd.evaluate.comparison import Comparison
from mdmemd.evaluate.figures import Figures
from mdmemd.evaluate.run import QuestionResult

DIGITS = 4
"""A ten-thousandth is less than one question in any set."""


def evaluation_result(value: Evaluation) -> wire.EvalResult:
    """One run."""
    summary = value.summary
    return wire.EvalResult(
        mode=value.mode.value,
        limit=value.limit,
        figures=tuple(map(_figures, (*summary.figures, *value.baselines))),
        empty_wanted=summary.empty_wanted,
        empty_right=summary.empty_right,
        answers_known=summary.holdable,
        answers_held=summary.held,
        tokens=round(summary.tokens_mean, 1),
        tokens_median=summary.tokens_median,
        tokens_p95=summary.tokens_p95,
        tokens_max=summary.tokens_max,
        pages_known=summary.page_holdable,
        pages_held=summary.page_held,
        took_p50_ms=round(summary.took_p50_ms, 2),
        took_p95_ms=round(summary.took_p95_ms, 2),
        questions=tuple(map(_question, value.questions)),
        comparison=None if value.comparison is None else _comparison(value.comparison),
        notes=value.notes,
    )


def _question(value: QuestionResult) -> wire.EvalQuestion:
    return wire.EvalQuestion(
        name=value.name,
        query=value.query,
        kind=value.kind,
        rank=value.rank,
        ndcg5=round(value.ndcg, DIGITS),
        answerable=value.is_answerable,
        right=value.is_right,
        expected=value.expected,
        above=tuple(wire.EvalSection(each.root, each.path, each.heading_path) for each in value.above),
        answer_held=value.holds_answer,
        took_ms=round(value.took_ms, 2),
        tokens=value.tokens,
        page_held=value.page_holds_answer,
    )


def _figures(value: Figures) -> wire.EvalFigures:
    one, three, five, ten = (round(hit, DIGITS) for hit in value.hits)
    return wire.EvalFigures(
        system=value.system,
        kind=value.kind,
        questions=value.questions,
        mrr=round(value.mrr, DIGITS),
        hit1=one,
        hit3=three,
        hit5=five,
        hit10=ten,
        ndcg5=round(value.ndcg, DIGITS),
    )


def _comparison(value: Comparison) -> wire.EvalComparison:
    return wire.EvalComparison(
        questions=value.questions,
        unpaired=value.unpaired,
        differences=tuple(
            wire.EvalDifference(
                each.measure,
                *(round(part, DIGITS) for part in (each.before, each.after, each.low, each.high)),
            )
            for each in value.differences
        ),
        changes=tuple(wire.EvalChange(each.name, each.before, each.after) for each in value.changes),
    )
