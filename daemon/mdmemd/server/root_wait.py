"""``roots.wait``: end when a root is searchable, telling progress meanwhile (``state_wait``)."""

from __future__ import annotations

from collections.abc import Callable

from mdmem_proto import messages as wire
from mdmemd.engine.report import Progress, RootState
from mdmemd.engine.root_status import progress, root_status
from mdmemd.engine.service import Service
from mdmemd.server.convert import root_info
from mdmemd.server.progress_job import Report
from mdmemd.server.state_wait import StateChanges, StateWait, check_model, check_reach

_ENDS = {
    "keyword": (RootState.EMBEDDING, RootState.READY, RootState.EMPTY, RootState.ASLEEP),
    "embedded": (RootState.READY, RootState.EMPTY, RootState.ASLEEP),
}


async def wait_for_root(
    service: Service, params: wire.RootWaitParams, *, state_changes: StateChanges, report: Report
) -> wire.RootInfo:
    """Wait until the root has what ``params`` asks for.

    Raises ``NotFoundError`` where the root is unknown, removed meanwhile or its folder is out of reach, and
    ``ModelUnavailableError`` where vectors are waited for that will never come.
    """

    def look() -> wire.RootInfo | Progress:
        view, model = service.root_view(params.name), service.model()
        check_reach([view])
        status = root_status(view, model)
        if status.state not in _ENDS[params.until]:
            return progress(view)
        if params.until == "embedded":
            check_model(model, what="The root")
        return root_info(status)

    async def begin() -> Callable[[], wire.RootInfo | Progress]:
        return look

    return await StateWait[wire.RootInfo](state_changes=state_changes, report=report).until(begin)
