"""The files of one root that differ from the index, in the order in which they shall be read.

Invariants: a path is here once, with the newest fingerprint that was seen; what was just saved comes before
the backlog of a walk, and of both the newest first. Taking one is O(1). Pure; the writer's thread.
"""

from __future__ import annotations

from collections.abc import Mapping

from mdmemd.model import Fingerprint


class ReadQueue:
    """See the module."""

    def __init__(self) -> None:
        # Both are stacks: the end is read first.
        self._fresh: dict[str, Fingerprint] = {}
        self._backlog: dict[str, Fingerprint] = {}

    def __len__(self) -> int:
        return len(self._fresh) + len(self._backlog)

    def __contains__(self, path: object) -> bool:
        return path in self._fresh or path in self._backlog

    @property
    def fresh(self) -> int:
        """How many have just been saved."""
        return len(self._fresh)

    def put(self, files: Mapping[str, Fingerprint], *, fresh: bool) -> None:
        """Put these before all others of their class, the newest of them first."""
        for path in files:
            self.discard(path)
        stack = self._fresh if fresh else self._backlog
        for path in sorted(files, key=lambda path: files[path].mtime_ns):
            stack[path] = files[path]

    def sort(self) -> None:
        """Order the whole backlog, newest first: when a walk has put it together folder by folder."""
        self._backlog = dict(sorted(self._backlog.items(), key=lambda item: item[1].mtime_ns))

    def discard(self, path: str) -> None:
        """Forget a path, if it is here."""
        self._fresh.pop(path, None)
        self._backlog.pop(path, None)

    def take(self) -> tuple[str, Fingerprint]:
        """The next file, taken out; ``KeyError`` where there is none."""
        return (self._fresh or self._backlog).popitem()

    def paths(self) -> tuple[str, ...]:
        """All of them, in no order."""
        return (*self._fresh, *self._backlog)

    def clear(self) -> None:
        """Forget all."""
        self._fresh.clear()
        self._backlog.clear()
