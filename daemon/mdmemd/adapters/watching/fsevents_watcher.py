"""The watcher of macOS: an FSEvents stream and a thread for each root, through watchdog's extension module.

``watchdog.observers`` is not used: it guesses what happened from several flags, while here only the path
counts, and it cannot put the marker into the stream of a root. A caller of ``catch_up`` is released when the
streams of all roots have come to its marker. The extension exists on macOS only; tests bring their own.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable

from mdmemd.adapters.watching.fsevents_root import FsEventsRoot, Stream
from mdmemd.adapters.watching.marker import Marker
from mdmemd.adapters.watching.mounts import polling_reason
from mdmemd.adapters.watching.polling import PollingRoot
from mdmemd.ports import Hint, RootWatch, WatchMode

LATENCY_SECONDS = 0.01
"""How long FSEvents gathers events after the first, which it delivers at once."""

MakeStream = Callable[[list[str]], Stream]


def native_stream() -> MakeStream:
    """How to make a stream over some folders. Raises ``ImportError`` where there is no FSEvents."""
    extension = importlib.import_module("_watchdog_fsevents")
    return lambda folders: extension.Stream(folders, latency=LATENCY_SECONDS)


class FsEventsWatcher:
    """See the module. Raises ``OSError`` where ``marker_folder`` cannot be made."""

    def __init__(
        self,
        marker_folder: str,
        *,
        make_stream: MakeStream,
        polling_reason: Callable[[str], str | None] = polling_reason,
    ) -> None:
        os.makedirs(marker_folder, mode=0o700, exist_ok=True)
        self._marker = Marker(os.path.realpath(marker_folder))
        self._marker.prepare()
        self._make_stream = make_stream
        self._polling_reason = polling_reason
        self._lock = threading.Lock()
        self._roots: dict[FsEventsRoot, Callable[[Hint], None]] = {}
        self._reached: dict[FsEventsRoot, int] = {}

    def open(
        self, folder: str, notify: Callable[[Hint], None], *, mode: WatchMode | None = None
    ) -> RootWatch:
        """See the port."""
        if mode is WatchMode.POLLING:
            return PollingRoot("set to polling")
        if mode is None and (reason := self._polling_reason(folder)):
            return PollingRoot(reason)
        root = FsEventsRoot(
            folder,
            self._marker,
            self._make_stream,
            give=self._give,
            reached=self._on_reached,
            forget=self._forget,
        )
        with self._lock:
            self._roots[root] = notify
            self._reached[root] = self._marker.asked()
        root.start()
        return root

    def catch_up(self, *, timeout_seconds: float) -> bool:
        """See the port."""
        number = self._marker.ask()
        if number is None:
            return False
        self._release()
        return self._marker.wait(number, timeout_seconds=timeout_seconds)

    def close(self) -> None:
        """See the port."""
        for root in list(self._roots):
            root.close()
        self._marker.close()

    def _give(self, root: FsEventsRoot, hint: Hint) -> None:
        with self._lock:
            if notify := self._roots.get(root):
                notify(hint)

    def _on_reached(self, root: FsEventsRoot, number: int) -> None:
        with self._lock:
            if root in self._reached:
                self._reached[root] = max(number, self._reached[root])
        self._release()

    def _forget(self, root: FsEventsRoot) -> None:
        with self._lock:
            self._roots.pop(root, None)
            self._reached.pop(root, None)
        self._release()

    def _release(self) -> None:
        """Tell the marker how far all streams are; with no stream nobody has to be waited for."""
        asked = self._marker.asked()
        with self._lock:
            number = min(self._reached.values(), default=asked)
        self._marker.reached(number)
