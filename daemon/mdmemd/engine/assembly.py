"""Puts an engine together from its ports: the same for the daemon and for tests on fakes.

Threads are made here and started by ``Engine.start``; tests leave them alone and call ``step`` of ``writer``
and ``embedder`` themselves. Main thread.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass

from mdmemd.config import Settings
from mdmemd.embed.model_choice import ModelChoice
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import PRESETS, ModelSpec
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.checkpointer import Checkpointer
from mdmemd.engine.chosen_model import ChosenModel
from mdmemd.engine.freshness import Freshness
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.model_parts import ModelsOutside, model_parts
from mdmemd.engine.models import Models
from mdmemd.engine.preview import Previewer
from mdmemd.engine.report import ModelStatus
from mdmemd.engine.restore import Restorer
from mdmemd.engine.roots import Roots
from mdmemd.engine.service import Service
from mdmemd.engine.state import State
from mdmemd.engine.writer import ModelReady, Writer
from mdmemd.errors import ModelUnavailableError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import FloatVector, ModelIdentity, ModelState
from mdmemd.ports import BlobStore, CheckpointDisk, Clock, FileSystem, Parser
from mdmemd.search.reading import Reader
from mdmemd.search.searcher import Searcher
from mdmemd.store.roots_file import RootsFile
from mdmemd.workers import Worker

log = logging.getLogger(__name__)

QUESTION_EMBED_SECONDS = 1.5
"""How long a question waits for its vector; then it is answered by keywords and says so.

Covers the load of the built-in model, so that the first question after a start is a full one.
"""

STOP_SECONDS = 5.0
"""How long a worker may take to finish its step when the daemon stops; a step is far shorter."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The outside world of an engine. ``home`` is the user's home folder, which may not be a root."""

    files: FileSystem
    clock: Clock
    blobs: BlobStore
    checkpoints: CheckpointDisk
    models: ModelsOutside
    open_cache: Callable[[], VectorCache]
    make_parser: Callable[[], Parser]
    home: str


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that others need to see."""

    clock: Clock
    state: State
    writer: Writer
    embedder: EmbedQueue
    large: LargeFiles
    checkpointer: Checkpointer
    roots: Roots
    service: Service
    models: Models
    workers: tuple[Worker, ...]

    def start(self) -> None:
        """Start the threads."""
        for worker in self.workers:
            worker.start()

    def stop(self) -> None:
        """Stop the threads, let everybody go who still waits for them, and save what has changed."""
        self.large.close()  # a file may take longer than the daemon has for its stop
        ended = [worker.stop(timeout_seconds=STOP_SECONDS) for worker in self.workers]
        if not all(ended):
            log.error("a worker did not stop within %s s", STOP_SECONDS)
        self.writer.close()
        self.embedder.close()
        if all(ended):
            self.checkpointer.close()


def assemble(outside: Outside, *, settings: Settings, presets: tuple[ModelSpec, ...] = PRESETS) -> Engine:
    """An engine that is not running yet; ``roots.load`` gives it its roots."""
    clock = outside.clock
    state = State()
    models = model_parts(
        outside.models, choice=ModelChoice(outside.blobs), settings=settings, presets=presets
    )
    chosen = models.chosen
    restorer, checkpointer = _saving(outside, chosen, state)

    def model_changed() -> None:
        """On the embedder's thread, before any vector is delivered."""
        found = embedder.state()
        if found.phase is ModelState.READY:
            writer.post(ModelReady(found.fingerprint, found.dimensions))
        state.notify()

    embedder = EmbedQueue(
        load=chosen.load,
        cache=outside.open_cache,
        clock=clock,
        phase_changed=model_changed,
        unload_after_seconds=60.0 * settings.embed.unload_after_minutes,
    )
    large = LargeFiles(files=outside.files, make_parser=outside.make_parser)
    writer = Writer(
        files=outside.files,
        clock=clock,
        state=state,
        embedder=embedder,
        large=large,
        restore=restorer.restore,
    )
    roots = Roots(
        roots_file=RootsFile(outside.blobs, clock), files=outside.files, writer=writer, home=outside.home
    )
    service = Service(
        roots=roots,
        freshness=Freshness(
            state=state,
            writer=writer,
            clock=clock,
            budget_seconds=settings.search.fresh_budget_ms / 1000,
        ),
        searcher=Searcher(
            files=outside.files,
            embed_query=functools.partial(_question_vector, embedder),
            reranker=models.reranker,
        ),
        reader=Reader(files=outside.files),
        previewer=Previewer(files=outside.files, make_parser=outside.make_parser),
        model=lambda: _model_status(chosen, embedder),
        clock=clock,
        empty=RootIndex(dimensions=chosen.identity.dimensions).freeze(),
        messages=_messages(roots, embedder, restorer, checkpointer, settings),
    )
    facade = models.facade(embedder)
    workers = _workers(writer, embedder, large, checkpointer)
    return Engine(clock, state, writer, embedder, large, checkpointer, roots, service, facade, workers)


def _workers(
    writer: Writer, embedder: EmbedQueue, large: LargeFiles, checkpointer: Checkpointer
) -> tuple[Worker, ...]:
    """A thread for each, in the order in which they are started and stopped."""
    return (
        *(Worker("writer", writer), Worker("embedder", embedder)),
        *(Worker("large-files", large), Worker("checkpointer", checkpointer)),
    )


def _messages(
    roots: Roots, embedder: EmbedQueue, restorer: Restorer, checkpointer: Checkpointer, settings: Settings
) -> tuple[Callable[[], str | None], ...]:
    """Who has something to say to a person, in the order of ``status``."""
    return (
        lambda: roots.message,
        lambda: embedder.state().model_message,
        lambda: embedder.state().cache_message,
        restorer.message,
        checkpointer.message,
        lambda: "; ".join(settings.warnings) or None,
    )


def _saving(outside: Outside, chosen: ChosenModel, state: State) -> tuple[Restorer, Checkpointer]:
    """What reads and writes saved indexes."""

    def model() -> ModelIdentity:
        return chosen.identity

    disk = outside.checkpoints
    return Restorer(disk, model=model), Checkpointer(disk, state=state, clock=outside.clock, model=model)


def _question_vector(embedder: EmbedQueue, text: str, made_by: Collection[str]) -> FloatVector:
    """The vector of a question by the model of these fingerprints, within its time.

    Raises ``ModelUnavailableError``.
    """
    future = embedder.submit_query(text, made_by=made_by)
    try:
        return future.result(QUESTION_EMBED_SECONDS)
    except TimeoutError:
        future.cancel()
        loading = embedder.state().phase is ModelState.LOADING
        reason = "is still loading" if loading else f"took longer than {QUESTION_EMBED_SECONDS} s"
        raise ModelUnavailableError(
            f"The embedding model {reason}.", remedy="Ask again in a moment."
        ) from None


def _model_status(chosen: ChosenModel, embedder: EmbedQueue) -> ModelStatus:
    model = chosen.identity
    state = embedder.state()
    progress = embedder.progress()
    detail = f"{state.failure} {state.failure.remedy}".strip() if state.failure else None
    if state.is_unloaded:
        detail = "unloaded after long idleness, and loaded again when it is needed"
    return ModelStatus(
        name=model.name,
        state=state.phase,
        dimensions=model.dimensions,
        fingerprint=state.fingerprint,
        detail=detail,
        computed=progress.embedded,
        from_cache=progress.from_cache,
        queued=progress.queued,
        passages_per_second=progress.passages_per_second,
    )
