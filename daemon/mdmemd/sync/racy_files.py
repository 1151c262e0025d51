"""Files whose fingerprint may hide a later write: they were read too soon after they changed.

A file system counts time in ticks (milliseconds, on some seconds): two writes within one give the same size,
mtime and ctime. Such a file is read once more at the next look, whatever its fingerprint says; read later
than its tick it is safe. The idea is Git's ("racy git"). Pure; the writer's thread.
"""

from __future__ import annotations

from mdmemd.model import Fingerprint

TICK_SECONDS = 0.05
"""Longer than the tick of any local file system (Linux: up to 10 ms)."""

COARSE_TICK_SECONDS = 2.0
"""Of file systems that keep whole seconds (FAT: two)."""


class RacyFiles:
    """The paths of one root."""

    def __init__(self) -> None:
        self._paths: set[str] = set()

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def was_read(self, path: str, seen: Fingerprint, *, at: float) -> None:
        """A file with this fingerprint was read, not before ``at`` (unix seconds)."""
        is_coarse = seen.ctime_ns % 1_000_000_000 == 0
        tick_seconds = COARSE_TICK_SECONDS if is_coarse else TICK_SECONDS
        if abs(at - seen.ctime_ns / 1e9) < tick_seconds:
            self._paths.add(path)
        else:
            self._paths.discard(path)

    def discard(self, path: str) -> None:
        """The file is gone."""
        self._paths.discard(path)
