"""A watcher over ``FakeFiles``, behind the same port and contract suite as the real ones.

It queues hints as a kernel does and gives them on ``deliver`` or ``catch_up``, on the thread that calls
these. A test may lose events, take the watches of a root away, or make catching up fail.
"""

from __future__ import annotations

import posixpath
import threading
from collections import deque
from collections.abc import Callable, Collection

from mdmem_testkit.fake_files import FakeFiles
from mdmemd.ports import Hint, WatchMode, WatchStatus
from mdmemd.sync.watched_names import name_matters


class FakeRootWatch:
    """The watch of one root; ``folders`` are what it watches now."""

    def __init__(
        self,
        files: FakeFiles,
        folder: str,
        queue: Callable[[FakeRootWatch, Hint], None],
        notify: Callable[[Hint], None],
        mode: WatchMode,
    ) -> None:
        self.folder = folder
        self.folders: set[str] = set()
        self.notify = notify
        self.is_closed = False
        self._files = files
        self._queue = queue
        self._mode = mode
        self._reason = None if mode is WatchMode.EVENTS else "asked for"

    def add(self, folder: str) -> None:
        """See the port."""
        path = posixpath.join(self.folder, folder) if folder else self.folder
        if self._mode is WatchMode.EVENTS and not self.is_closed and self._files.is_directory(path):
            self.folders.add(folder)

    def keep(self, folders: Collection[str]) -> None:
        """See the port."""
        self.folders.intersection_update(folders)

    def status(self) -> WatchStatus:
        """See the port."""
        return WatchStatus(self._mode, self._reason, len(self.folders))

    def close(self) -> None:
        """See the port."""
        self.is_closed = True
        self.folders.clear()

    def become_polling(self, reason: str) -> None:
        """As a limit does: no watches and no hints any more, and only ``status`` says so."""
        self._mode = WatchMode.POLLING
        self._reason = reason
        self.folders.clear()

    def changed(self, path: str, *, is_folder: bool) -> None:
        """Something was made, changed or removed at an absolute path."""
        if self._mode is WatchMode.POLLING or self.is_closed:
            return
        if f"{self.folder}/".startswith(f"{path}/"):
            self._lose("")
        elif path.startswith(f"{self.folder}/"):
            relative = path[len(self.folder) + 1 :]
            folder, name = posixpath.split(relative)
            if folder in self.folders and is_folder:
                self._lose(relative)
            elif folder in self.folders and name_matters(name):
                self._queue(self, Hint(relative, is_tree=False))

    def _lose(self, folder: str) -> None:
        if folder:
            self.folders = {
                name for name in self.folders if name != folder and not name.startswith(f"{folder}/")
            }
        else:
            self.folders.clear()
        self._queue(self, Hint(folder, is_tree=True))


class FakeWatcher:
    """See the module. ``catches_up`` false makes ``catch_up`` fail, with nothing delivered."""

    def __init__(self, files: FakeFiles) -> None:
        self.roots: dict[str, FakeRootWatch] = {}
        self.catches_up = True
        self.catch_ups = 0
        self._files = files
        self._waiting: deque[tuple[FakeRootWatch, Hint]] = deque()
        self._lock = threading.Lock()
        files.on_change(self._on_change)

    def open(
        self, folder: str, notify: Callable[[Hint], None], *, mode: WatchMode | None = None
    ) -> FakeRootWatch:
        """See the port; the last watch of each folder is in ``roots``."""
        root = FakeRootWatch(self._files, folder, self._put, notify, mode or WatchMode.EVENTS)
        self.roots[folder] = root
        return root

    def catch_up(self, *, timeout_seconds: float) -> bool:
        """See the port."""
        self.catch_ups += 1
        if self.catches_up:
            self.deliver()
        return self.catches_up

    def close(self) -> None:
        """See the port."""
        for root in self.roots.values():
            root.close()

    def deliver(self) -> None:
        """Give all hints that wait, in order."""
        with self._lock:
            while self._waiting:
                root, hint = self._waiting.popleft()
                if not root.is_closed and root.status().mode is WatchMode.EVENTS:
                    root.notify(hint)

    def overflow(self) -> None:
        """Lose everything that waits, and say so of every root."""
        self._waiting.clear()
        for root in self.roots.values():
            if root.status().mode is WatchMode.EVENTS:
                self._put(root, Hint("", is_tree=True))

    def _put(self, root: FakeRootWatch, hint: Hint) -> None:
        self._waiting.append((root, hint))

    def _on_change(self, path: str, is_folder: bool) -> None:
        for root in list(self.roots.values()):
            root.changed(path, is_folder=is_folder)
