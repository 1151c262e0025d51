"""Sync-to-now.

A ticket for a look at the disk, released when everything that the look found is in the published state.

Invariants: a ticket is released once, by the writer; it is never un-released. Waiting is bounded by the
    caller's budget. Issued on the query pool.
"""

from __future__ import annotations

import threading


class Ticket:
    """One waiter's claim on the writer; ``is_awaited`` is false where nobody really waits for it."""

    def __init__(self, *, is_awaited: bool = True) -> None:
        self.is_awaited = is_awaited
        self._done = threading.Event()
        self._applied = False

    def release(self, *, applied: bool = True) -> None:
        """Let the waiter go; ``applied`` is false where the writer stops before it got there."""
        self._applied = applied
        self._done.set()

    def wait(self, *, timeout_seconds: float) -> bool:
        """Whether everything was applied in time."""
        return self._done.wait(max(timeout_seconds, 0.0)) and self._applied
