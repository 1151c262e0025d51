"""A named, supervised thread that calls ``step()`` until it is told to stop.

Invariants: a worker's whole behaviour is its ``step()``; the thread adds only repetition, so tests call
``step()`` themselves and never start it. A step that raises is our bug: it is logged, counted in
``failures``, and the worker goes on after a pause that doubles up to ``PAUSE_SECONDS_MAX``; a worker never
dies silently. Made and stopped by ``app`` on the main thread.
"""

from __future__ import annotations

import logging
import threading
from typing import Protocol

log = logging.getLogger(__name__)

PAUSE_SECONDS_MIN = 0.05
PAUSE_SECONDS_MAX = 5.0


class Stepper(Protocol):
    """What a worker thread runs."""

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Do one bounded piece of work, waiting up to ``timeout_seconds`` for it (``None``: for ever).

        Returns whether there was any.
        """

    def wake(self) -> None:
        """Make a waiting ``step`` return at once; callable from any thread."""


class Worker:
    """Runs one stepper on one thread."""

    def __init__(self, name: str, stepper: Stepper) -> None:
        self._stepper = stepper
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.failures = 0

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, *, timeout_seconds: float) -> bool:
        """Ask the thread to end after its current step and wait for it; returns whether it ended."""
        self._stopping.set()
        self._stepper.wake()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause_seconds = PAUSE_SECONDS_MIN
        while not self._stopping.is_set():
            try:
                self._stepper.step(timeout_seconds=None)
                pause_seconds = PAUSE_SECONDS_MIN
            except Exception:  # the one place that must survive any bug of a step
                self.failures += 1
                log.exception("%s: step failed", self._thread.name)
                self._stopping.wait(pause_seconds)
                pause_seconds = min(2 * pause_seconds, PAUSE_SECONDS_MAX)
