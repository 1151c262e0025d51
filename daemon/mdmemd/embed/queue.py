"""The one caller of the model: questions and passages in, vectors out.

A question does not wait: its vector is computed on the thread that asks, beside whatever runs (measured on 2
cores that embed in bulk: 13 ms at the 95th percentile, where waiting for the end of a short call took 40).
The newest fresh edit overtakes older ones, and both overtake bulk work: a step is one short call of the model
or one look into the cache, so that an edit waits for one call at most.

Invariants: model and cache are opened by the first step, and the cache is touched by the embedder thread
alone. A model that cannot be loaded stays so until the daemon starts again: jobs are dropped and questions
refused, which leaves keyword search. Waiting blocks on a condition.

Threads: ``step`` on the embedder thread, ``close`` when that has ended, all else on any. Callbacks run on the
embedder thread and should only hand on what they get. A job's texts stay in memory until they are delivered.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from mdmemd.embed.backlog import Backlog, Delivery, Job
from mdmemd.embed.job_runner import JobRunner
from mdmemd.embed.recent_questions import RecentQuestions
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatMatrix, FloatVector, ModelState, UnembeddedPassage
from mdmemd.ports import Clock, Encoder

__all__ = ["Delivery", "EmbedProgress", "EmbedQueue", "EmbedState", "Ticket"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbedState:
    """The model: ``failure`` says why it will not be ready; until it is, the other facts are empty or 0.

    ``model_message`` and ``cache_message`` are what the user should know about how the model runs and about
    the vector cache, if anything.
    """

    phase: ModelState
    fingerprint: str = ""
    dimensions: int = 0
    failure: ModelUnavailableError | None = None
    model_message: str | None = None
    cache_message: str | None = None


@dataclass(frozen=True, slots=True)
class EmbedProgress:
    """Passages since the start: computed, found in the cache, failed; and those still to be delivered.

    ``cut`` counts texts longer than the model's limit; ``passages_per_second`` is that of the latest runs.
    """

    embedded: int = 0
    from_cache: int = 0
    failed: int = 0
    cut: int = 0
    queued: int = 0
    passages_per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What the first step opens."""

    encoder: Encoder
    cache: VectorCache
    runner: JobRunner


class Ticket:
    """A submitted job, to its submitter. Any thread."""

    def __init__(self, job: Job, *, end: Callable[[Job], None]) -> None:
        self._job = job
        self._end = end

    @property
    def done(self) -> bool:
        """Whether no further delivery will begin."""
        return self._job.cancelled or self._job.remaining == 0

    def cancel(self) -> None:
        """Drop what has not been delivered. A delivery that has begun meanwhile still arrives."""
        self._job.cancelled = True
        self._end(self._job)


