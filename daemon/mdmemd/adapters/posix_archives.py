"""Single files of the user's choice behind the ``ArchiveFiles`` port.

Invariants: a file is written beside its place under a temporary name, synced, and put there in one step; it
is 0600, since it holds what is in the user's documents. Reading never blocks on a FIFO or a device.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from mdmemd.ports import ArchiveSource, ReadableBuffer

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class _File:
    """An open file."""

    def __init__(self, file: BinaryIO, *, size_bytes: int) -> None:
        self._file = file
        self.size_bytes = size_bytes

    def read(self, count: int) -> bytes:
        """The next bytes, fewer at the end."""
        return self._file.read(count)


class PosixArchives:
    """Files by absolute path."""

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[ArchiveSource]:
        """A file to read; see the port."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(errno.EINVAL, "it is no plain file", path)
            yield _File(file, size_bytes=found.st_size)

    def write(self, path: str, parts: Iterable[ReadableBuffer], *, replace: bool) -> int:
        """Make a file; see the port."""
        if not replace and os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        folder, name = os.path.split(path)
        temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            with open(descriptor, "wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(descriptor)
                size_bytes = file.tell()
            _put(temporary, path, replace=replace)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync(folder)
        return size_bytes


def _put(temporary: str, path: str, *, replace: bool) -> None:
    """Give the file its name; without ``replace`` only if nobody has it, where the file system can tell."""
    if not replace:
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
        else:
            os.unlink(temporary)
            return
    os.rename(temporary, path)


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
