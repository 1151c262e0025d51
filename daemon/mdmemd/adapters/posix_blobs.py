"""A private folder on a POSIX file system behind the ``BlobStore`` port.

Invariants: the folder is 0700 and made on the first write; a blob is seen whole or not at all, also after a
power cut: written to a temporary name in the same folder, synced, renamed, folder synced. Temporary names
begin with a dot and are the process's own. One writer at a time (the process lock sees to it).
"""

from __future__ import annotations

import contextlib
import os
import re

_TEMPORARY = re.compile(r"\..+\.\d+\.tmp")


class PosixBlobs:
    """Named blobs in one folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes:
        """The content; ``FileNotFoundError`` where there is none."""
        with open(os.path.join(self._folder, name), "rb") as file:
            return file.read()

    def replace(self, name: str, content: bytes) -> None:
        """Durable replacement; see the port. After an error the old blob is still there."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        temporary = os.path.join(self._folder, f".{name}.{os.getpid()}.tmp")
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.rename(temporary, os.path.join(self._folder, name))
        except BaseException:
            os.unlink(temporary)
            raise
        self._sync_folder()

    def rename(self, old: str, new: str) -> None:
        """Move a blob to another name, replacing what was there; durable when it returns."""
        os.rename(os.path.join(self._folder, old), os.path.join(self._folder, new))
        self._sync_folder()

    def remove_leftovers(self) -> tuple[int, int]:
        """Remove what interrupted writes of earlier processes left; how many files, of how many bytes."""
        files = freed_bytes = 0
        own = f".{os.getpid()}.tmp"
        with contextlib.suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                is_ours = _TEMPORARY.fullmatch(entry.name) and not entry.name.endswith(own)
                if is_ours and entry.is_file(follow_symlinks=False):
                    freed_bytes += entry.stat(follow_symlinks=False).st_size
                    os.unlink(entry.path)
                    files += 1
        return files, freed_bytes

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
