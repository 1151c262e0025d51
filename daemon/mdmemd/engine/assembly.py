"""Puts an engine together from its ports: the same for the daemon and for tests on fakes.

Threads are made here and started by ``Engine.start``; tests leave them alone and call ``step`` of ``writer``
and ``embedder`` themselves. Main thread.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mdmemd.config import Settings
from mdmemd.embed.model_choice import ModelChoice
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import PRESETS, ModelSpec, is_multilingual
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.archives import Archives
from mdmemd.engine.checkpointer import Checkpointer
from mdmemd.engine.chosen_model import ChosenModel
from mdmemd.engine.evaluation import Evaluator
from mdmemd.engine.events import ModelReady, Sleep, Wake
from mdmemd.engine.following import Following
from mdmemd.engine.freshness import Freshness
from mdmemd.engine.garbage import Garbage
from mdmemd.engine.hibernation import Hibernation
from mdmemd.engine.indexing import Indexing
from mdmemd.engine.journal import Journals
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.maintenance import Maintenance
from mdmemd.engine.model_parts import ModelParts, ModelsOutside, model_parts
from mdmemd.engine.model_status import cut_message, model_status
from mdmemd.engine.models import Models
from mdmemd.engine.on_demand import OnDemandVectors
from mdmemd.engine.preview import Previewer
from mdmemd.engine.projects import Projects
from mdmemd.engine.question_log import QuestionLog
from mdmemd.engine.question_parser import QuestionParser
from mdmemd.engine.question_vector import QuestionVectors
from mdmemd.engine.report import ModelStatus
from mdmemd.engine.restore import Restorer
from mdmemd.engine.root_table import RootTools
from mdmemd.engine.roots import Roots
from mdmemd.engine.scoping import Scoping
from mdmemd.engine.service import Service
from mdmemd.engine.state import State
from mdmemd.engine.watching import Watching
from mdmemd.engine.why_query import QueryExplainer
from mdmemd.engine.writer import Writer
from mdmemd.errors import OperatorError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import ModelIdentity, ModelState, Tick
from mdmemd.ports import (
    ArchiveFiles,
    BlobStore,
    CheckpointDisk,
    Clock,
    FileSystem,
    Parser,
    Repositories,
    Watcher,
    WatchMode,
)
from mdmemd.search.filtering import FilterResolver
from mdmemd.search.query import Words, no_words
from mdmemd.search.reading import Reader
from mdmemd.search.searcher import Searcher
from mdmemd.store.roots_file import RootsFile
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.globs import glob_problem
from mdmemd.sync.scope import SUFFIXES, ScopeRules
from mdmemd.workers import Worker

log = logging.getLogger(__name__)


STOP_SECONDS = 5.0
"""How long a worker may take to finish its step when the daemon stops; a step is far shorter."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The outside world of an engine.

    ``home`` is the user's home folder, which may not be a root; ``words`` cuts Chinese into words.
    """

    files: FileSystem
    clock: Clock
    blobs: BlobStore
    cache_blobs: BlobStore
    archives: ArchiveFiles
    checkpoints: CheckpointDisk
    models: ModelsOutside
    open_cache: Callable[[], VectorCache]
    make_parser: Callable[[], Parser]
    watcher: Watcher
    repositories: Repositories
    home: str
    words: Words = no_words


@dataclass(frozen=True, slots=True)
class Engine:
    """The parts that others need to see."""

    clock: Clock
    state: State
    watcher: Watcher
    writer: Writer
    embedder: EmbedQueue
    large: LargeFiles
    checkpointer: Checkpointer
    hibernation: Hibernation
    roots: Roots
    service: Service
    following: Following
    scoping: Scoping
    evaluator: Evaluator
    why_query: QueryExplainer
    asked: QuestionLog
    models: Models
    workers: tuple[Worker, ...]

    def start(self) -> None:
        """Start the threads."""
        for worker in self.workers:
            worker.start()
        threading.Thread(target=self.models.resume, name="model-change", daemon=True).start()

    def stop(self) -> None:
        """Stop the threads, let everybody go who still waits for them, and save what has changed."""
        self.watcher.close()
        self.evaluator.close()
        self.large.close()  # a file may take longer than the daemon has for its stop
        ended = [worker.stop(timeout_seconds=STOP_SECONDS) for worker in self.workers]
        if not all(ended):
            log.error("a worker did not stop within %s s", STOP_SECONDS)
        self.writer.close()
        self.embedder.close()
        if all(ended):
            self.checkpointer.close()
        self.asked.save()


def assemble(outside: Outside, *, settings: Settings, presets: tuple[ModelSpec, ...] = PRESETS) -> Engine:
    """An engine that is not running yet; ``roots.load`` gives it its roots."""
    clock = outside.clock
    state = State(first=Tick(int(1000 * clock.time())))
    journals = Journals()
    models = model_parts(
        outside.models, choice=ModelChoice(outside.blobs), settings=settings, presets=presets
    )
    restorer, checkpointer = _saving(outside, models.chosen, state)
    rules = _rules(outside, settings)

    def model_changed() -> None:
        """On the embedder's thread, before any vector is delivered."""
        found = embedder.state()
        if found.phase is ModelState.READY:
            writer.post(ModelReady(found.fingerprint, found.dimensions))
            facade.save_switched()
        state.notify()

    def model_switched() -> None:
        """On the writer's thread."""
        facade.switched()

    embedder = _embedder(outside, models, settings, model_changed)
    large = LargeFiles(files=outside.files, make_parser=outside.make_parser)
    writer = Writer(
        RootTools(
            files=outside.files,
            clock=clock,
            state=state,
            embedder=embedder,
            large=large,
            restore=restorer.restore,
            dimensions=lambda: models.chosen.identity.dimensions,
            switched=model_switched,
            watching=_watching(rules, outside.watcher, settings),
            journals=journals,
        )
    )
    facade = models.facade(embedder, state, post=writer.post)
    hibernation = _hibernation(settings, state, checkpointer, writer, clock=clock)
    roots = Roots(
        roots_file=RootsFile(outside.blobs, clock), files=outside.files, writer=writer, home=outside.home
    )
    freshness = _freshness(outside, settings, state, writer, hibernation)
    messages = _messages(roots, models.chosen, embedder, restorer, checkpointer, settings)
    asked = QuestionLog.load(outside.blobs, clock, is_on=settings.search.keep_questions)
    projects = Projects(roots, outside.files, configured=settings.projects, home=outside.home)
    parts = _AnsweringParts.of(outside, models, embedder, state)
    service = _service(outside, models, roots, projects, freshness, asked, parts, messages=messages)
    scoping = Scoping(roots, outside.files, freshness, journals, rules, service)
    return Engine(
        *(clock, state, outside.watcher, writer, embedder, large, checkpointer, hibernation),
        *(roots, service, Following(roots=roots, state=state, freshness=freshness, journals=journals)),
        *(scoping, Evaluator(service, files=outside.files, asked=asked)),
        QueryExplainer(service, scoping, searcher=parts.searcher, reader=parts.reader, filters=parts.filters),
        *(asked, facade),
        _workers(writer, embedder, large, checkpointer, hibernation),
    )


