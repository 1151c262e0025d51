"""Works off a job: looks its passages up, embeds the unknown ones, delivers and remembers their vectors.

Invariants: a text that the model cannot embed fails alone, is reported for each key that has it, and is not
tried again while the daemon runs; a callback that raises costs its own batch; each key is delivered once. On
the embedder thread only; the counters may be read on any.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from mdmemd.embed.backlog import Delivery, Job
from mdmemd.embed.batches import plan_batches
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.embed.vector_id import vector_id
from mdmemd.model import FloatMatrix, FloatVector, UnembeddedPassage
from mdmemd.ports import Clock, Encoder

log = logging.getLogger(__name__)

WINDOW_PASSAGES = 256
"""Passages of a job that are looked up and sorted by length together."""

BYTES_PER_TOKEN = 4
"""Rough, to put texts of like length together before they are tokenized; ``encoder`` counts exactly."""

FAILED_TEXTS_MAX = 10_000
RATE_MEMORY = 0.95
"""Weight of the past in the rate at each run of the model, so that the last twenty or so count."""


class JobRunner:
    """Runs jobs with one cache and one encoder at a time, ``encoder``, which may be another between runs.

    Attributes:
        encoder: ``None`` while it is unloaded; there must be one to ``advance``.
        embedded: passages computed so far.
        from_cache: passages found in the cache so far.
        failed: passages reported as failed so far.
    """

    def __init__(self, *, encoder: Encoder | None, cache: VectorCache, clock: Clock) -> None:
        self.encoder: Encoder | None = encoder
        self._cache = cache
        self._clock = clock
        self.embedded = 0
        self.from_cache = 0
        self.failed = 0
        self._unembeddable: dict[bytes, None] = {}
        self._recent_passages = 0.0
        self._recent_seconds = 0.0

    @property
    def _encoder(self) -> Encoder:
        assert self.encoder is not None, "a job is run while there is no model"
        return self.encoder

    @property
    def passages_per_second(self) -> float:
        """Rate of the latest runs of the model, pauses not counted; 0 before the first."""
        seconds = self._recent_seconds
        return self._recent_passages / seconds if seconds else 0.0

    def advance(self, job: Job) -> None:
        """One bounded piece: a small run of the model, or a look into the cache for a window of passages."""
        if job.groups:
            self._embed(job, job.groups.popleft())
        else:
            self._look_up(job)
        if job.remaining == 0:
            release_free_memory()

    def _look_up(self, job: Job) -> None:
        """Deliver what is known of the job's next passages and put the rest together for the model."""
        count = min(WINDOW_PASSAGES, len(job.passages))
        window = [job.passages.popitem(last=False)[1] for _ in range(count)]
        ids = [self._vector_id(passage) for passage in window]
        known = self._recall(ids)
        found: list[UnembeddedPassage] = []
        vectors: list[FloatVector] = []
        failed: list[UnembeddedPassage] = []
        unknown: list[UnembeddedPassage] = []
        for id_, passage in zip(ids, window, strict=True):
            if id_ in known:
                found.append(passage)
                vectors.append(known[id_])
            elif id_ in self._unembeddable:
                failed.append(passage)
            else:
                unknown.append(passage)
        job.groups.extend(
            [unknown[position] for position in group] for group in plan_batches(_lengths(unknown))
        )
        self.from_cache += len(found)
        if found or failed:
            self._deliver(
                job,
                found,
                np.array(vectors, np.float32).reshape(len(found), self._encoder.dimensions),
                failed,
            )

    def _embed(self, job: Job, group: Sequence[UnembeddedPassage]) -> None:
        started = self._clock.monotonic()
        done, vectors, failed = self._encode(group)
        self._recent_passages = RATE_MEMORY * self._recent_passages + len(done)
        self._recent_seconds = RATE_MEMORY * self._recent_seconds + self._clock.monotonic() - started
        self.embedded += len(done)
        for passage in failed:
            self._note_unembeddable(self._vector_id(passage))
        self._deliver(job, done, vectors, failed)
        if done:
            self.remember(dict(zip(map(self._vector_id, done), vectors, strict=True)))

    # The cache does not raise for what a disk does. A bug of it costs time here, never a job: one whose
    # passages were taken and not delivered would be waited for, and come up again, for ever.

    def _recall(self, ids: Sequence[bytes]) -> Mapping[bytes, FloatVector]:
        try:
            return self._cache.get_many(ids)
        except Exception:
            log.exception("the vector cache failed; embedding what it may know")
            return {}

    def remember(self, vectors: Mapping[bytes, FloatVector]) -> None:
        """Put vectors into the cache by their ids."""
        try:
            self._cache.put_many(vectors)
        except Exception:
            log.exception("the vector cache failed; its vectors will be computed again")

    def _encode(
        self, group: Sequence[UnembeddedPassage]
    ) -> tuple[list[UnembeddedPassage], FloatMatrix, list[UnembeddedPassage]]:
        """Those that have a vector, their vectors, and those that have none."""
        try:
            return list(group), self._encoder.encode_passages([passage.text for passage in group]), []
        except Exception as error:  # whatever the model does to one text, the others must not suffer
            if len(group) == 1:
                # The trace once: a fault that hits every text must not fill the disk with it.
                log.warning("a passage could not be embedded: %s", error, exc_info=self.failed == 0)
                return [], np.empty((0, self._encoder.dimensions), np.float32), list(group)
        parts = [self._encode([passage]) for passage in group]
        return (
            [passage for done, _, _ in parts for passage in done],
            np.concatenate([vectors for _, vectors, _ in parts]),
            [passage for _, _, failed in parts for passage in failed],
        )

    def _deliver(
        self,
        job: Job,
        done: Sequence[UnembeddedPassage],
        vectors: FloatMatrix,
        failed: Sequence[UnembeddedPassage],
    ) -> None:
        self.failed += len(failed)
        if not job.cancelled:
            delivery = Delivery(
                keys=tuple(passage.key for passage in done),
                vectors=vectors,
                failed=tuple(passage.key for passage in failed),
                made_by=self._encoder.fingerprint,
            )
            try:
                job.deliver(delivery)
            except Exception:  # the submitter's bug must not cost others their vectors
                log.exception("delivering %d vectors failed", len(done))
        job.remaining -= len(done) + len(failed)

    def _note_unembeddable(self, id_: bytes) -> None:
        self._unembeddable[id_] = None
        if len(self._unembeddable) > FAILED_TEXTS_MAX:
            del self._unembeddable[next(iter(self._unembeddable))]

    def _vector_id(self, passage: UnembeddedPassage) -> bytes:
        return vector_id(self._encoder.fingerprint, passage.text)


def _lengths(passages: Sequence[UnembeddedPassage]) -> list[int]:
    return [len(passage.text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN for passage in passages]
