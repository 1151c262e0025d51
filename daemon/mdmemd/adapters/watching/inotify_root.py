"""The watch of one root by inotify: one watch a kept folder, and one on each folder that leads to the root.

Invariants: whenever a watch is dropped without being asked for, a tree hint for its folder follows, so that
whoever walks that folder again puts it back; a folder that was moved away is dropped with all below it, so
nothing is told under a path where it no longer is; where the system allows no more watches, the root gives
all of its own back and is polled until it is opened again. The folders above are watched only for the next
name on the way: a root that is moved, deleted, made again or replaced is noticed at any level. ``add``,
``keep``, ``close`` on any thread, events on the watcher's.

No event comes of a file system that is mounted over a folder, of a file that is changed by another name
elsewhere (a hard link, the target of a link), and of memory-mapped writes before the file is closed: only a
look at the disk finds these.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Collection

from mdmemd.adapters.watching.inotify import (
    ARRIVALS_MASK,
    ARRIVED,
    FOLDER_MASK,
    IS_FOLDER,
    MOVED_AWAY,
    OWN_FOLDER_MASK,
    SELF_GONE,
    Descriptor,
    Event,
    Inotify,
    Watch,
)
from mdmemd.adapters.watching.limits import watches_reason
from mdmemd.ports import Hint, WatchMode, WatchStatus
from mdmemd.sync.watched_names import name_matters


class InotifyRoot:
    """The ``RootWatch`` of the folder at an absolute path.

    ``give`` takes each hint on the watcher's thread; when ``forget`` has returned, none is passed on.
    ``polling_reason`` says of a folder on another file system why it has to be polled, ``None`` where it
    need not be.
    """

    def __init__(
        self,
        inotify: Inotify,
        folder: str,
        give: Callable[[InotifyRoot, Hint], None],
        *,
        forget: Callable[[InotifyRoot], None],
        polling_reason: Callable[[str], str | None],
    ) -> None:
        self._inotify = inotify
        self._folder = folder
        self._give = give
        self._forget = forget
        self._polling_reason = polling_reason
        self._lock = threading.Lock()
        self._watches: dict[str, Watch] = {}
        self._way: list[Watch] = []
        self._device: int | None = None
        self._reason: str | None = None
        self._closed = False

    def add(self, folder: str) -> None:
        """See the port."""
        with self._lock:
            if self._closed or self._reason is not None:
                return
            try:
                if not folder and not self._way:
                    self._watch_way()
                self._watch(folder)
            except OSError as error:
                self._become_polling(
                    watches_reason()
                    if error.errno == errno.ENOSPC
                    else f"inotify failed: {error.strerror or error}"
                )

    def keep(self, folders: Collection[str]) -> None:
        """See the port."""
        kept = frozenset(folders)
        with self._lock:
            self._drop([folder for folder in self._watches if folder not in kept])

    def status(self) -> WatchStatus:
        """See the port; the folders above the root, which roots share, do not count."""
        with self._lock:
            mode = WatchMode.EVENTS if self._reason is None else WatchMode.POLLING
            return WatchStatus(mode, self._reason, len(self._watches))

    def close(self) -> None:
        """See the port; closing again does nothing."""
        with self._lock:
            self._closed = True
            self._drop_all()
        self._forget(self)

    # --- the watcher's thread -------------------------------------------------------------------------------

    def folder_event(self, folder: str, event: Event) -> None:
        """Something happened in a watched folder, or to it."""
        if event.mask & SELF_GONE:
            self.lost(folder, with_all_below=bool(event.mask & MOVED_AWAY))
            return
        if not event.name:
            if not folder:  # of other folders the one above tells the same, with the name
                self.hint("", is_tree=True)
            return
        name = os.fsdecode(event.name)
        path = f"{folder}/{name}" if folder else name
        is_folder = bool(event.mask & IS_FOLDER)
        if is_folder or name_matters(name):
            self.hint(path, is_tree=is_folder)

    def lost(self, folder: str, *, with_all_below: bool) -> None:
        """The folder that was watched is there no more.

        A folder can be deleted only when it is empty: its folders were lost before it. To look for them all
        the same would cost a walk of all watches for each folder of a tree that is deleted.
        """
        if not folder:
            self.way_changed()
            return
        inside = f"{folder}/"
        with self._lock:
            below = [name for name in self._watches if name.startswith(inside)] if with_all_below else []
            self._drop([folder, *below] if folder in self._watches else below)
        self.hint(folder, is_tree=True)

    def way_changed(self) -> None:
        """The root, or a folder that leads to it, went away or is there again."""
        with self._lock:
            if self._closed or self._reason is not None:
                return
            self._drop_all()
            try:
                self._watch_way()
            except OSError:
                self._drop_all()  # the next ``add`` meets the same limit, and says so
        self.hint("", is_tree=True)

    def hint(self, path: str, *, is_tree: bool) -> None:
        """Tell that something may have changed, unless nobody should be told any more."""
        if not self._closed and self._reason is None:
            self._give(self, Hint(path, is_tree))

    # --- with the lock --------------------------------------------------------------------------------------

    def _watch(self, folder: str) -> None:
        path = os.path.join(self._folder, folder) if folder else self._folder
        mask = OWN_FOLDER_MASK if folder else FOLDER_MASK
        watch = self._inotify.watch(path, mask, _FolderEvents(self, folder))
        old = self._watches.get(folder)
        if watch and old and watch.descriptor == old.descriptor:
            self._inotify.unwatch([watch])
            return
        self._drop([folder] if old else [])
        if watch:
            self._watches[folder] = watch
            self._check_device(folder, path)

    def _check_device(self, folder: str, path: str) -> None:
        """A shared file system below a root that is none: the whole root is polled."""
        try:
            device = os.stat(path).st_dev
        except OSError:
            return  # gone already, and the folder above says so
        if not folder:
            self._device = device
        elif device != self._device and (reason := self._polling_reason(path)):
            self._become_polling(reason)

    def _watch_way(self) -> None:
        """Watch each folder from the top down to the one that holds the root, as far as they are there."""
        parts = [part for part in self._folder.split("/") if part]
        for depth, name in enumerate(parts):
            above = "/" + "/".join(parts[:depth])
            if watch := self._inotify.watch(above, ARRIVALS_MASK, _WayEvents(self, os.fsencode(name))):
                self._way.append(watch)

    def _become_polling(self, reason: str) -> None:
        self._reason = reason
        self._drop_all()

    def _drop(self, folders: list[str]) -> None:
        self._inotify.unwatch([self._watches.pop(folder) for folder in folders])

    def _drop_all(self) -> None:
        self._drop(list(self._watches))
        way, self._way = self._way, []
        self._inotify.unwatch(way)


class _FolderEvents:
    """Events of one folder of a root."""

    __slots__ = ("_folder", "_root")

    def __init__(self, root: InotifyRoot, folder: str) -> None:
        self._root = root
        self._folder = folder

    def on_event(self, event: Event) -> None:
        self._root.folder_event(self._folder, event)

    def on_watch_deleted(self, wd: Descriptor) -> None:  # noqa: ARG002 - watchdog's
        self._root.lost(self._folder, with_all_below=False)

    def on_queue_overflow(self) -> None:
        self._root.hint("", is_tree=True)


class _WayEvents:
    """Events of a folder on the way to a root: only those of the next folder on the way, and its own end."""

    __slots__ = ("_name", "_root")

    def __init__(self, root: InotifyRoot, name: bytes) -> None:
        self._root = root
        self._name = name

    def on_event(self, event: Event) -> None:
        # The folder may be watched for another root as well, and then more than arrivals is told.
        if event.mask & SELF_GONE or (event.mask & ARRIVED and event.name == self._name):
            self._root.way_changed()

    def on_watch_deleted(self, wd: Descriptor) -> None:  # noqa: ARG002 - watchdog's
        self._root.way_changed()

    def on_queue_overflow(self) -> None:
        self._root.hint("", is_tree=True)
