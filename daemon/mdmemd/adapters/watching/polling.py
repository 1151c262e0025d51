"""The watcher that watches nothing: every root is looked at by whoever wants to know.

For ``watch = "polling"``, and for systems without a way to be told. No thread, no state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from mdmemd.ports import Hint, WatchMode, WatchStatus


class PollingRoot:
    """The ``RootWatch`` of a root without events; ``reason`` says why. Any thread."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def add(self, folder: str) -> None:
        """Nothing: see the port."""

    def keep(self, folders: Collection[str]) -> None:
        """Nothing: see the port."""

    def status(self) -> WatchStatus:
        """Always polling."""
        return WatchStatus(WatchMode.POLLING, self._reason, 0)

    def close(self) -> None:
        """Nothing: see the port."""


class PollingOnly:
    """A ``Watcher`` for settings or systems without events. Any thread."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def open(
        self,
        folder: str,  # noqa: ARG002 - the port's
        notify: Callable[[Hint], None],  # noqa: ARG002
        *,
        mode: WatchMode | None = None,  # noqa: ARG002
    ) -> PollingRoot:
        """A root that is polled, whatever ``mode`` says."""
        return PollingRoot(self._reason)

    def catch_up(self, *, timeout_seconds: float) -> bool:  # noqa: ARG002
        """True: there are no hints that could be late."""
        return True

    def close(self) -> None:
        """Nothing: see the port."""
