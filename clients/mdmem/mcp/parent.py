"""Whether the process that started us still lives: a shim must not outlive its client, even with stdin open.

On Linux the kernel tells (a pidfd is readable when its process has ended) and waiting costs nothing;
elsewhere, and where the call is not allowed, the parent's number is looked at in intervals. One thread.
"""

from __future__ import annotations

import os

LOOK_SECONDS = 0.5


class Parent:
    """The parent process at the time of construction."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self.fd: int | None = None
        if hasattr(os, "pidfd_open"):
            try:
                self.fd = os.pidfd_open(self._pid)
            except OSError:  # an old kernel, or a sandbox that forbids it
                self.fd = None

    @property
    def look_seconds(self) -> float | None:
        """How long one may wait before looking again; ``None`` where ``fd`` tells."""
        return LOOK_SECONDS if self.fd is None else None

    def is_gone(self, readable: list[int]) -> bool:
        """Whether it has ended, given the descriptors that are readable now."""
        return os.getppid() != self._pid if self.fd is None else self.fd in readable
