"""An engine on fakes: an in-memory tree, a clock that stands, an encoder of hashed words, and no threads.

``settle`` steps the workers until none has anything to do, so a test says when work happens. Calls that wait
for the writer need its thread: ``engine.start``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mdmem_testkit.fake_archives import FakeArchives
from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmem_testkit.fake_fetcher import FakeFetcher
from mdmem_testkit.fake_files import FakeBlobs, FakeFiles
from mdmem_testkit.fake_parser import FakeParser
from mdmem_testkit.fake_repositories import FakeRepositories
from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.fake_watcher import FakeWatcher
from mdmem_testkit.index_states import sight
from mdmemd.config import SearchSettings, Settings, WatchSettings
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import BUILT_IN, ModelSpec
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.assembly import Engine, Outside, assemble, maintain
from mdmemd.engine.model_parts import ModelsOutside
from mdmemd.engine.report import RootStatus
from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import Encoder

DIMENSIONS = 32
STEPS_MAX = 10_000


class EngineWorld:
    """One engine and its outside world; ``restart`` makes another engine over the same world.

    ``presets`` are models beside the first one; each has an encoder of hashed words of its own, the last one
    that was loaded in ``loaded``.

    A file that is larger than the writer parses itself waits for ``engine.large.step``.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fresh_budget_ms: int = 0,
        watched: bool = False,
        presets: tuple[ModelSpec, ...] = (),
    ) -> None:
        """Roots are polled, unless ``watched``."""
        self.files = FakeFiles()
        self.watcher = FakeWatcher(self.files)
        self.files.make_folder("/home/me")
        self.repositories = FakeRepositories()
        self.blobs = FakeBlobs()
        self.cache_blobs = FakeBlobs()
        self.archives = FakeArchives()
        self.checkpoints = FakeCheckpointDisk()
        self.clock = FakeClock()
        self.encoder = FakeEncoder(dimensions=DIMENSIONS)
        self.parser = FakeParser()
        self.model_failure: ModelUnavailableError | None = None
        self.fetcher = FakeFetcher()
        self.presets = presets
        self.loaded: dict[str, FakeEncoder] = {}
        self._models_folder = str(folder / "models")
        self._cache_path = str(folder / "vectors.sqlite")
        self._settings = Settings(
            search=SearchSettings(fresh_budget_ms=fresh_budget_ms),
            watch=WatchSettings(mode="events" if watched else "polling"),
        )
        self.engine: Engine = None  # type: ignore[assignment]
        self.engine = self.restart()

    def restart(self) -> Engine:
        """A new engine with the saved list of roots; the old one is gone as after a crash."""
        if self.engine is not None:
            self.engine.embedder.close()  # the vector cache can be opened once
        outside = Outside(
            files=self.files,
            clock=self.clock,
            blobs=self.blobs,
            cache_blobs=self.cache_blobs,
            archives=self.archives,
            checkpoints=self.checkpoints,
            models=ModelsOutside(
                load_encoder=self._load,
                load_reranker=lambda _: FakeReranker(),
                folder=self._models_folder,
                blobs=FakeBlobs(),
                fetcher=self.fetcher,
            ),
            open_cache=lambda: VectorCache(self._cache_path, clock=self.clock),
            make_parser=lambda: self.parser,
            watcher=self.watcher,
            repositories=self.repositories,
            home="/home/me",
        )
        first = replace(BUILT_IN, dimensions=DIMENSIONS)
        self.engine = assemble(outside, settings=self._settings, presets=(first, *self.presets))
        self.maintenance = maintain(self.engine, outside)
        self.engine.roots.load()
        return self.engine

    def settle(self) -> None:
        """Step all workers until they are idle."""
        self.step_until(lambda: False)

    def step_until(self, is_enough: Callable[[], bool]) -> None:
        """Step all workers until it is enough, or they are idle."""
        for _ in range(STEPS_MAX):
            worked = self.engine.writer.step(timeout_seconds=0.0)
            worked = self.engine.large.step(timeout_seconds=0.0) or worked
            worked = self.engine.embedder.step(timeout_seconds=0.0) or worked
            if not worked or is_enough():
                return
        raise AssertionError("the engine does not come to rest")

    def save(self) -> None:
        """Let the checkpointer save every root that has changed and may be saved."""
        self.engine.checkpointer.step(timeout_seconds=0.0)
        self.clock.advance(100.0)
        while self.engine.checkpointer.step(timeout_seconds=0.0):
            pass

    def sight(self, name: str = "docs") -> object:
        """All that a root answers; equal to that of another engine that has read the same files."""
        view = self.engine.state.current.roots[name]
        return self.status(name).state, view.problems, sight(view.snapshot)

    def fresh_sight(self, folder: Path, path: str) -> object:
        """What another engine sees that reads the same files for the first time."""
        other = EngineWorld(folder)
        other.files = self.files
        other.encoder = FakeEncoder(dimensions=DIMENSIONS, fingerprint=self.encoder.fingerprint)
        other.restart()
        added = other.add(path)
        try:
            return other.sight(added.name)
        finally:
            other.close()

    def close(self) -> None:
        """End the engine as if its threads had ended."""
        self.engine.writer.close()
        self.engine.embedder.close()

    def add(self, path: str, *, name: str = "") -> RootStatus:
        """Register a folder and let everything be indexed and embedded."""
        status, _ = self.engine.service.add_root(path, name=name)
        self.settle()
        return self.status(status.name)

    def status(self, name: str) -> RootStatus:
        """One root as ``status`` shows it."""
        return next(status for status in self.engine.service.roots() if status.name == name)

    def _load(self, files: ModelFiles) -> Encoder:
        if self.model_failure is not None:
            raise self.model_failure
        if files.spec.name == BUILT_IN.name:
            return self.encoder
        loaded = FakeEncoder(dimensions=files.spec.dimensions, fingerprint=files.spec.fingerprint)
        self.loaded[files.spec.name] = loaded
        return loaded
