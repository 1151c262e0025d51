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
from mdmemd.engine.freshness import Freshness
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.preview import Previewer
from mdmemd.engine.report import ModelStatus
from mdmemd.engine.roots import Roots
from mdmemd.engine.service import Service
from mdmemd.engine.state import State
from mdmemd.engine.writer import Writer
from mdmemd.errors import ModelUnavailableError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import FloatVector, ModelState
from mdmemd.ports import BlobStore, Clock, Encoder, FileSystem, Parser
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
    roots: Roots
    service: Service
    workers: tuple[Worker, ...]

    def start(self) -> None:
        """Start the threads."""
        for worker in self.workers:
            worker.start()

    def stop(self) -> None:
        """Stop the threads, then let everybody go who still waits for them."""
        self.large.close()  # a file may take longer than the daemon has for its stop
        for worker in self.workers:
            if not worker.stop(timeout_seconds=STOP_SECONDS):
                log.error("a worker did not stop within %s s", STOP_SECONDS)
        self.writer.close()
        self.embedder.close()


def assemble(outside: Outside, *, model: ModelSpec, settings: Settings) -> Engine:
    """An engine that is not running yet; ``roots.load`` gives it its roots."""
    clock = outside.clock
    state = State()
    embedder = EmbedQueue(
        load=outside.load_encoder,
        cache=outside.open_cache,
        clock=clock,
        phase_changed=state.notify,
    )
    large = LargeFiles(files=outside.files, make_parser=outside.make_parser)
    writer = Writer(
        files=outside.files,
        clock=clock,
        state=state,
        embedder=embedder,
        large=large,
        dimensions=model.dimensions,
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
            lambda: "; ".join(settings.warnings) or None,
        ),
    )
    workers = (Worker("writer", writer), Worker("embedder", embedder), Worker("large-files", large))
    return Engine(clock, state, writer, embedder, large, roots, service, workers)


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
