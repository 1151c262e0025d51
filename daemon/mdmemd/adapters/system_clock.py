"""The machine's clocks behind the ``Clock`` port. Any thread."""

from __future__ import annotations

import time


class SystemClock:
    """Monotonic and wall clock of this machine."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; never goes back."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds."""
        return time.time()
