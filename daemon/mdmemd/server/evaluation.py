"""``eval``: run a golden set on a thread of the query pool, telling progress, until it ends or is left.

On the event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

from mdmem_proto import messages as wire
from mdmemd.engine.evaluation import Evaluation, Evaluator, Watch
from mdmemd.evaluate.figures import Judged
from mdmemd.model import SearchMode
from mdmemd.server.convert_evaluation import evaluation_result
from mdmemd.server.progress_job import Progress, Report, run_telling


async def run_evaluation(
    evaluator: Evaluator,
    params: wire.EvalParams,
    *,
    run: Callable[[Callable[[], Evaluation]], Awaitable[Evaluation]],
    report: Report,
) -> wire.EvalResult:
    """Raises what ``Evaluator.run`` raises."""
    before = params.before.questions if params.before is not None else ()

    def evaluate(progress: Progress, cancelled: threading.Event) -> Evaluation:
        return evaluator.run(
            params.golden,
            roots=params.roots,
            mode=SearchMode(params.mode),
            limit=params.limit,
            baselines=params.baselines,
            before=[
                Judged(each.name, each.kind, each.rank, each.ndcg5, each.page_held)
                for each in before
                if each.answerable
            ],
            watch=Watch(progress, cancelled),
        )

    return evaluation_result(await run_telling(evaluate, phase="ask", run=run, report=report))
