"""The user's files on a POSIX file system behind the ``FileSystem`` port.

Invariants: never writes; never blocks on a FIFO or a device (``O_NONBLOCK``, then ``fstat`` decides); never
trusts ``st_size`` for the end of a file, which may be growing. Names that are no valid text come as surrogate
escapes and go back the same way. Called by the writer and the query pool at once: no state.
"""

from __future__ import annotations

import errno
import os
import stat

from mdmemd.model import Fingerprint
from mdmemd.ports import DirectoryEntry, EntryKind


class PosixFiles:
    """Read access to the local file system."""

    def list_directory(self, path: str) -> list[DirectoryEntry]:
        """All entries in unspecified order; see the port."""
        with os.scandir(path) as entries:
            return [DirectoryEntry(entry.name, _kind(entry)) for entry in entries]

    def fingerprint(self, path: str) -> Fingerprint:
        """``stat`` of a regular file, links followed; see the port."""
        return _regular(os.stat(path), path)

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Fingerprint]:
        """Whole content and the fingerprint of the same open file; see the port."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fingerprint = _regular(os.fstat(descriptor), path)
            content = _read_all(descriptor, bytes_max=bytes_max, size_hint=fingerprint.size)
            after = _regular(os.fstat(descriptor), path)
        finally:
            os.close(descriptor)
        if len(content) > bytes_max:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        # A file that was written to while it was read is taken as it was read, under a fingerprint that no
        # stat will ever give again, so that the next look at it reads it once more.
        if after != fingerprint or len(content) != fingerprint.size:
            return content, Fingerprint(len(content), 0, 0, fingerprint.inode, fingerprint.device)
        return content, fingerprint

    def real_path(self, path: str) -> str:
        """The path with all links resolved; see the port."""
        return os.path.realpath(path, strict=True)

    def is_directory(self, path: str) -> bool:
        """Whether it is a directory, links followed."""
        return os.path.isdir(path)

    def entry_kind(self, path: str) -> EntryKind:
        """What is at the path, its own link not followed."""
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return EntryKind.SYMLINK
        if stat.S_ISDIR(mode):
            return EntryKind.DIRECTORY
        return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER

    def folder_identity(self, path: str) -> tuple[int, int]:
        """Device and inode of a folder; see the port."""
        status = os.stat(path)
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return status.st_dev, status.st_ino


def _read_all(descriptor: int, *, bytes_max: int, size_hint: int) -> bytes:
    """Up to ``bytes_max + 1`` bytes, so that the caller sees an excess."""
    pieces: list[bytes] = []
    left = bytes_max + 1
    while left > 0 and (piece := os.read(descriptor, min(left, max(size_hint + 1, 65536)))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.SYMLINK
    if entry.is_dir(follow_symlinks=False):
        return EntryKind.DIRECTORY
    if entry.is_file(follow_symlinks=False):
        return EntryKind.FILE
    return EntryKind.OTHER


def _regular(status: os.stat_result, path: str) -> Fingerprint:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return Fingerprint(
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        inode=status.st_ino,
        device=status.st_dev,
    )
