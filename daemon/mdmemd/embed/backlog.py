"""What waits to be embedded, in the order in which it will be.

What a question waits for (``take``) comes first, then the newest fresh edit, then bulk work, oldest first.
A plain container: not locked (``queue`` does that), no clock, no model. Cancelling a job makes it vanish from
here; texts are held only as long as their job is.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mdmemd.model import FloatMatrix, UnembeddedPassage, VectorKey


@dataclass(frozen=True, slots=True)
class Delivery:
    """What has become of some of a job's passages.

    ``vectors`` has the shape ``(len(keys), dimensions)``; for the ``failed`` keys there will be none until
    their texts change. ``made_by`` is the fingerprint of the model.
    """

    keys: tuple[VectorKey, ...]
    vectors: FloatMatrix
    failed: tuple[VectorKey, ...]
    made_by: str


@dataclass(slots=True, eq=False)
class Job:
    """One call of ``EmbedQueue.submit``.

    Attributes:
        passages: not yet looked up in the cache, by key.
        groups: looked up and unknown, put together for single runs of the model.
        remaining: how many passages have not been delivered.
        cancelled: nothing more is to be delivered.
        owner: what the keys belong to, an index.
        made_by: fingerprint of the model that shall embed them; the one in use then where it is empty.
    """

    passages: OrderedDict[VectorKey, UnembeddedPassage]
    urgent: bool
    deliver: Callable[[Delivery], None]
    remaining: int
    groups: deque[Sequence[UnembeddedPassage]] = field(default_factory=deque)
    cancelled: bool = False
    owner: bytes = b""
    made_by: str = ""

    @classmethod
    def of(
        cls,
        passages: Iterable[UnembeddedPassage],
        *,
        urgent: bool,
        deliver: Callable[[Delivery], None],
        owner: bytes = b"",
        made_by: str = "",
    ) -> Job:
        """A job nobody has begun with."""
        by_key = OrderedDict((passage.key, passage) for passage in passages)
        return cls(by_key, urgent, deliver, remaining=len(by_key), owner=owner, made_by=made_by)

    def take(self, keys: Collection[VectorKey]) -> list[UnembeddedPassage]:
        """Take those of these passages out that nobody has begun with."""
        taken = [self.passages.pop(key) for key in keys if key in self.passages]
        if len(taken) < len(keys):
            wanted = set(keys)
            taken += [passage for group in self.groups for passage in group if passage.key in wanted]
            left = ([each for each in group if each.key not in wanted] for group in self.groups)
            self.groups = deque(group for group in left if group)
        self.remaining -= len(taken)
        return taken


class Backlog:
    """All jobs with something remaining."""

    def __init__(self) -> None:
        self._urgent: dict[Job, None] = {}
        self._bulk: dict[Job, None] = {}

    @property
    def remaining(self) -> int:
        """Passages of all jobs that have not been delivered."""
        return sum(job.remaining for jobs in (self._urgent, self._bulk) for job in jobs)

    def add(self, job: Job) -> None:
        """Put a job where its class says."""
        self._class_of(job)[job] = None

    def take(self, owner: bytes, keys: Collection[VectorKey]) -> list[Job]:
        """Jobs of these passages alone, as far as they wait here; they are delivered as before."""
        taken: list[Job] = []
        for job in [job for jobs in (self._urgent, self._bulk) for job in jobs if job.owner == owner]:
            passages = job.take(keys)
            if passages:
                by_key = OrderedDict((passage.key, passage) for passage in passages)
                taken.append(replace(job, passages=by_key, groups=deque(), remaining=len(by_key)))
            if job.remaining == 0:
                self.discard(job)
        return taken

    def discard(self, job: Job) -> None:
        """Forget a job, if it is here."""
        self._class_of(job).pop(job, None)

    def cancel_all(self) -> None:
        """Cancel and forget all jobs."""
        for jobs in (self._urgent, self._bulk):
            for job in jobs:
                job.cancelled = True
            jobs.clear()

    def next(self) -> Job | None:
        """The job to go on with; it stays here."""
        if self._urgent:
            return next(reversed(self._urgent))
        return next(iter(self._bulk), None)

    def _class_of(self, job: Job) -> dict[Job, None]:
        return self._urgent if job.urgent else self._bulk
