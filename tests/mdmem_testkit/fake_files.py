"""In-memory file system and blob store, behind the same ports and the same contract suite as the real ones.

``FakeFiles`` knows folders, files, links, FIFOs and scripted errors. ``FakeBlobs`` forgets what was not
synced when ``lose_power`` is called, and can stop after any number of storage operations.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from mdmemd.model import Fingerprint
from mdmemd.ports import DirectoryEntry, EntryKind


class FakeFiles:
    """A tree of absolute paths. Every write gives a new ctime, as a real file system does."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, Fingerprint]] = {}
        self._folders: set[str] = {"/"}
        self._links: dict[str, str] = {}
        self._others: set[str] = set()
        self._errors: dict[str, int] = {}
        self._ticks = 0
        self._inodes = 0
        self._before_next_read: Callable[[], None] | None = None
        self.reads: list[str] = []
        self._listeners: list[Callable[[str, bool], None]] = []

    # --- what tests do --------------------------------------------------------------------------------------

    def write(self, path: str, content: str | bytes, *, mtime_ns: int | None = None) -> None:
        """Create or change a file; parents are made."""
        self.make_folder(posixpath.dirname(path))
        data = content.encode() if isinstance(content, str) else content
        self._ticks += 1
        old = self._files.get(path)
        if old is None:
            self._inodes += 1
        inode = old[1].inode if old else self._inodes
        mtime_ns = self._ticks * 1_000_000 if mtime_ns is None else mtime_ns
        self._files[path] = (data, Fingerprint(len(data), mtime_ns, self._ticks * 1_000_000, inode, 1))
        self._tell(path, is_folder=False)

    def make_folder(self, path: str) -> None:
        """Create a folder and its parents."""
        if path not in self._folders:
            self.make_folder(posixpath.dirname(path))
            self._folders.add(path)
            self._tell(path, is_folder=True)

    def link(self, path: str, target: str) -> None:
        """Create a symbolic link to an absolute path."""
        self.make_folder(posixpath.dirname(path))
        self._links[path] = target
        self._tell(path, is_folder=False)

    def make_fifo(self, path: str) -> None:
        """Create something that is neither file nor folder."""
        self.make_folder(posixpath.dirname(path))
        self._others.add(path)
        self._tell(path, is_folder=False)

    def touch(self, path: str) -> None:
        """Give a file another ctime and nothing else, as ``chmod`` does."""
        content, old = self._files[path]
        self._ticks += 1
        self._files[path] = (content, replace(old, ctime_ns=self._ticks * 1_000_000))
        self._tell(path, is_folder=False)

    def move(self, old: str, new: str) -> None:
        """Rename a file, link or whole folder; a file at ``new`` is replaced, a folder must not be there."""
        is_folder = old in self._folders
        self.make_folder(posixpath.dirname(new))
        for path in _at_or_below(self._files, old):
            self._files[new + path[len(old) :]] = self._files.pop(path)
        for path in _at_or_below(self._links, old):
            self._links[new + path[len(old) :]] = self._links.pop(path)
        for names in (self._others, self._folders):
            for name in _at_or_below(names, old):
                names.remove(name)
                names.add(new + name[len(old) :])
        self._tell(old, is_folder=is_folder)
        self._tell(new, is_folder=is_folder)

    def remove(self, path: str) -> None:
        """Delete a file, link, FIFO or whole folder."""
        is_folder = path in self._folders
        for table in (self._files, self._links):
            for name in _at_or_below(table, path):
                del table[name]
        self._others.difference_update(_at_or_below(self._others, path))
        self._folders.difference_update(_at_or_below(self._folders, path))
        self._tell(path, is_folder=is_folder)

    def fail(self, path: str, code: int | None) -> None:
        """Let every access to this path fail with ``code``; ``None`` ends that."""
        if code is None:
            self._errors.pop(path, None)
        else:
            self._errors[path] = code

    def paths(self) -> list[str]:
        """All files, sorted."""
        return sorted(self._files)

    def before_next_read(self, act: Callable[[], None]) -> None:
        """Let something happen when a file is about to be read."""
        self._before_next_read = act

    def on_change(self, listener: Callable[[str, bool], None]) -> None:
        """Let ``listener(path, is_folder)`` hear of every change after it was made."""
        self._listeners.append(listener)

    # --- the port -------------------------------------------------------------------------------------------

    def list_directory(self, path: str) -> list[DirectoryEntry]:
        """See the port."""
        self._check(path)
        real = self._resolve(path)
        if real not in self._folders:
            raise _error(errno.ENOTDIR if real in self._files else errno.ENOENT, path)
        kinds: dict[str, EntryKind] = {}
        for table, kind in self._tables():
            for name in table:
                if name != "/" and posixpath.dirname(name) == real:
                    kinds[posixpath.basename(name)] = kind
        return [DirectoryEntry(name, kind) for name, kind in sorted(kinds.items())]

    def _tables(self) -> tuple[tuple[Collection[str], EntryKind], ...]:
        return (
            (self._files, EntryKind.FILE),
            (self._folders, EntryKind.DIRECTORY),
            (self._links, EntryKind.SYMLINK),
            (self._others, EntryKind.OTHER),
        )

    def fingerprint(self, path: str) -> Fingerprint:
        """See the port."""
        return self._file(path)[1]

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Fingerprint]:
        """See the port."""
        self.reads.append(path)
        if self._before_next_read is not None:
            act, self._before_next_read = self._before_next_read, None
            act()
        content, fingerprint = self._file(path)
        if len(content) > bytes_max:
            raise _error(errno.EFBIG, path)
        return content, fingerprint

    def real_path(self, path: str) -> str:
        """See the port."""
        real = self._resolve(path)
        if real not in self._files and real not in self._folders and real not in self._others:
            raise _error(errno.ENOENT, path)
        return real

    def is_directory(self, path: str) -> bool:
        """See the port."""
        return self._resolve(path) in self._folders

    def entry_kind(self, path: str) -> EntryKind:
        """See the port."""
        self._check(path)
        real = posixpath.join(self._resolve(posixpath.dirname(path)), posixpath.basename(path))
        for table, kind in self._tables():
            if real in table:
                return kind
        raise _error(errno.ENOENT, path)

    def folder_identity(self, path: str) -> tuple[int, int]:
        """See the port."""
        self._check(path)
        real = self._resolve(path)
        if real not in self._folders:
            raise _error(errno.ENOTDIR if real in self._files else errno.ENOENT, path)
        return 1, hash(real)

    def _file(self, path: str) -> tuple[bytes, Fingerprint]:
        self._check(path)
        real = self._resolve(path)
        if real in self._others or real in self._folders:
            raise _error(errno.EINVAL, path)
        if real not in self._files:
            raise _error(errno.ENOENT, path)
        return self._files[real]

    def _resolve(self, path: str) -> str:
        path = posixpath.normpath(path)
        for _ in range(40):
            for depth in range(1, path.count("/") + 1):
                head = "/".join(path.split("/")[: depth + 1])
                if head in self._links:
                    path = posixpath.normpath(self._links[head] + path[len(head) :])
                    break
            else:
                return path
        raise _error(errno.ELOOP, path)

    def _tell(self, path: str, *, is_folder: bool) -> None:
        for listener in self._listeners:
            listener(path, is_folder)

    def _check(self, path: str) -> None:
        if path in self._errors:
            raise _error(self._errors[path], path)


