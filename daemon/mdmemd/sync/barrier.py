"""Sync-to-now.

A ticket for what has happened on disk, released when all of it is in the published state.

Invariants: a ticket is released once, by the writer; it is never un-released. Waiting is bounded by the
    caller's budget. Issued on the query pool.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Ticket:
    """One waiter's claim on the writer.

    Attributes:
        is_awaited: false where nobody really waits for it.
        needs_all: a backlog is waited for too, and not only what was just saved.
    """

    def __init__(
        self,
        *,
        is_awaited: bool = True,
        needs_all: bool = False,
        on_release: Callable[[], object] = lambda: None,
    ) -> None:
        """``on_release`` is called on the thread that releases, and must only wake somebody."""
        self.is_awaited = is_awaited
        self.needs_all = needs_all
        self._on_release = on_release
        self._done = threading.Event()
        self._applied = False

    @property
    def is_applied(self) -> bool:
        """Whether everything is in the published state."""
        return self._applied

    @property
    def is_released(self) -> bool:
        """Whether the writer has let it go, for whatever reason."""
        return self._done.is_set()

    def release(self, *, applied: bool = True) -> None:
        """Let the waiter go; ``applied`` is false where the writer stops before it got there."""
        self._applied = applied
        self._done.set()
        self._on_release()

    def wait(self, *, timeout_seconds: float) -> bool:
        """Whether everything was applied in time."""
        return self._done.wait(max(timeout_seconds, 0.0)) and self._applied