def _freshness(
    outside: Outside, settings: Settings, state: State, writer: Writer, hibernation: Hibernation
) -> Freshness:
    return Freshness(
        state=state,
        writer=writer,
        clock=outside.clock,
        watcher=outside.watcher,
        rouse=hibernation.rouse,
        budget_seconds=settings.search.fresh_budget_ms / 1000,
    )


def _embedder(
    outside: Outside, models: ModelParts, settings: Settings, phase_changed: Callable[[], None]
) -> EmbedQueue:
    return EmbedQueue(
        load=models.chosen.load,
        cache=outside.open_cache,
        clock=outside.clock,
        phase_changed=phase_changed,
        unload_after_seconds=60.0 * settings.embed.unload_after_minutes,
    )


@dataclass(frozen=True, slots=True)
class _AnsweringParts:
    """What makes answers, for the service and for who explains its answers."""

    vectors: QuestionVectors
    on_demand: OnDemandVectors
    searcher: Searcher
    reader: Reader
    filters: FilterResolver
    model: Callable[[], ModelStatus]

    @classmethod
    def of(cls, outside: Outside, models: ModelParts, embedder: EmbedQueue, state: State) -> _AnsweringParts:
        """One of each."""
        parser = QuestionParser(
            words=outside.words, is_multilingual=lambda: is_multilingual(models.chosen.identity.name)
        )
        vectors = QuestionVectors(embedder, parse=parser.parse)
        return cls(
            vectors=vectors,
            on_demand=OnDemandVectors(embedder, state, parse=parser.parse),
            searcher=Searcher(
                files=outside.files,
                embed_query=vectors.vector,
                reranker=models.reranker,
                parse=parser.parse,
            ),
            reader=Reader(files=outside.files),
            filters=FilterResolver(files=outside.files, clock=outside.clock),
            model=lambda: model_status(models.chosen, embedder),
        )


