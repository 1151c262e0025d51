"""Notices that roots have come, gone or moved, for clients that show what there is.

Begins when somebody has seen the roots, so that sessions that only call tools cost nothing. Woken by
publications; a burst of them is one look, ``SETTLE_SECONDS`` after its first. Event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mdmemd.mcp.service import Service, StateChanges

SETTLE_SECONDS = 0.2


class RootsNotice:
    """Calls ``tell`` after each change of the set of roots that comes after ``shown`` was set."""

    def __init__(
        self,
        service: Service,
        state_changes: StateChanges,
        *,
        shown: asyncio.Event,
        tell: Callable[[], Awaitable[None]],
        settle_seconds: float = SETTLE_SECONDS,
    ) -> None:
        self._service = service
        self._state_changes = state_changes
        self._shown = shown
        self._tell = tell
        self._settle_seconds = settle_seconds

    async def run(self) -> None:
        """Watch; ends only by cancellation."""
        await self._shown.wait()
        changed = asyncio.Event()
        unsubscribe = self._state_changes(changed.set)
        known = self._roots()
        try:
            while True:
                await changed.wait()
                await asyncio.sleep(self._settle_seconds)
                changed.clear()
                if (roots := self._roots()) != known:
                    known = roots
                    await self._tell()
        finally:
            unsubscribe()

    def _roots(self) -> frozenset[tuple[str, str]]:
        return frozenset((status.name, status.path) for status in self._service.roots())
