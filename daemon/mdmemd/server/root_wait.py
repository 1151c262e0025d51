"""``roots.wait``: end when a root is searchable, telling progress meanwhile.

Runs on the event loop; woken by publications, never by a timer. Progress is told at most ten times a second,
however often the writer publishes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mdmem_proto import messages as wire
from mdmemd.engine.report import RootState
from mdmemd.engine.root_status import progress, root_status
from mdmemd.engine.service import Service
from mdmemd.errors import ModelUnavailableError, NotFoundError
from mdmemd.model import ModelState
from mdmemd.server.convert import progress_event, root_info

PROGRESS_INTERVAL_SECONDS = 0.1


_ENDS = {
    "keyword": (RootState.EMBEDDING, RootState.READY, RootState.EMPTY, RootState.ASLEEP),
    "embedded": (RootState.READY, RootState.EMPTY, RootState.ASLEEP),
}


async def wait_for_root(
    service: Service,
    params: wire.RootWaitParams,
    *,
    state_changes: Callable[[Callable[[], None]], Callable[[], None]],
    report: Callable[[wire.ProgressEvent], Awaitable[None]],
) -> wire.RootInfo:
    """Wait until the root has what ``params`` asks for.

    Raises ``NotFoundError`` where the root is unknown, removed meanwhile or its folder is out of reach, and
    ``ModelUnavailableError`` where vectors are waited for that will never come.
    """
    changed = asyncio.Event()
    unsubscribe = state_changes(changed.set)
    loop = asyncio.get_running_loop()
    told_at = float("-inf")
    try:
        while True:
            changed.clear()
            view = service.root_view(params.name)
            status = root_status(view, service.model())
            if status.state is RootState.MISSING:
                raise NotFoundError(
                    f"The folder of {status.name} is out of reach: {status.detail}.", remedy="Check the disk."
                )
            if status.state in _ENDS[params.until]:
                _check_model(service, params)
                return root_info(status)
            now = loop.time()
            if now - told_at >= PROGRESS_INTERVAL_SECONDS:
                await report(progress_event(progress(view)))
                told_at = now
            await changed.wait()
    finally:
        unsubscribe()


def _check_model(service: Service, params: wire.RootWaitParams) -> None:
    model = service.model()
    if params.until == "embedded" and model.state is ModelState.FAILED:
        raise ModelUnavailableError(
            f"The root is searchable by keywords only: {model.detail}",
            remedy="Repair the model, then stop and start the daemon.",
        )
