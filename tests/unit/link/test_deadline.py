from __future__ import annotations

import pytest

from mdmem.link import deadline
from mdmem.link.deadline import Deadline


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


def test_counts_down_to_zero_and_can_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(deadline, "time", clock)
    wait = Deadline(10)
    clock.now += 4
    assert wait.remaining_seconds() == 6
    assert not wait.has_passed()
    clock.now += 7
    assert wait.remaining_seconds() == 0
    assert wait.has_passed()
    wait.restart()
    assert wait.remaining_seconds() == 10
