"""Where the watcher's thread leaves its hints and the writer finds them: one set a root, never a queue.

Invariants: however many hints come, the box holds one bounded ``PendingSet`` a root, and ``arrived`` is
called once a burst: by the first hint after the box was emptied. A hint that was put before ``take`` began is
in what it gives. ``put`` on the watcher's thread, ``take`` on the writer's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from mdmemd.model import RootId
from mdmemd.ports import Hint
from mdmemd.sync.pending import PendingSet


class HintBox:
    """See the module. ``arrived`` must only wake somebody."""

    def __init__(self, arrived: Callable[[], None]) -> None:
        self._arrived = arrived
        self._lock = threading.Lock()
        self._roots: dict[RootId, PendingSet] = {}

    def __bool__(self) -> bool:
        return bool(self._roots)

    def put(self, root_id: RootId, hint: Hint) -> None:
        """Leave a hint."""
        with self._lock:
            is_first = not self._roots
            self._roots.setdefault(root_id, PendingSet()).add(hint)
        if is_first:
            self._arrived()

    def take(self) -> dict[RootId, PendingSet]:
        """Everything that was left since the last time."""
        with self._lock:
            roots, self._roots = self._roots, {}
        return roots
