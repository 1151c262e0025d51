"""A clock that moves only when told."""

from __future__ import annotations


class FakeClock:
    """Both clocks of the port; ``advance`` moves them together."""

    def __init__(self, *, now: float = 1_000_000.0) -> None:
        self._now = now

    def monotonic(self) -> float:
        """Seconds."""
        return self._now

    def time(self) -> float:
        """Unix seconds."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds
