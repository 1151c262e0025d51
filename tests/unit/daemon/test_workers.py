"""A worker repeats its step, survives its bugs, and ends when told."""

from __future__ import annotations

import threading

import pytest

from mdmemd import workers
from mdmemd.workers import Worker

CEILING_SECONDS = 20.0


class Steps:
    """Fails the first times, then waits to be woken."""

    def __init__(self, *, failures: int) -> None:
        self._failures = failures
        self.recovered = threading.Event()
        self._woken = threading.Event()

    def step(self, *, timeout_seconds: float | None) -> bool:
        if self._failures:
            self._failures -= 1
            raise ZeroDivisionError("bug")
        self.recovered.set()
        return self._woken.wait(CEILING_SECONDS if timeout_seconds is None else timeout_seconds)

    def wake(self) -> None:
        self._woken.set()


def test_a_step_that_fails_is_logged_counted_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers, "PAUSE_SECONDS_MIN", 0.001)
    steps = Steps(failures=3)
    worker = Worker("test", steps)
    worker.start()
    assert steps.recovered.wait(CEILING_SECONDS)
    assert worker.stop(timeout_seconds=CEILING_SECONDS)
    assert worker.failures == 3
    assert caplog.text.count("ZeroDivisionError: bug") == 3


def test_a_worker_that_waits_ends_at_once() -> None:
    steps = Steps(failures=0)
    worker = Worker("test", steps)
    worker.start()
    assert steps.recovered.wait(CEILING_SECONDS)
    assert worker.stop(timeout_seconds=CEILING_SECONDS)
