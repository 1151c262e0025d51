"""The one caller of the model: questions and passages in, vectors out.

A question does not wait: its vector is computed on the thread that asks, beside whatever runs (measured on 2
cores that embed in bulk: 13 ms at the 95th percentile, where waiting for the end of a short call took 40).
The newest fresh edit overtakes older ones, and both overtake bulk work: a step is one short call of the model
or one look into the cache, so that an edit waits for one call at most.

Invariants: model and cache are opened by the first step, and the cache is touched by the embedder thread
alone. A model that cannot be loaded stays so until another is chosen or the daemon starts again: jobs are
dropped and questions refused, which leaves keyword search. A model that nobody has used for long is unloaded
(``loaded_model``) and loaded again by the next question or passage. During a change of model there are two
(``model_pair``); a question for vectors of certain models is never answered by another (``made_by``). Waiting
blocks on a condition.

Threads: ``step`` on the embedder thread, ``close`` when that has ended, all else on any. Callbacks run on the
embedder thread and should only hand on what they get. A job's texts stay in memory until they are delivered.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future

from mdmemd.embed.asked_question import AskedQuestion, anew, recent_key
from mdmemd.embed.backlog import Backlog, Delivery, Job
from mdmemd.embed.hurry import Hurry
from mdmemd.embed.job_runner import JobRunner
from mdmemd.embed.loaded_model import Load
from mdmemd.embed.model_pair import ModelPair
from mdmemd.embed.queue_report import EmbedProgress, EmbedState
from mdmemd.embed.recent_questions import RecentQuestions
from mdmemd.embed.ticket import Ticket
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatMatrix, FloatVector, ModelState, UnembeddedPassage, VectorKey
from mdmemd.ports import Clock, Encoder

__all__ = ["Delivery", "EmbedProgress", "EmbedQueue", "EmbedState", "Load", "Ticket"]

log = logging.getLogger(__name__)


class EmbedQueue:
    """A ``workers.Stepper``.

    ``load`` and ``cache`` are called by the first step. ``phase_changed`` is called on the embedder thread
    after each load, failed or not, and each replacement, before any vector of it is delivered.
    ``unload_after_seconds`` 0 never unloads.
    """

    def __init__(
        self,
        *,
        load: Load,
        cache: Callable[[], VectorCache],
        clock: Clock,
        phase_changed: Callable[[], None] = lambda: None,
        unload_after_seconds: float = 0.0,
    ) -> None:
        self._models = ModelPair(load, clock=clock, unload_after_seconds=unload_after_seconds)
        self._phase_changed = phase_changed
        self._open_cache = cache
        self._clock = clock
        self._cache: VectorCache | None = None
        self._runner: JobRunner | None = None
        self._changed = threading.Condition()
        # Guarded by _changed.
        self._questions: list[AskedQuestion] = []
        self._recent = RecentQuestions()
        self._backlog = Backlog()
        self._failure: ModelUnavailableError | None = None
        self._replacement: tuple[Encoder, Load] | None = None
        self._hurried: deque[Hurry] = deque()
        self._changes: deque[Callable[[ModelPair], bool]] = deque()
        self._woken = False
        self._compactions: list[Future[tuple[int, int]]] = []
        self._memories: deque[tuple[list[bytes], FloatMatrix]] = deque()

    # --- any thread -----------------------------------------------------------------------------------------

    def state(self) -> EmbedState:
        """Whether vectors can be had now; a question asked while loading is answered after it."""
        model = self._models.current
        failure, facts, cache = self._failure, model.facts, self._cache
        if failure is not None:
            return EmbedState(ModelState.FAILED, failure=failure)
        if facts is None:
            return EmbedState(ModelState.LOADING)
        return EmbedState(
            ModelState.READY,
            fingerprint=facts.fingerprint,
            dimensions=facts.dimensions,
            model_message=facts.message,
            cache_message=cache.message if cache is not None else None,
            is_unloaded=not model.is_loaded,
        )

    def progress(self) -> EmbedProgress:
        """The counters."""
        with self._changed:
            queued = self._backlog.remaining
        runner = self._runner
        if runner is None:
            return EmbedProgress(queued=queued)
        return EmbedProgress(
            embedded=runner.embedded,
            from_cache=runner.from_cache,
            failed=runner.failed,
            cut=self._models.texts_cut,
            queued=queued,
            passages_per_second=runner.passages_per_second,
        )

    def submit_query(self, text: str, *, made_by: Collection[str] = ()) -> Future[FloatVector]:
        """The unit vector of a question, shape ``(dimensions,)``, read-only; at once if asked before.

        Computes it before it returns, unless the model has to be loaded first. The future raises
        ``ModelUnavailableError`` where the model cannot be loaded or gives no vector, where its fingerprint
        is not the only one of ``made_by`` (if any are given), and after ``close``.
        """
        question = AskedQuestion(text, frozenset(made_by), Future())
        model = self._models.find(made_by) or self._models.current
        with model.use() as encoder:
            with self._changed:
                if self._failure is not None and model is self._models.current:
                    question.future.set_exception(anew(self._failure))
                    return question.future
                facts = model.facts
                known = self._recent.get(recent_key(facts.fingerprint, text)) if facts is not None else None
                if encoder is None and known is None:
                    self._questions.append(question)
                    self._changed.notify()
                    return question.future
            if encoder is not None:
                self._answer(encoder, question)
            elif known is not None and facts is not None and question.fits(facts.fingerprint):
                question.future.set_result(known)
        return question.future

    def submit(
        self,
        passages: Sequence[UnembeddedPassage],
        *,
        urgent: bool,
        deliver: Callable[[Delivery], None],
        owner: bytes = b"",
        made_by: str = "",
    ) -> Ticket:
        """Embed passages or find their vectors in the cache; ``deliver`` gets them in short batches.

        ``owner`` is what ``hurry`` knows the keys by.
        ``made_by`` is the fingerprint of the model to use, else the one in use does it. Each key is delivered
        once, or never where the model cannot be loaded or is not here any more, the ticket is cancelled or
        the queue closed.
        """
        job = Job.of(passages, urgent=urgent, deliver=deliver, owner=owner, made_by=made_by)
        with self._changed:
            if self._failure is not None:
                job.cancelled = True
            elif passages:
                self._backlog.add(job)
                self._changed.notify()
        return Ticket(job, end=self._end)

    def replace_model(self, encoder: Encoder, load: Load) -> None:
        """Go on with another model, which is loaded already; ``load`` loads it again after an unloading.

        Jobs that wait are embedded by it. Takes effect with the next step, which calls ``phase_changed``.
        """
        with self._changed:
            self._replacement = (encoder, load)
            self._changed.notify()

    def hurry(self, owner: bytes, keys: Sequence[VectorKey]) -> Future[tuple[VectorKey, ...]]:
        """Embed these of the passages that wait before all others, with the next step.

        They are delivered as to be expected; the future then tells which have got a vector.
        """
        hurried = Hurry(owner, keys if self._failure is None else ())
        with self._changed:
            self._hurried.append(hurried)
            self._changed.notify()
        return hurried.future

    def change_models(self, change: Callable[[ModelPair], bool]) -> None:
        """Have one of the changes of ``ModelPair`` made by the next steps, in order.

        ``phase_changed`` is called after one that returns that another model is in use now.
        """
        with self._changed:
            self._changes.append(change)
            self._changed.notify()

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
        if self._cache is not None:
            self._cache.close()

    # --- embedder thread ------------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Load or replace the model, or wait for a job and take it one piece further, or unload."""
        with self._changed:
            replacement, self._replacement = self._replacement, None
            change = self._changes.popleft() if self._changes else None
        if replacement is not None:
            self._start(lambda: self._models.current.replace(*replacement))
            return True
        if change is not None:
            if change(self._models):
                self._failure = None
                self._phase_changed()
            return True
        if self._models.current.facts is None and self._failure is None:
            self._start(self._models.current.load)
            return True
        with self._changed:
            self._changed.wait_for(self._has_reason_to_run, self._patience(timeout_seconds))
            self._woken = False
            job = self._backlog.next()
            is_needed = job is not None or bool(self._questions)
            compactions, self._compactions = self._compactions, []
        if compactions:
            self._compact(compactions)
            return True
        if self._failure is not None and not self._hurried:
            return False
        if is_needed and not self._models.current.is_loaded:
            self._start(self._models.current.load)
            return True
        if self._hurried:
            self._run_hurried()
            return True
        if job is None:
            return self._remember_next() or self._models.unload_if_idle()
        self._advance(job)
        return True

    def _has_reason_to_run(self) -> bool:
        is_asked = bool(
            self._compactions or self._memories or self._replacement or self._changes or self._hurried
        )
        has_questions = bool(self._questions) and self._failure is None
        return self._woken or is_asked or has_questions or self._backlog.next() is not None

    def _run_hurried(self) -> None:
        with self._changed:
            hurried = self._hurried.popleft()
            jobs = self._backlog.take(hurried.owner, hurried.keys)
        hurried.run(jobs, self._advance)

    def _remember_next(self) -> bool:
        """Store some of the vectors to remember; whether there were any."""
        with self._changed:
            if not self._memories or self._runner is None:
                return False
            ids, vectors = self._memories.popleft()
        self._runner.remember(dict(zip(ids, vectors, strict=True)))
        return True

    def _compact(self, compactions: Sequence[Future[tuple[int, int]]]) -> None:
        assert self._cache is not None
        for compacted in compactions:
            if not compacted.set_running_or_notify_cancel():
                continue
            try:
                compacted.set_result(self._cache.compact())
            except Exception as error:  # whoever asked must get an end in any case
                log.exception("compacting the vector cache failed")
                compacted.set_exception(error)

    def _patience(self, timeout_seconds: float | None) -> float | None:
        """How long to wait at most: until the model may be unloaded."""
        idle = self._models.seconds_until_idle()
        return min((each for each in (timeout_seconds, idle) if each is not None), default=None)

    def _advance(self, job: Job) -> None:
        runner = self._runner
        model = self._models.find((job.made_by,) if job.made_by else ())
        if model is None or not model.is_loaded:
            job.cancelled = True  # its model has gone: whoever wants vectors now, wants others
            self._end(job)
            return
        with model.use() as encoder:
            assert runner is not None
            runner.encoder = encoder
            runner.advance(job)
            runner.encoder = None
        if job.remaining == 0:
            self._end(job)

    def _start(self, load: Callable[[], None]) -> None:
        """Load model and cache; whatever goes wrong is told in ``state`` and is not tried again."""
        try:
            load()
            if self._cache is None:
                self._cache = self._open_cache()
                self._runner = JobRunner(encoder=None, cache=self._cache, clock=self._clock)
        except ModelUnavailableError as error:
            log.warning("no vectors: %s %s", error, error.remedy)
            self._give_up(error)
        except Exception as error:  # a broken installation, say: keyword search goes on in any case
            log.exception("the embedding model could not be loaded")
            reason = f"The embedding model could not be loaded ({type(error).__name__}: {error})."
            self._give_up(
                ModelUnavailableError(
                    reason, remedy="See the log of mdmemd, and restart it when that is repaired."
                )
            )
        else:
            self._failure = None
            self._phase_changed()
            with self._changed:
                questions, self._questions = self._questions, []
            with self._models.current.use() as encoder:
                assert encoder is not None, "unloaded by another thread"
                for question in questions:
                    self._answer(encoder, question)
            return
        self._phase_changed()

    # --- both -----------------------------------------------------------------------------------------------

    def _answer(self, encoder: Encoder, question: AskedQuestion) -> None:
        future = question.future
        if not future.set_running_or_notify_cancel() or not question.fits(encoder.fingerprint):
            return
        key = recent_key(encoder.fingerprint, question.text)
        with self._changed:
            vector = self._recent.get(key)
        if vector is None:
            try:
                vector = encoder.encode_query(question.text)
            except Exception:  # the caller must get an end in any case
                log.exception("a question could not be embedded")
                reason = "The embedding model gave no vector for this question."
                future.set_exception(ModelUnavailableError(reason, remedy="Put the question in other words."))
                return
            vector.setflags(write=False)
            with self._changed:
                self._recent.put(key, vector)
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
            hurries, self._hurried = self._hurried, deque()
        for hurried in hurries:
            hurried.future.set_result(())
        for compacted in compactions:
            if compacted.set_running_or_notify_cancel():
                compacted.set_result((0, 0))
        for question in questions:
            if question.future.set_running_or_notify_cancel():
                question.future.set_exception(anew(failure))
