"""``models.download``: run a download on a thread for long work, telling progress, until it ends or is left.

On the event loop. A request that is left ends the transfer at the next piece that arrives; what has come is
kept for the next request.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

from mdmem_proto import messages as wire
from mdmemd.engine.models import ModelEntry, Models
from mdmemd.server.convert_models import model_row
from mdmemd.server.progress_job import Progress, Report, run_telling


async def download_model(
    models: Models,
    params: wire.ModelDownloadParams,
    *,
    run_long: Callable[[Callable[[], ModelEntry]], Awaitable[ModelEntry]],
    report: Report,
) -> wire.ModelRow:
    """Raises what ``Models.download`` raises."""

    def download(progress: Progress, cancelled: threading.Event) -> ModelEntry:
        return models.download(params.name, licence=params.licence, progress=progress, cancelled=cancelled)

    return model_row(await run_telling(download, phase="download", run=run_long, report=report))
