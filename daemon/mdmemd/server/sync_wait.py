"""``sync``: end when everything that was saved before it is searchable, telling progress meanwhile.

Runs on the event loop; woken by publications and released tickets, never by a timer. A root that is removed
meanwhile is waited for no longer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from mdmem_proto import messages as wire
from mdmemd.engine.following import Following, Sync
from mdmemd.engine.report import Progress
from mdmemd.engine.root_status import progress, root_status
from mdmemd.engine.service import Service
from mdmemd.engine.state import RootView
from mdmemd.errors import ModelUnavailableError, NotFoundError
from mdmemd.model import ModelState
from mdmemd.server.convert import progress_event, root_info
from mdmemd.server.root_wait import PROGRESS_INTERVAL_SECONDS


async def wait_for_sync(
    service: Service,
    begin: Callable[[Callable[[], None]], Awaitable[Sync]],
    params: wire.SyncParams,
    *,
    state_changes: Callable[[Callable[[], None]], Callable[[], None]],
    report: Callable[[wire.ProgressEvent], Awaitable[None]],
) -> wire.SyncResult:
    """Wait until the roots have what ``params`` asks for; ``begin`` begins a sync off the event loop.

    Raises ``NotFoundError`` where a folder is out of reach, and ``ModelUnavailableError`` where vectors are
    waited for that will never come.
    """
    changed = asyncio.Event()
    loop = asyncio.get_running_loop()
    unsubscribe = state_changes(changed.set)
    told_at = float("-inf")
    try:
        sync = await begin(lambda: _set_soon(loop, changed))
        while True:
            changed.clear()
            views = sync.views()
            if sync.is_indexed:
                _check_reach(views.values())
                if params.until == "keyword" or not _await_vectors(service, views.values()):
                    model = service.model()
                    return wire.SyncResult(
                        roots=tuple(root_info(root_status(view, model)) for view in views.values())
                    )
            now = loop.time()
            if now - told_at >= PROGRESS_INTERVAL_SECONDS:
                await report(progress_event(_progress(views.values())))
                told_at = now
            await changed.wait()
    finally:
        unsubscribe()


def begin_sync(
    following: Following,
    run_blocking: Callable[[Callable[[], Sync]], Awaitable[Sync]],
    params: wire.SyncParams,
) -> Callable[[Callable[[], None]], Awaitable[Sync]]:
    """How ``wait_for_sync`` begins: on the query pool, since the watcher may be waited for."""

    def begin(released: Callable[[], None]) -> Awaitable[Sync]:
        return run_blocking(lambda: following.begin_sync(roots=params.roots, released=released))

    return begin


def _set_soon(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """From the writer's thread; the client, or the whole daemon, may have gone meanwhile."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(event.set)


def _check_reach(views: Iterable[RootView]) -> None:
    for view in views:
        if view.missing is not None:
            raise NotFoundError(
                f"The folder of {view.spec.name} is out of reach: {view.missing}.", remedy="Check the disk."
            )


def _await_vectors(service: Service, views: Iterable[RootView]) -> bool:
    """Whether vectors are still to come."""
    if not any(view.awaited_vectors for view in views):
        return False
    model = service.model()
    if model.state is ModelState.FAILED:
        raise ModelUnavailableError(
            f"Everything is searchable by keywords only: {model.detail}",
            remedy="Repair the model, then stop and start the daemon.",
        )
    return True


def _progress(views: Iterable[RootView]) -> Progress:
    """All roots together: first files, then passages."""
    each = [progress(view) for view in views]
    phase = "index" if any(entry.phase == "index" for entry in each) else "embed"
    counted = [entry for entry in each if entry.phase == phase]
    return Progress(phase, sum(entry.done for entry in counted), sum(entry.total for entry in counted))
