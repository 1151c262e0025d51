"""What whoever submits passages to the embedder keeps of it. Any thread."""

from __future__ import annotations

from collections.abc import Callable

from mdmemd.embed.backlog import Job


class Ticket:
    """A submitted job, to its submitter. Any thread."""

    def __init__(self, job: Job, *, end: Callable[[Job], None]) -> None:
        self._job = job
        self._end = end

    @property
    def done(self) -> bool:
        """Whether no further delivery will begin."""
        return self._job.cancelled or self._job.remaining == 0

    @property
    def was_dropped(self) -> bool:
        """Whether it ended before everything was delivered."""
        return self._job.cancelled and self._job.remaining > 0

    def cancel(self) -> None:
        """Drop what has not been delivered. A delivery that has begun meanwhile still arrives."""
        self._job.cancelled = True
        self._end(self._job)
