"""Wait for the end of a process that is not our child, without polling: a pidfd on Linux, a kqueue on macOS.

Invariants: the watch is opened while the process is known to be alive (it has just spoken), so a recycled
pid cannot be meant; nothing is ever signalled. Any thread.
"""

from __future__ import annotations

import os
import select
import sys
from types import TracebackType
from typing import Self

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline


class ProcessExit:
    """A watch on one process; use it as a context manager."""

    def __init__(self, pid: int) -> None:
        """Begin to watch; raises ``OSError`` where the process has gone or the kernel cannot watch it."""
        if sys.platform == "darwin":
            self._queue = select.kqueue()
            event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            self._queue.control([event], 0, 0)
        else:
            self._descriptor = os.pidfd_open(pid)

    def wait(self, deadline: Deadline) -> bool:
        """Whether the process ended before the deadline."""
        if sys.platform == "darwin":
            return bool(self._queue.control(None, 1, deadline.remaining_seconds()))
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(deadline.remaining_seconds() * 1000))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if sys.platform == "darwin":
            self._queue.close()
        else:
            os.close(self._descriptor)


def watch_daemon(pid: int) -> ProcessExit:
    """A watch on the daemon's process; raises ``DaemonUnavailableError`` where there can be none."""
    try:
        return ProcessExit(pid)
    except OSError as error:
        raise DaemonUnavailableError(
            f"The daemon's process {pid} cannot be watched from here: {error.strerror}.",
            remedy="It may have just ended, or run in another container: stop it there.",
        ) from error
