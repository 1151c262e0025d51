"""Files of the user's choice in memory; a write happens whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator

from mdmemd.ports import ArchiveSource, ReadableBuffer


class FakeSource:
    """An open file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._offset = 0
        self.size_bytes = len(content)
        self.largest_read = 0

    def read(self, count: int) -> bytes:
        self.largest_read = max(self.largest_read, count)
        found = self._content[self._offset : self._offset + count]
        self._offset += len(found)
        return found


class FakeArchives:
    """``ports.ArchiveFiles``; ``fail_with`` is the errno of the next writes."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.fail_with: int | None = None

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[ArchiveSource]:
        if path not in self.files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        yield FakeSource(self.files[path])

    def write(self, path: str, parts: Iterable[ReadableBuffer], *, replace: bool) -> int:
        if not replace and path in self.files:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        content = b"".join(parts)
        if self.fail_with is not None:
            raise OSError(self.fail_with, os.strerror(self.fail_with), path)
        self.files[path] = content
        return len(content)
