"""Puts an engine together from its ports: the same for the daemon and for tests on fakes.

Threads are made here and started by ``Engine.start``; tests leave them alone and call ``step`` of ``writer``
and ``embedder`` themselves. Main thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.config import Settings
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import ModelSpec
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.checkpointer import Checkpointer
from mdmemd.engine.freshness import Freshness
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.preview import Previewer
from mdmemd.engine.projects import Projects, expanded
from mdmemd.engine.report import ModelStatus
from mdmemd.engine.restore import Restorer
from mdmemd.engine.roots import Roots
from mdmemd.engine.service import Service
from mdmemd.engine.state import State
from mdmemd.engine.writer import ModelReady, Writer
from mdmemd.errors import ModelUnavailableError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import FloatVector, ModelState
from mdmemd.ports import BlobStore, CheckpointDisk, Clock, Encoder, FileSystem, Parser
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
    load_encoder: Callable[[], Encoder]
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


def assemble(outside: Outside, *, model: ModelSpec, settings: Settings) -> Engine:
    """An engine that is not running yet; ``roots.load`` gives it its roots."""
    clock = outside.clock
    state = State()
    restorer, checkpointer = _saving(outside, model, state)

    def model_changed() -> None:
        """On the embedder's thread, before any vector is delivered."""
        if fingerprint := embedder.state().fingerprint:
            writer.post(ModelReady(fingerprint))
        state.notify()

    embedder = EmbedQueue(
        load=outside.load_encoder,
        cache=outside.open_cache,
        clock=clock,
        phase_changed=model_changed,
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
        projects=Projects(roots, configured=expanded(settings.projects, home=outside.home)),
        freshness=Freshness(
            state=state,
            writer=writer,
            clock=clock,
            budget_seconds=settings.search.fresh_budget_ms / 1000,
        ),
        searcher=Searcher(files=outside.files, embed_query=lambda text: _question_vector(embedder, text)),
        reader=Reader(files=outside.files),
        previewer=Previewer(files=outside.files, make_parser=outside.make_parser),
        model=lambda: _model_status(model, embedder),
        clock=clock,
        empty=RootIndex(dimensions=model.dimensions).freeze(),
        messages=(
            lambda: roots.message,
            lambda: embedder.state().model_message,
            lambda: embedder.state().cache_message,
            restorer.message,
            checkpointer.message,
            lambda: "; ".join(settings.warnings) or None,
        ),
    )
    workers = (
        *(Worker("writer", writer), Worker("embedder", embedder)),
        *(Worker("large-files", large), Worker("checkpointer", checkpointer)),
    )
    return Engine(clock, state, writer, embedder, large, checkpointer, roots, service, workers)


def _saving(outside: Outside, model: ModelSpec, state: State) -> tuple[Restorer, Checkpointer]:
    """What reads and writes saved indexes."""
    disk, made_by, dimensions = outside.checkpoints, model.fingerprint, model.dimensions
    return Restorer(disk, model=made_by, dimensions=dimensions), Checkpointer(
        disk, state=state, clock=outside.clock, model=made_by, dimensions=dimensions
    )


def _question_vector(embedder: EmbedQueue, text: str) -> FloatVector:
    """The vector of a question, within its time. Raises ``ModelUnavailableError``."""
    future = embedder.submit_query(text)
    try:
        return future.result(QUESTION_EMBED_SECONDS)
    except TimeoutError:
        future.cancel()
        loading = embedder.state().phase is ModelState.LOADING
        reason = "is still loading" if loading else f"took longer than {QUESTION_EMBED_SECONDS} s"
        raise ModelUnavailableError(
            f"The embedding model {reason}.", remedy="Ask again in a moment."
        ) from None


def _model_status(model: ModelSpec, embedder: EmbedQueue) -> ModelStatus:
    state = embedder.state()
    progress = embedder.progress()
    detail = f"{state.failure} {state.failure.remedy}".strip() if state.failure else None
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
