"""Lines for the client, written to a descriptor that may block, without ever blocking.

A pipe that ``select`` calls writable takes ``PIPE_BUF`` bytes whole (POSIX), so no write is longer. The
descriptor's own flags are left alone: it is shared with the process that started us, and ``O_NONBLOCK`` would
be set for that one too. One thread.
"""

from __future__ import annotations

import os
import select
from collections import deque


class Output:
    """A queue of lines in front of ``fd``."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.is_closed = False
        self.queued_bytes = 0
        self._chunks: deque[memoryview] = deque()

    def put(self, line: bytes) -> None:
        """Queue one line; its end is added."""
        self._chunks.append(memoryview(line + b"\n"))
        self.queued_bytes += len(line) + 1

    def flush_some(self) -> None:
        """Write what fits for sure, when ``fd`` is writable; sets ``is_closed`` where nobody reads."""
        chunk = self._chunks[0]
        try:
            written = os.write(self.fd, chunk[: select.PIPE_BUF])
        except OSError:
            self.is_closed = True
            return
        self.queued_bytes -= written
        if written == len(chunk):
            self._chunks.popleft()
        else:
            self._chunks[0] = chunk[written:]
