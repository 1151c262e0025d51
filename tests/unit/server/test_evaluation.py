"""A golden set for a client: progress, its figures, and being left."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from mdmem_proto import messages as wire
from mdmemd.engine.evaluation import Evaluation, Watch
from mdmemd.errors import RefusedError
from mdmemd.evaluate.run import summary
from mdmemd.model import SearchMode
from mdmemd.server.evaluation import run_evaluation

CEILING_SECONDS = 20
PARAMS = wire.EvalParams(golden="[]", limit=7)


class FakeEvaluator:
    """``engine.evaluation.Evaluator``, of which a run asks two questions, or waits until it is cancelled."""

    def __init__(self, *, is_waiting: bool = False) -> None:
        self._is_waiting = is_waiting
        self.begun = threading.Event()
        self.ended = threading.Event()

    def run(self, golden: str, *, watch: Watch, limit: int, mode: SearchMode, **_: Any) -> Evaluation:
        assert (golden, limit, mode) == ("[]", 7, SearchMode.HYBRID)
        watch.total = 2
        self.begun.set()
        if self._is_waiting:
            assert watch.cancelled.wait(CEILING_SECONDS)
            self.ended.set()
            raise RefusedError("cancelled")
        watch.asked()
        watch.asked()
        return Evaluation(mode, limit, (), summary("hybrid", ()), (), None, ())


async def _run(evaluator: Any, events: list[wire.ProgressEvent]) -> wire.EvalResult:
    async def report(event: wire.ProgressEvent) -> None:
        events.append(event)

    return await run_evaluation(evaluator, PARAMS, run=asyncio.to_thread, report=report)


def test_progress_and_the_figures_are_told() -> None:
    events: list[wire.ProgressEvent] = []
    result = asyncio.run(_run(FakeEvaluator(), events))
    assert (result.mode, result.limit, result.tokens_max) == ("hybrid", 7, 0)
    assert events == [wire.ProgressEvent("ask", 1, 2), wire.ProgressEvent("ask", 2, 2)]


def test_a_run_that_is_left_is_ended() -> None:
    evaluator = FakeEvaluator(is_waiting=True)

    async def scenario() -> None:
        request = asyncio.create_task(_run(evaluator, []))
        await asyncio.to_thread(evaluator.begun.wait, CEILING_SECONDS)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert await asyncio.to_thread(evaluator.ended.wait, CEILING_SECONDS)

    asyncio.run(scenario())
