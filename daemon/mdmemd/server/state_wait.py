"""Waiting for the published state: look, tell progress, sleep until something is published.

Woken by publications and by ``wake``, never by a timer; progress is told at most ten times a second, however
often the writer publishes. On the event loop. What is waited for is known to ``root_wait`` and ``sync_wait``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

from mdmemd.engine.report import ModelStatus, Progress
from mdmemd.engine.state import RootView
from mdmemd.errors import ModelUnavailableError, NotFoundError
from mdmemd.model import ModelState
from mdmemd.server.convert import progress_event
from mdmemd.server.progress_job import PROGRESS_INTERVAL_SECONDS, Report

T = TypeVar("T")
StateChanges = Callable[[Callable[[], None]], Callable[[], None]]
"""Has a function called after each publication; returns how to end that."""


class StateWait(Generic[T]):
    """One wait for a ``T``."""

    def __init__(self, *, state_changes: StateChanges, report: Report) -> None:
        self._state_changes = state_changes
        self._report = report
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def wake(self) -> None:
        """Have another look. Any thread; the client, or the whole daemon, may have gone meanwhile."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)

    async def until(self, begin: Callable[[], Awaitable[Callable[[], T | Progress]]]) -> T:
        """What the function that ``begin`` gives returns, as soon as that is no ``Progress``.

        ``begin`` runs when no publication is missed any more.
        """
        unsubscribe = self._state_changes(self._changed.set)
        told_at = float("-inf")
        try:
            look = await begin()
            while True:
                self._changed.clear()
                found = look()
                if not isinstance(found, Progress):
                    return found
                now = self._loop.time()
                if now - told_at >= PROGRESS_INTERVAL_SECONDS:
                    await self._report(progress_event(found))
                    told_at = now
                await self._changed.wait()
        finally:
            unsubscribe()


def check_reach(views: Iterable[RootView]) -> None:
    """Raises ``NotFoundError`` where a folder is out of reach: nothing of it will come."""
    for view in views:
        if view.missing is not None:
            raise NotFoundError(
                f"The folder of {view.spec.name} is out of reach: {view.missing}.", remedy="Check the disk."
            )


def check_model(model: ModelStatus, *, what: str) -> None:
    """Raises ``ModelUnavailableError`` where vectors of ``what`` will never come."""
    if model.state is ModelState.FAILED:
        raise ModelUnavailableError(
            f"{what} is searchable by keywords only: {model.detail}",
            remedy="Repair the model, then stop and start the daemon.",
        )
