"""``sync``: end when everything that was saved before it is searchable, telling progress meanwhile.

Woken by released tickets as well (``state_wait``). A root that is removed meanwhile is waited for no longer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from mdmem_proto import messages as wire
from mdmemd.engine.following import Following, Sync
from mdmemd.engine.report import Progress
from mdmemd.engine.root_status import progress, root_status
from mdmemd.engine.service import Service
from mdmemd.engine.state import RootView
from mdmemd.server.convert import root_info
from mdmemd.server.progress_job import Report
from mdmemd.server.state_wait import StateChanges, StateWait, check_model, check_reach


async def wait_for_sync(
    service: Service,
    begin: Callable[[Callable[[], None]], Awaitable[Sync]],
    params: wire.SyncParams,
    *,
    state_changes: StateChanges,
    report: Report,
) -> wire.SyncResult:
    """Wait until the roots have what ``params`` asks for; ``begin`` begins a sync off the event loop.

    Raises ``NotFoundError`` where a folder is out of reach, and ``ModelUnavailableError`` where vectors are
    waited for that will never come.
    """
    wait = StateWait[wire.SyncResult](state_changes=state_changes, report=report)

    async def begin_looking() -> Callable[[], wire.SyncResult | Progress]:
        sync = await begin(wait.wake)
        return lambda: _result(service, sync, params)

    return await wait.until(begin_looking)


def begin_sync(
    following: Following,
    run_blocking: Callable[[Callable[[], Sync]], Awaitable[Sync]],
    params: wire.SyncParams,
) -> Callable[[Callable[[], None]], Awaitable[Sync]]:
    """How ``wait_for_sync`` begins: on the query pool, since the watcher may be waited for."""

    def begin(released: Callable[[], None]) -> Awaitable[Sync]:
        return run_blocking(lambda: following.begin_sync(roots=params.roots, released=released))

    return begin


def _result(service: Service, sync: Sync, params: wire.SyncParams) -> wire.SyncResult | Progress:
    views, model = sync.views().values(), service.model()
    if not sync.is_indexed:
        return _progress(views)
    check_reach(views)
    if params.until != "keyword" and any(view.awaited_vectors for view in views):
        check_model(model, what="Everything")
        return _progress(views)
    return wire.SyncResult(roots=tuple(root_info(root_status(view, model)) for view in views))


def _progress(views: Iterable[RootView]) -> Progress:
    """All roots together: first files, then passages."""
    each = [progress(view) for view in views]
    phase = "index" if any(entry.phase == "index" for entry in each) else "embed"
    counted = [entry for entry in each if entry.phase == phase]
    return Progress(phase, sum(entry.done for entry in counted), sum(entry.total for entry in counted))
