"""``models.download``: run a download on a thread for long work, telling progress, until it ends or is left.

On the event loop. A request that is cancelled, also by its client going away, ends the transfer at the next
piece that arrives; what has come is kept for the next request. Progress is told at most ten times a second.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

from mdmem_proto import messages as wire
from mdmemd.engine.models import ModelEntry, Models
from mdmemd.server.convert_models import model_row

PROGRESS_INTERVAL_SECONDS = 0.1


async def download_model(
    models: Models,
    params: wire.ModelDownloadParams,
    *,
    run_long: Callable[[Callable[[], ModelEntry]], Awaitable[ModelEntry]],
    report: Callable[[wire.ProgressEvent], Awaitable[None]],
) -> wire.ModelRow:
    """Raises what ``Models.download`` raises."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[wire.ProgressEvent | None] = asyncio.Queue()
    cancelled = threading.Event()
    told_at = float("-inf")

    def progress(done: int, total: int) -> None:
        """On the thread of the download."""
        nonlocal told_at
        if time.monotonic() - told_at >= PROGRESS_INTERVAL_SECONDS or done == total:
            told_at = time.monotonic()
            loop.call_soon_threadsafe(events.put_nowait, wire.ProgressEvent("download", done, total))

    def download() -> ModelEntry:
        return models.download(params.name, licence=params.licence, progress=progress, cancelled=cancelled)

    job = asyncio.ensure_future(run_long(download))
    job.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            await report(event)
        return model_row(await job)
    finally:
        cancelled.set()
        job.add_done_callback(_take_note)


def _take_note(job: asyncio.Future[ModelEntry]) -> None:
    """Look at the outcome of a job that nobody waits for any more, or asyncio complains."""
    if not job.cancelled():
        job.exception()