class PowerLostError(Exception):
    """The storage has stopped: nothing after this happened."""


class FakeBlobs:
    """A blob store whose every storage operation can be the last one before a power cut."""

    def __init__(self) -> None:
        self._synced: dict[str, bytes] = {}
        self._visible: dict[str, bytes] = {}
        self._temporary: dict[str, bytes] = {}
        self.operations_left: int | None = None
        self.fail_with: int | None = None

    def read(self, name: str) -> bytes:
        """See the port."""
        if name not in self._visible:
            raise _error(errno.ENOENT, name)
        return self._visible[name]

    def replace(self, name: str, content: bytes) -> None:
        """See the port: write, sync, rename, sync the folder, each a step that may not happen."""
        if self.fail_with is not None:
            raise _error(self.fail_with, name)
        self._operation()
        self._temporary[name] = content
        self._operation()
        self._visible[name] = self._temporary.pop(name)
        self._operation()
        self._synced[name] = content

    def rename(self, old: str, new: str) -> None:
        """See the port."""
        self._operation()
        self._visible[new] = self._visible.pop(old)
        self._operation()
        self._synced.pop(old, None)
        self._synced[new] = self._visible[new]

    def remove_leftovers(self) -> tuple[int, int]:
        """See the port."""
        left = list(self._temporary.values())
        self._temporary.clear()
        return len(left), sum(map(len, left))

    def lose_power(self) -> None:
        """Forget all that was not synced, and work again."""
        self._visible = dict(self._synced)
        self.operations_left = None

    def copy(self) -> FakeBlobs:
        """Another store with the same content."""
        copied = FakeBlobs()
        copied._synced, copied._visible = dict(self._synced), dict(self._visible)
        return copied

    def names(self) -> set[str]:
        """All blobs that can be read."""
        return set(self._visible)

    def _operation(self) -> None:
        if self.operations_left is not None:
            if self.operations_left == 0:
                raise PowerLostError
            self.operations_left -= 1


def _at_or_below(names: Iterable[str], path: str) -> list[str]:
    return [name for name in names if name == path or name.startswith(path + "/")]


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
