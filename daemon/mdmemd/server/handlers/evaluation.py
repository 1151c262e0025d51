"""Golden sets. Called on the query pool, one thread for as long as a run takes."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.evaluate.figures import Judged
from mdmemd.model import SearchMode
from mdmemd.server.convert_evaluation import evaluation_result
from mdmemd.server.handlers.backend import Backend


def run(backend: Backend, params: wire.EvalParams) -> wire.EvalResult:
    """Ask a golden set."""
    before = params.before.questions if params.before is not None else ()
    evaluation = backend.evaluator.run(
        params.golden,
        roots=params.roots,
        mode=SearchMode(params.mode),
        limit=params.limit,
        baselines=params.baselines,
        before=[Judged(each.name, each.kind, each.rank, each.ndcg5) for each in before if each.answerable],
    )
    return evaluation_result(evaluation)


def draft(backend: Backend, params: wire.EvalDraftParams) -> wire.EvalDraftResult:
    """Propose a golden set."""
    return wire.EvalDraftResult(
        golden=backend.evaluator.draft(roots=params.roots, questions_max=params.questions)
    )
