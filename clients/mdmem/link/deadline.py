"""One deadline for a whole operation, however many waits it is made of. Any thread."""

from __future__ import annotations

import time


class Deadline:
    """A moment that every wait of an operation counts down to."""

    __slots__ = ("_ends_at", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends_at = time.monotonic() + seconds

    def remaining_seconds(self) -> float:
        """Seconds left; 0 where it has passed."""
        return max(0.0, self._ends_at - time.monotonic())

    def has_passed(self) -> bool:
        """Whether nothing is left."""
        return self.remaining_seconds() <= 0.0

    def restart(self) -> None:
        """Count from now again: the other side has shown that it is alive."""
        self._ends_at = time.monotonic() + self.seconds
