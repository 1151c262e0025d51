"""Saved indexes on a POSIX file system behind the ``CheckpointDisk`` port.

Invariants: folders are 0700, files 0600; a file is written under a temporary name, synced and renamed, so its
own name never shows a part of it; temporary names are ``.NAME.tmp``, and one that a crash left is overwritten
or removed later. Files are read whole and never mapped: a mapped file that somebody truncates ends the
process. Called by the checkpointer, and by the writer to read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from mdmemd.ports import ReadableBuffer


class PosixCheckpoints:
    """Folders below one folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def folders(self) -> list[str]:
        """Names of all folders, sorted."""
        try:
            with os.scandir(self._folder) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return []

    def names(self, folder: str) -> list[str]:
        """Names of all files in a folder, sorted; none where there is no folder."""
        try:
            return sorted(os.listdir(os.path.join(self._folder, folder)))
        except FileNotFoundError:
            return []

    def read(self, folder: str, name: str) -> bytes:
        """The content; ``FileNotFoundError`` where there is none."""
        with open(os.path.join(self._folder, folder, name), "rb") as file:
            return file.read()

    def size(self, folder: str, name: str) -> int:
        """Bytes of a file; 0 where there is none."""
        try:
            return os.stat(os.path.join(self._folder, folder, name), follow_symlinks=False).st_size
        except FileNotFoundError:
            return 0

    def write(self, folder: str, name: str, parts: Iterable[ReadableBuffer]) -> None:
        """Make or replace a file; see the port."""
        inside = os.path.join(self._folder, folder)
        if not os.path.isdir(inside):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            os.mkdir(inside, mode=0o700)
            _sync(self._folder)
        temporary = os.path.join(inside, f".{name}.tmp")
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            with open(descriptor, "wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(descriptor)
            os.rename(temporary, os.path.join(inside, name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise

    def sync_folder(self, folder: str) -> None:
        """Make durable which names there are."""
        _sync(os.path.join(self._folder, folder))

    def remove(self, folder: str, name: str) -> None:
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, folder, name))

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with all its files, if it is there."""
        for name in self.names(folder):
            self.remove(folder, name)
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(os.path.join(self._folder, folder))


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
