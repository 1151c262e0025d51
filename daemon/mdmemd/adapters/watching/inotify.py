"""One inotify instance: watchdog's reader with masks of our own. The door to watchdog on Linux.

watchdog's observers are not used: they report reads, follow whole trees, and lose an overflow. Its
``InotifyFD`` is a plain instance with callbacks a watch. Invariants: one kernel watch an inode, however many
callbacks; a mask is only ever widened (``IN_MASK_ADD``), since an inode may be watched for two reasons;
nothing that only reads makes an event. Callbacks run on the thread that calls ``step``.
"""

from __future__ import annotations

import errno
import itertools
import os
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

Event: TypeAlias = InotifyEvent
Descriptor: TypeAlias = WatchDescriptor

_SELF_GONE = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF

SELF_GONE = _SELF_GONE | InotifyConstants.IN_UNMOUNT
"""The watched folder is no longer where it was watched."""

IS_FOLDER = InotifyConstants.IN_ISDIR
ARRIVED = InotifyConstants.IN_CREATE | InotifyConstants.IN_MOVED_TO
MOVED_AWAY = InotifyConstants.IN_MOVE_SELF | InotifyConstants.IN_UNMOUNT

FOLDER_MASK = Mask(
    InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_MOVE
    | _SELF_GONE
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_EXCL_UNLINK
    | InotifyConstants.IN_MASK_ADD
)
"""Everything that can change a folder's documents."""

OWN_FOLDER_MASK = Mask(FOLDER_MASK | InotifyConstants.IN_DONT_FOLLOW)
"""The same for a folder below a root, where links are not followed."""

ARRIVALS_MASK = Mask(ARRIVED | _SELF_GONE | InotifyConstants.IN_ONLYDIR | InotifyConstants.IN_MASK_ADD)
"""Only what appears in a folder, and that it goes away itself."""

_NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG}
"""No folder that could be listed either."""

_ids = itertools.count(1)


class Callback(Protocol):
    """What is called for the events of a watch. See ``watchdog.observers.inotify_c.WatchCallback``."""

    def on_event(self, event: Event) -> None:
        """Something happened in the folder, or to it; ``event.name`` is empty for the folder itself."""

    def on_watch_deleted(self, wd: Descriptor) -> None:
        """The kernel ended the watch: the folder is gone or unmounted."""

    def on_queue_overflow(self) -> None:
        """Events were lost."""


@dataclass(frozen=True, slots=True)
class Watch:
    """One callback at one folder. Ends with ``Inotify.unwatch``."""

    descriptor: Descriptor
    number: CallbackId


class Inotify(InotifyFD):
    """One instance of the kernel. Raises ``OSError`` (EMFILE) where there may be no more of them."""

    def __init__(self) -> None:
        super().__init__()
        # watchdog begins as if a thread were reading, and then nobody closes an instance that was never read.
        self._is_reading = False
        os.set_inheritable(self._inotify_fd, False)

    def watch(self, path: str, mask: Mask, callback: Callback) -> Watch | None:
        """Call ``callback`` for events of the folder; ``None`` where no folder can be read.

        Raises ``OSError``: ENOSPC where the user may have no more watches.
        """
        number = CallbackId(next(_ids))
        try:
            descriptor = self.add_callback(os.fsencode(path), mask, callback, number)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise
        watch = Watch(descriptor, number)
        if descriptor == -1:  # watchdog raises nothing for EACCES, and remembers the watch that is none
            self.unwatch([watch])
            return None
        return watch

    def unwatch(self, watches: list[Watch]) -> None:
        """End these; the kernel's watch of a folder ends with its last one."""
        self.remove_callbacks([(watch.descriptor, watch.number) for watch in watches])

    def step(self) -> int:
        """Wait for events and call back for each; how many there were. At once, with 0, after ``close``."""
        events = self.read_events()
        for event in events:
            self.handle_event(event)
        return len(events)
