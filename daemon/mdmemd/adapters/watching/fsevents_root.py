"""The watch of one root by FSEvents: one recursive stream, of which only kept folders are told.

The stream also covers the marker's folder, because only within one stream the order of events means
something. Invariants: where the system says that it dropped or merged events, a tree hint follows; FSEvents
goes by paths, so a root that goes away and comes back needs nothing. Apple promises no order between volumes:
a root on another volume than the marker may get its hints a moment late. A file that is written to is told
when it is closed, not before. The stream runs on a thread of its own, which calls ``_on_events``; all else on
any thread. The flags are those of FSEvents.h.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from mdmemd.adapters.watching.marker import Marker
from mdmemd.ports import Hint, WatchMode, WatchStatus
from mdmemd.sync.watched_names import name_matters

log = logging.getLogger(__name__)

MUST_SCAN = 0x1 | 0x2 | 0x4
"""MustScanSubDirs, UserDropped, KernelDropped."""

WAY_CHANGED = 0x20 | 0x40 | 0x80
"""RootChanged, Mount, Unmount."""

IS_FOLDER = 0x20000

START_SECONDS_MAX = 5.0
STOP_SECONDS_MAX = 5.0

Events = Callable[[Sequence[bytes | str], Sequence[int], Sequence[int], Sequence[int]], None]
"""Called with paths, inodes, flags and numbers of events."""


class Stream(Protocol):
    """``_watchdog_fsevents.Stream``, an FSEvents stream over some folders."""

    def run(self, callback: Events, started: Callable[[], None], /) -> None:
        """Deliver events on the calling thread until it is stopped; raises where it cannot start."""

    def stop(self) -> None:
        """End ``run``, also one that has not begun. Any thread."""


class FsEventsRoot:
    """The ``RootWatch`` of the folder at an absolute path.

    ``give`` takes hints and ``reached`` the numbers of markers, both on the stream's thread.
    """

    def __init__(
        self,
        folder: str,
        marker: Marker,
        make_stream: Callable[[list[str]], Stream],
        *,
        give: Callable[[FsEventsRoot, Hint], None],
        reached: Callable[[FsEventsRoot, int], None],
        forget: Callable[[FsEventsRoot], None],
    ) -> None:
        self._folder = folder
        self._marker = marker
        self._give = give
        self._reached = reached
        self._forget = forget
        self._folders: frozenset[str] = frozenset()
        self._reason: str | None = None
        self._started = threading.Event()
        self._stream = make_stream([folder, marker.folder])
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Return when events are delivered, or when it is known why not: see ``status``."""
        self._thread.start()
        if not self._started.wait(START_SECONDS_MAX):
            self._fail("it does not start")
            self._stream.stop()

    def add(self, folder: str) -> None:
        """See the port."""
        self._folders |= {folder}

    def keep(self, folders: Collection[str]) -> None:
        """See the port."""
        self._folders &= frozenset(folders)

    def status(self) -> WatchStatus:
        """See the port: a root costs one stream."""
        if self._reason is None:
            return WatchStatus(WatchMode.EVENTS, None, 1)
        return WatchStatus(WatchMode.POLLING, self._reason, 0)

    def close(self) -> None:
        """See the port; closing again does nothing."""
        self._forget(self)
        self._stream.stop()
        self._thread.join(STOP_SECONDS_MAX)

    def _run(self) -> None:
        try:
            self._stream.run(self._on_events, self._started.set)
        except Exception as error:  # whatever it is, this root has no events any more, and the status says so
            log.exception("FSEvents of %s", self._folder)
            self._fail(str(error))
        finally:
            self._started.set()

    def _fail(self, why: str) -> None:
        self._reason = f"FSEvents failed: {why}"
        self._forget(self)

    def _on_events(
        self,
        paths: Sequence[bytes | str],
        inodes: Sequence[int],  # noqa: ARG002 - the stream's
        flags: Sequence[int],
        numbers: Sequence[int],  # noqa: ARG002
    ) -> None:
        reached = 0
        for raw, bits in zip(paths, flags, strict=True):
            path = os.fsdecode(raw).rstrip("/")
            if os.path.dirname(path) == self._marker.folder:
                reached = max(reached, self._marker.number(os.path.basename(path)))
            elif hint := self._hint(path, bits):
                self._give(self, hint)
        if reached:
            self._reached(self, reached)

    def _hint(self, path: str, bits: int) -> Hint | None:
        if bits & WAY_CHANGED or not path.startswith(f"{self._folder}/"):
            touches = bits & (WAY_CHANGED | MUST_SCAN) or path == self._folder
            return Hint("", is_tree=True) if touches else None
        relative = path[len(self._folder) + 1 :]
        if bits & MUST_SCAN:
            return Hint(relative, is_tree=True)
        folder, name = os.path.split(relative)
        if folder not in self._folders:
            return None
        if bits & IS_FOLDER:
            return Hint(relative, is_tree=True)
        return Hint(relative, is_tree=False) if name_matters(name) else None