def _service(
    outside: Outside,
    models: ModelParts,
    roots: Roots,
    projects: Projects,
    freshness: Freshness,
    asked: QuestionLog,
    parts: _AnsweringParts,
    *,
    messages: Sequence[Callable[[], str | None]],
) -> Service:
    return Service(
        roots=roots,
        projects=projects,
        freshness=freshness,
        searcher=parts.searcher,
        filters=parts.filters,
        reader=parts.reader,
        previewer=Previewer(files=outside.files, make_parser=outside.make_parser),
        asked=asked,
        vectors=parts.vectors,
        on_demand=parts.on_demand,
        model=parts.model,
        clock=outside.clock,
        empty=RootIndex(dimensions=models.chosen.identity.dimensions).freeze(),
        messages=messages,
    )


def _messages(
    roots: Roots,
    chosen: ChosenModel,
    embedder: EmbedQueue,
    restorer: Restorer,
    checkpointer: Checkpointer,
    settings: Settings,
) -> tuple[Callable[[], str | None], ...]:
    """Who has something to say to a person, in the order of ``status``."""
    return (
        lambda: roots.message,
        lambda: chosen.given_up,
        lambda: embedder.state().model_message,
        lambda: embedder.state().cache_message,
        lambda: cut_message(embedder),
        restorer.message,
        checkpointer.message,
        lambda: "; ".join(settings.warnings) or None,
    )


def _rules(outside: Outside, settings: Settings) -> ScopeRules:
    """What decides which files are documents. Raises ``OperatorError`` for a glob that cannot be used."""
    for glob in settings.roots.exclude:
        if problem := glob_problem(glob):
            raise OperatorError(
                f"config.toml: the glob {glob!r} of roots.exclude {problem}.", remedy="Repair or remove it."
            )
    git = GitKnowledge(outside.repositories, outside.files, suffixes=SUFFIXES)
    return ScopeRules(exclude=settings.roots.exclude, git=git)


def _watching(rules: ScopeRules, watcher: Watcher, settings: Settings) -> Watching:
    mode = None if settings.watch.mode == "auto" else WatchMode(settings.watch.mode)
    return Watching(rules, watcher, mode, 60.0 * settings.watch.reconcile_minutes)


def maintain(engine: Engine, outside: Outside) -> Maintenance:
    """What keeps this engine in order."""
    return Maintenance(
        archives=Archives(
            outside.archives,
            roots=engine.roots,
            view=engine.service.fresh_view,
            adopt=engine.checkpointer.adopt,
            remember=engine.embedder.remember,
            model=lambda: engine.models.identity,
        ),
        garbage=Garbage(
            roots=lambda: [spec.path for spec in engine.roots.specs().values()],
            collect_saved=engine.checkpointer.collect,
            compact_cache=engine.embedder.compact_cache,
            blobs=(outside.blobs, outside.cache_blobs),
        ),
        indexing=Indexing(
            specs=engine.roots.specs, state=engine.state, writer=engine.writer, clock=engine.clock
        ),
    )


def _saving(outside: Outside, chosen: ChosenModel, state: State) -> tuple[Restorer, Checkpointer]:
    """What reads and writes saved indexes."""

    def model() -> ModelIdentity:
        return chosen.identity

    disk = outside.checkpoints
    restorer = Restorer(disk, model=model)
    checkpointer = Checkpointer(disk, state=state, clock=outside.clock, model=model, settled=restorer.forget)
    return restorer, checkpointer


def _workers(
    writer: Writer,
    embedder: EmbedQueue,
    large: LargeFiles,
    checkpointer: Checkpointer,
    hibernation: Hibernation,
) -> tuple[Worker, ...]:
    return (
        *(Worker("writer", writer), Worker("embedder", embedder)),
        *(Worker("large-files", large), Worker("checkpointer", checkpointer)),
        Worker("hibernation", hibernation),
    )


def _hibernation(
    settings: Settings, state: State, checkpointer: Checkpointer, writer: Writer, *, clock: Clock
) -> Hibernation:
    return Hibernation(
        state=state,
        clock=clock,
        after_seconds=60.0 * settings.roots.hibernate_after_minutes or math.inf,
        is_saved=checkpointer.is_saved,
        sleep=lambda name, revision: writer.post(Sleep(name, revision)),
        wake=lambda name: writer.post(Wake(name)),
    )
