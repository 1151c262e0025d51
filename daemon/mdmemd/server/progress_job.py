"""A job on another thread that tells how far it is, until it ends or is left.

On the event loop. A request that is cancelled, also by its client going away, sets ``cancelled``, and the job
ends itself when it next looks. Progress is told at most ten times a second.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from mdmem_proto import messages as wire

PROGRESS_INTERVAL_SECONDS = 0.1
"""Between two events of one request, whatever it waits for."""

Result = TypeVar("Result")
Progress = Callable[[int, int], None]
Report = Callable[[wire.ProgressEvent], Awaitable[None]]


async def run_telling(
    job: Callable[[Progress, threading.Event], Result],
    *,
    phase: str,
    run: Callable[[Callable[[], Result]], Awaitable[Result]],
    report: Report,
) -> Result:
    """What ``job`` returns or raises; it gets a function that takes (done, total), and ``cancelled``."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[wire.ProgressEvent | None] = asyncio.Queue()
    cancelled = threading.Event()
    told_at = float("-inf")

    def progress(done: int, total: int) -> None:
        """On the thread of the job."""
        nonlocal told_at
        if time.monotonic() - told_at >= PROGRESS_INTERVAL_SECONDS or done == total:
            told_at = time.monotonic()
            loop.call_soon_threadsafe(events.put_nowait, wire.ProgressEvent(phase, done, total))

    running = asyncio.ensure_future(run(lambda: job(progress, cancelled)))
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            await report(event)
        return await running
    finally:
        cancelled.set()
        running.add_done_callback(_take_note)


def _take_note(job: asyncio.Future[Result]) -> None:
    """Look at the outcome of a job that nobody waits for any more, or asyncio complains."""
    if not job.cancelled():
        job.exception()