class EmbedQueue:
    """A ``workers.Stepper``. ``load`` and ``cache`` are called by the first step, then ``phase_changed``."""

    def __init__(
        self,
        *,
        load: Callable[[], Encoder],
        cache: Callable[[], VectorCache],
        clock: Clock,
        phase_changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._load = load
        self._phase_changed = phase_changed
        self._open_cache = cache
        self._clock = clock
        self._loaded: _Loaded | None = None
        self._changed = threading.Condition()
        # Guarded by _changed.
        self._questions: list[tuple[str, Future[FloatVector]]] = []
        self._recent = RecentQuestions()
        self._backlog = Backlog()
        self._failure: ModelUnavailableError | None = None
        self._woken = False
        self._compactions: list[Future[tuple[int, int]]] = []
        self._memories: deque[tuple[list[bytes], FloatMatrix]] = deque()

    # --- any thread -----------------------------------------------------------------------------------------

    def state(self) -> EmbedState:
        """Whether vectors can be had now; a question asked while loading is answered after it."""
        failure, loaded = self._failure, self._loaded
        if failure is not None:
            return EmbedState(ModelState.FAILED, failure=failure)
        if loaded is None:
            return EmbedState(ModelState.LOADING)
        return EmbedState(
            ModelState.READY,
            fingerprint=loaded.encoder.fingerprint,
            dimensions=loaded.encoder.dimensions,
            model_message=loaded.encoder.message,
            cache_message=loaded.cache.message,
        )

    def progress(self) -> EmbedProgress:
        """The counters."""
        with self._changed:
            queued = self._backlog.remaining
        loaded = self._loaded
        if loaded is None:
            return EmbedProgress(queued=queued)
        return EmbedProgress(
            embedded=loaded.runner.embedded,
            from_cache=loaded.runner.from_cache,
            failed=loaded.runner.failed,
            cut=loaded.encoder.texts_cut,
            queued=queued,
            passages_per_second=loaded.runner.passages_per_second,
        )

    def submit_query(self, text: str) -> Future[FloatVector]:
        """The unit vector of a question, shape ``(dimensions,)``, read-only; at once if asked before.

        Computes it before it returns, unless the model is still being loaded. The future raises
        ``ModelUnavailableError`` where the model cannot be loaded or gives no vector, and after ``close``.
        """
        future: Future[FloatVector] = Future()
        with self._changed:
            loaded = self._loaded
            if self._failure is not None:
                future.set_exception(_anew(self._failure))
                return future
            if loaded is None:
                self._questions.append((text, future))
                return future
        self._answer(loaded.encoder, text, future)
        return future

    def submit(
        self, passages: Sequence[UnembeddedPassage], *, urgent: bool, deliver: Callable[[Delivery], None]
    ) -> Ticket:
        """Embed passages or find their vectors in the cache; ``deliver`` gets them in short batches.

        Each key is delivered once, or never where the model cannot be loaded, the ticket is cancelled or the
        queue closed.
        """
        job = Job(deque(passages), urgent=urgent, deliver=deliver, remaining=len(passages))
        with self._changed:
            if self._failure is not None:
                job.cancelled = True
            elif passages:
                self._backlog.add(job)
                self._changed.notify()
        return Ticket(job, end=self._end)

    def remember(self, ids: list[bytes], vectors: FloatMatrix) -> None:
        """Have the vector cache take vectors, shape ``(len(ids), dimensions)``, when nothing else is to do.

        They are dropped where there is no model, and so no cache.
        """
        with self._changed:
            if self._failure is None:
                self._memories.append((ids, vectors))
                self._changed.notify()

    def compact_cache(self) -> Future[tuple[int, int]]:
        """Have the vector cache compacted between two pieces of work: files removed, and bytes freed.

        Nothing where there is no model, and so no cache.
        """
        compacted: Future[tuple[int, int]] = Future()
        with self._changed:
            if self._failure is not None:
                compacted.set_result((0, 0))
                return compacted
            self._compactions.append(compacted)
            self._changed.notify()
        return compacted

    def wake(self) -> None:
        """Make a waiting ``step`` return."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def close(self) -> None:
        """Drop all jobs, refuse all questions and close the cache. The embedder thread must have ended."""
        self._give_up(ModelUnavailableError("The daemon is shutting down.", remedy="Ask again in a moment."))
        if self._loaded is not None:
            self._loaded.cache.close()

    # --- embedder thread ------------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Load the model and answer who waits for that, or wait for a job and take it one piece further."""
        if self._loaded is None and self._failure is None:
            self._start()
            self._phase_changed()
            return True
        with self._changed:
            self._changed.wait_for(self._has_reason_to_run, timeout_seconds)
            self._woken = False
            job = self._backlog.next()
            compactions, self._compactions = self._compactions, []
        if compactions:
            self._compact(compactions)
            return True
        if self._loaded is None:
            return False
        if job is None:
            return self._remember_next(self._loaded)
        self._loaded.runner.advance(job)
        if job.remaining == 0:
            self._end(job)
        return True

    def _has_reason_to_run(self) -> bool:
        is_asked = bool(self._compactions) or bool(self._memories)
        return self._woken or is_asked or self._backlog.next() is not None

    def _remember_next(self, loaded: _Loaded) -> bool:
        """Store some of the vectors to remember; whether there were any."""
        with self._changed:
            if not self._memories:
                return False
            ids, vectors = self._memories.popleft()
        loaded.runner.remember(dict(zip(ids, vectors, strict=True)))
        return True

    def _compact(self, compactions: Sequence[Future[tuple[int, int]]]) -> None:
        assert self._loaded is not None
        for compacted in compactions:
            if not compacted.set_running_or_notify_cancel():
                continue
            try:
                compacted.set_result(self._loaded.cache.compact())
            except Exception as error:  # whoever asked must get an end in any case
                log.exception("compacting the vector cache failed")
                compacted.set_exception(error)

    def _start(self) -> None:
        """Load model and cache; whatever goes wrong is told in ``state`` and is not tried again."""
        try:
            encoder = self._load()
            cache = self._open_cache()
        except ModelUnavailableError as error:
            log.warning("no vectors: %s %s", error, error.remedy)
            self._give_up(error)
        except (
            Exception
        ) as error:  # a broken installation of a library, say: keyword search goes on in any case
            log.exception("the embedding model could not be loaded")
            reason = f"The embedding model could not be loaded ({type(error).__name__}: {error})."
            self._give_up(
                ModelUnavailableError(
                    reason, remedy="See the log of mdmemd, and restart it when that is repaired."
                )
            )
        else:
            runner = JobRunner(encoder=encoder, cache=cache, clock=self._clock)
            with self._changed:
                self._loaded = _Loaded(encoder, cache, runner)
                questions, self._questions = self._questions, []
            for question in questions:
                self._answer(encoder, *question)

    # --- both -----------------------------------------------------------------------------------------------

    def _answer(self, encoder: Encoder, text: str, future: Future[FloatVector]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        with self._changed:
            vector = self._recent.get(text)
        if vector is None:
            try:
                vector = encoder.encode_query(text)
            except Exception:  # the caller must get an end in any case
                log.exception("a question could not be embedded")
                reason = "The embedding model gave no vector for this question."
                future.set_exception(ModelUnavailableError(reason, remedy="Put the question in other words."))
                return
            vector.setflags(write=False)
            with self._changed:
                self._recent.put(text, vector)
        future.set_result(vector)

    def _end(self, job: Job) -> None:
        with self._changed:
            self._backlog.discard(job)

    def _give_up(self, failure: ModelUnavailableError) -> None:
        """No vectors from now on: an end to all questions and jobs."""
        with self._changed:
            self._failure = failure
            questions, self._questions = self._questions, []
            compactions, self._compactions = self._compactions, []
            self._memories.clear()
            self._backlog.cancel_all()
        for compacted in compactions:
            if compacted.set_running_or_notify_cancel():
                compacted.set_result((0, 0))
        for _, future in questions:
            if future.set_running_or_notify_cancel():
                future.set_exception(_anew(failure))


def _anew(failure: ModelUnavailableError) -> ModelUnavailableError:
    """An exception of its own for each caller, since raising one writes to it."""
    return ModelUnavailableError(str(failure), remedy=failure.remedy)
