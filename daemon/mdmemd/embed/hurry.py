"""Passages that a question waits for. Asked for on any thread, run on the embedder's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from mdmemd.embed.backlog import Delivery, Job
from mdmemd.model import VectorKey


class Hurry:
    """Some ``keys`` of ``owner``; the future tells which have got a vector. It cannot be cancelled."""

    def __init__(self, owner: bytes, keys: Sequence[VectorKey]) -> None:
        self.owner = owner
        self.keys = tuple(keys)
        self.future: Future[tuple[VectorKey, ...]] = Future()

    def run(self, jobs: Sequence[Job], advance: Callable[[Job], None]) -> None:
        """Work the jobs off, which hold what waited of the keys; ``advance`` takes one a piece further."""
        done: list[VectorKey] = []
        try:
            for job in jobs:
                job.deliver = _noting(job.deliver, done)
                while job.remaining and not job.cancelled:
                    advance(job)
        finally:
            self.future.set_result(tuple(done))


def _noting(deliver: Callable[[Delivery], None], done: list[VectorKey]) -> Callable[[Delivery], None]:
    def deliver_and_note(delivery: Delivery) -> None:
        deliver(delivery)
        done.extend(delivery.keys)

    return deliver_and_note
