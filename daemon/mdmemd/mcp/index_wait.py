"""Waiting until roots have been read, woken by what the engine publishes and never by a timer.

Invariants: the wait ends by itself after ``timeout_seconds``, however busy the engine is; progress is told at
most once every ``REPORT_SECONDS``. Runs on the event loop; the state that it looks at is in memory. One
object for each session; waits may overlap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from mdmemd.engine.report import RootState, RootStatus
from mdmemd.mcp.service import Service, StateChanges

REPORT_SECONDS = 0.5

Report = Callable[[float, float | None, str], Awaitable[None]]
"""Tells the client how far a call is: done, total where known, and one sentence."""


class IndexWait:
    """See the module."""

    def __init__(self, service: Service, state_changes: StateChanges) -> None:
        self._service = service
        self._state_changes = state_changes

    async def until_read(
        self, roots: tuple[str, ...], *, timeout_seconds: float, report: Report | None = None
    ) -> bool:
        """Wait until none of ``roots`` (none: all) is being read; tells whether that came in time."""
        changed = asyncio.Event()
        unsubscribe = self._state_changes(changed.set)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_seconds):
                    await self._watch(roots, changed, report)
        finally:
            unsubscribe()
        return not self._being_read(roots)

    async def _watch(self, roots: tuple[str, ...], changed: asyncio.Event, report: Report | None) -> None:
        loop = asyncio.get_running_loop()
        told_at = float("-inf")
        done = 0.0
        while busy := self._being_read(roots):
            if report is not None and loop.time() - told_at >= REPORT_SECONDS:
                told_at = loop.time()
                # A count that falls (a root that is read anew) would break the protocol: progress must grow.
                done = max(done, float(sum(status.documents for status in busy)))
                await report(done, _total(busy, done=done), _sentence(busy))
            await changed.wait()
            changed.clear()

    def _being_read(self, roots: tuple[str, ...]) -> list[RootStatus]:
        return [
            status
            for status in self._service.roots()
            if status.state is RootState.INDEXING and (not roots or status.name in roots)
        ]


def _total(busy: list[RootStatus], *, done: float) -> float | None:
    waiting = sum(status.pending_files for status in busy)
    return done + waiting if waiting else None


def _sentence(busy: list[RootStatus]) -> str:
    names = ", ".join(status.name for status in busy)
    waiting = sum(status.pending_files for status in busy)
    return f"Reading {names}: {waiting} files to go" if waiting else f"Looking at {names}"
