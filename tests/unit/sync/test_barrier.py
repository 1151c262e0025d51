"""A ticket is released once, by applied work or by the end of the writer."""

from __future__ import annotations

from mdmemd.sync.barrier import Ticket


def test_a_ticket_that_is_not_released_ends_with_its_time() -> None:
    assert not Ticket().wait(timeout_seconds=0.0)


def test_a_released_ticket_says_whether_its_work_was_applied() -> None:
    applied, stopped = Ticket(), Ticket()
    applied.release()
    stopped.release(applied=False)
    assert applied.wait(timeout_seconds=0.0)
    assert not stopped.wait(timeout_seconds=0.0)
