"""What has changed in the index of a root, newest last: a bounded memory for those who follow it.

Invariants: an entry is in the index of the published state with its tick, and of every later one; the
journal says from which tick on it knows everything. The writer's thread adds, any thread reads; one short
lock. Lives in memory only: after a start it begins anew, with ticks that are larger than any before.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from mdmemd.model import Tick

ENTRIES_MAX = 10_000


class ChangeKind(StrEnum):
    """What happened to a document."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one document; ``path_before`` is set where it was renamed.

    Attributes:
        tick: of the first published state that has it.
        at: unix seconds of its indexing.
    """

    tick: Tick
    at: float
    kind: ChangeKind
    path: str
    path_before: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes after a moment, oldest first; ``complete`` is false where older ones may be missing."""

    entries: tuple[Change, ...]
    complete: bool


class Journal:
    """The changes of one root. ``since`` and ``since_time`` are the moment from which on it is kept."""

    def __init__(self, *, since: Tick, since_time: float, entries_max: int = ENTRIES_MAX) -> None:
        self._lock = threading.Lock()
        self._entries: deque[Change] = deque(maxlen=entries_max)
        self._lost_tick, self._lost_at = since, since_time

    def add(self, changes: Iterable[Change]) -> None:
        """Append changes, forgetting the oldest beyond the bound."""
        with self._lock:
            for change in changes:
                if len(self._entries) == self._entries.maxlen:
                    self._lost_tick, self._lost_at = self._entries[0].tick, self._entries[0].at
                self._entries.append(change)

    def after_tick(self, tick: int) -> Changes:
        """Everything that the state of ``tick`` did not have yet."""
        with self._lock:
            found = tuple(change for change in self._entries if change.tick > tick)
            return Changes(found, complete=tick >= self._lost_tick)

    def after_time(self, at: float) -> Changes:
        """Everything that was indexed at or after ``at`` (unix seconds)."""
        with self._lock:
            found = tuple(change for change in self._entries if change.at >= at)
            return Changes(found, complete=at > self._lost_at)


class Journals:
    """The journals of all roots by name. The writer begins and ends them; any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._journals: dict[str, Journal] = {}

    def begin(self, name: str, *, since: Tick, since_time: float) -> Journal:
        """The journal of a root, a new one unless the root was only asleep."""
        with self._lock:
            return self._journals.setdefault(name, Journal(since=since, since_time=since_time))

    def rename(self, old: str, new: str) -> None:
        """A root has another name now."""
        with self._lock:
            if old in self._journals:
                self._journals[new] = self._journals.pop(old)

    def end(self, name: str) -> None:
        """Forget that of a removed root."""
        with self._lock:
            self._journals.pop(name, None)

    def of(self, name: str) -> Journal | None:
        """That of a root; ``None`` where the writer has not begun with it."""
        with self._lock:
            return self._journals.get(name)
