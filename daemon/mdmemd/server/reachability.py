"""Keeps the daemon reachable at its path, or ends it when it is no longer the daemon of its instance.

Session managers and cleaners of temporary folders remove the folder that the socket lies in; without this the
daemon would live on, hold the lock, and be out of reach for good. ``check`` is called from time to time on
the event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from mdmemd.errors import OperatorError

log = logging.getLogger(__name__)

INTERVAL_SECONDS = 5.0
"""Between two checks, each two ``stat`` calls: how long a command may fail after the folder was removed."""


class Place(Protocol):
    """A listening socket in the file system."""

    def is_in_place(self) -> bool:
        """Whether clients that connect to the path reach it."""


class Reachability:
    """Watches one listening socket and the lock."""

    def __init__(
        self,
        place: Place,
        *,
        owns_lock: Callable[[], bool],
        listen_again: Callable[[], Awaitable[Place]],
        stop: Callable[[], None],
    ) -> None:
        self._place = place
        self._owns_lock = owns_lock
        self._listen_again = listen_again
        self._stop = stop

    async def check(self) -> None:
        """Listen again where the socket has gone; stop where the lock has."""
        if not self._owns_lock():
            log.error("the lock of this instance was removed; another daemon may serve it, so this one ends")
            self._stop()
        elif not self._place.is_in_place():
            try:
                self._place = await self._listen_again()
            except OperatorError as error:
                log.warning("the socket was removed and cannot be made again yet: %s", error)
            else:
                log.warning("the socket was removed; listening again")
