"""The watcher of Linux: one inotify instance and one thread for all roots.

Invariants: hints are given in the order of their events, those of one read each once; a caller of
``catch_up`` is released only after all hints of the reads up to its marker were given; after an overflow all
roots get a tree hint, which stands for whatever was lost. The thread blocks in poll(2) while nothing happens.
After a read it lets ``GATHER_SECONDS`` pass, in which the kernel merges repeated events (a log that grows),
unless somebody waits. ``step`` on the watcher's thread, all else on any.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

from mdmemd.adapters.watching.inotify import ARRIVALS_MASK, SELF_GONE, Descriptor, Event, Inotify, Watch
from mdmemd.adapters.watching.inotify_root import InotifyRoot
from mdmemd.adapters.watching.marker import Marker
from mdmemd.adapters.watching.mounts import polling_reason
from mdmemd.adapters.watching.polling import PollingRoot
from mdmemd.ports import Hint, RootWatch, WatchMode
from mdmemd.workers import Worker

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.01

MANY_EVENTS = 256
"""After a read of so many the queue may be filling up (16,384 by default): there is no time to gather."""

STOP_SECONDS_MAX = 5.0


class InotifyWatcher:
    """See the module. ``marker_folder`` is private to this daemon; it is made where it is not there.

    Raises ``OSError`` (EMFILE) where the user may have no more inotify instances.
    """

    def __init__(
        self, marker_folder: str, *, polling_reason: Callable[[str], str | None] = polling_reason
    ) -> None:
        self._inotify = Inotify()
        self._polling_reason = polling_reason
        self._roots: dict[InotifyRoot, Callable[[Hint], None]] = {}
        self._giving = threading.Lock()
        self._gathered: dict[tuple[InotifyRoot, Hint], None] = {}
        self._marker = Marker(marker_folder)
        self._marker_events = _MarkerEvents(self._marker)
        self._marker_watch: Watch | None = None
        self._marker_lock = threading.Lock()
        self._hurry = threading.Event()
        self._closed = False
        self._worker = Worker("watcher", self)
        self._worker.start()

    def open(
        self, folder: str, notify: Callable[[Hint], None], *, mode: WatchMode | None = None
    ) -> RootWatch:
        """See the port."""
        if mode is WatchMode.POLLING:
            return PollingRoot("set to polling")
        forced = mode is WatchMode.EVENTS
        if not forced and (reason := self._polling_reason(folder)):
            return PollingRoot(reason)
        root = InotifyRoot(
            self._inotify,
            folder,
            self._gather,
            forget=self._forget,
            polling_reason=(lambda _: None) if forced else self._polling_reason,
        )
        with self._giving:
            self._roots[root] = notify
        return root

    def catch_up(self, *, timeout_seconds: float) -> bool:
        """See the port."""
        if self._closed or not self._watch_marker():
            return False
        self._hurry.set()
        number = self._marker.ask()
        return number is not None and self._marker.wait(number, timeout_seconds=timeout_seconds)

    def close(self) -> None:
        """See the port."""
        with self._giving:
            self._closed = True
            roots = list(self._roots)
        for root in roots:
            root.close()
        self._worker.stop(timeout_seconds=STOP_SECONDS_MAX)
        self._marker.close()

    # --- the thread -----------------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:  # noqa: ARG002 - waits for ever
        """Wait for events and give their hints; see ``workers.Stepper``."""
        try:
            count = self._inotify.step()
        except Exception:
            for root in list(self._roots):
                root.hint("", is_tree=True)  # the rest of what was read is lost
            raise
        finally:
            self._give()
        if 0 < count < MANY_EVENTS and not self._closed:
            self._hurry.wait(GATHER_SECONDS)
            self._hurry.clear()
        return count > 0

    def wake(self) -> None:
        """End the waiting for good: an instance that is closed is not read again."""
        self._inotify.close()
        self._hurry.set()

    def _gather(self, root: InotifyRoot, hint: Hint) -> None:
        self._gathered[root, hint] = None

    def _give(self) -> None:
        gathered, self._gathered = self._gathered, {}
        for root, hint in gathered:
            with self._giving:
                if notify := self._roots.get(root):
                    notify(hint)
        self._marker.reached(self._marker_events.number)

    def _forget(self, root: InotifyRoot) -> None:
        with self._giving:
            self._roots.pop(root, None)

    def _watch_marker(self) -> bool:
        """Whether renames of the marker make events, as they do from the first call on."""
        with self._marker_lock:
            if self._marker_watch and not self._marker_events.is_lost:
                return True
            self._inotify.unwatch([self._marker_watch] if self._marker_watch else [])
            events = self._marker_events = _MarkerEvents(self._marker)
            try:
                self._marker.prepare()
                self._marker_watch = self._inotify.watch(self._marker.folder, ARRIVALS_MASK, events)
            except OSError as error:
                self._marker_watch = None
                log.warning("%s cannot be watched: %s", self._marker.folder, error.strerror)
            return self._marker_watch is not None


class _MarkerEvents:
    """Events of the marker's folder. ``number`` is the last marker that was read."""

    def __init__(self, marker: Marker) -> None:
        self._marker = marker
        self.number = 0
        self.is_lost = False

    def on_event(self, event: Event) -> None:
        self.is_lost = self.is_lost or bool(event.mask & SELF_GONE)
        self.number = max(self.number, self._marker.number(os.fsdecode(event.name)))

    def on_watch_deleted(self, wd: Descriptor) -> None:  # noqa: ARG002 - watchdog's
        self.is_lost = True

    def on_queue_overflow(self) -> None:
        # A marker may be among what was lost; the tree hints of this overflow cover all that came before it.
        self.number = self._marker.asked()
