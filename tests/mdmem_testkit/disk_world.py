"""An engine with its threads over the real disk and the real watcher; only the model is a fake.

For what fakes cannot show: that a storm of changes, seen through the kernel's events, ends in the state of
the disk. Waits on events only, with one ceiling.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from mdmem_testkit.fake_archives import FakeArchives
from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmem_testkit.fake_fetcher import FakeFetcher
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.fake_parser import FakeParser
from mdmem_testkit.fake_repositories import FakeRepositories
from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.index_states import sight
from mdmemd.adapters.posix_files import PosixFiles
from mdmemd.adapters.system_clock import SystemClock
from mdmemd.adapters.watching.polling import PollingOnly
from mdmemd.adapters.watching.system import system_watcher
from mdmemd.config import SearchSettings, Settings
from mdmemd.embed.registry import BUILT_IN
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.assembly import Engine, Outside, assemble
from mdmemd.engine.model_parts import ModelsOutside
from mdmemd.engine.state import Published, RootView
from mdmemd.ports import Watcher

DIMENSIONS = 32
CEILING_SECONDS = 60.0


class DiskWorld:
    """One running engine; ``private`` is its own folder, outside of all roots."""

    def __init__(
        self, private: Path, *, watcher: Watcher | None = None, fresh_budget_ms: int = 20_000
    ) -> None:
        private.mkdir(parents=True, exist_ok=True)
        self.encoder = FakeEncoder(dimensions=DIMENSIONS)
        self.clock = SystemClock()
        self.engine: Engine = assemble(
            Outside(
                files=PosixFiles(),
                clock=self.clock,
                blobs=FakeBlobs(),
                cache_blobs=FakeBlobs(),
                archives=FakeArchives(),
                checkpoints=FakeCheckpointDisk(),
                models=ModelsOutside(
                    load_encoder=lambda _: self.encoder,
                    load_reranker=lambda _: FakeReranker(),
                    folder=str(private / "models"),
                    blobs=FakeBlobs(),
                    fetcher=FakeFetcher(),
                ),
                open_cache=lambda: VectorCache(str(private / "vectors.sqlite"), clock=self.clock),
                make_parser=FakeParser,
                repositories=FakeRepositories(),
                watcher=watcher or system_watcher(str(private)),
                home="/nobody",
            ),
            settings=Settings(search=SearchSettings(fresh_budget_ms=fresh_budget_ms)),
            presets=(replace(BUILT_IN, dimensions=DIMENSIONS),),
        )
        self.engine.roots.load()
        self.engine.start()

    def add(self, folder: Path, *, name: str = "docs") -> None:
        """Register a folder and wait until all of it is embedded."""
        self.engine.service.add_root(str(folder), name=name)
        self.sync(name)

    def sync(self, name: str = "docs") -> RootView:
        """Wait until everything that was saved is indexed and embedded, and the root is in reach."""
        released = threading.Event()
        sync = self.engine.following.begin_sync(roots=(name,), released=released.set)
        assert released.wait(CEILING_SECONDS)
        assert sync.is_indexed
        return self.wait_for(name, lambda view: view.missing is None and not view.awaited_vectors)

    def wait_for(self, name: str, is_enough: Callable[[RootView], bool]) -> RootView:
        """Wait until the published view of a root is as it should be."""

        def holds(published: Published) -> bool:
            return name in published.roots and is_enough(published.roots[name])

        self.engine.state.wait_for(holds, timeout_seconds=CEILING_SECONDS)
        view = self.engine.state.current.roots[name]
        assert is_enough(view), view
        return view

    def sight(self, name: str = "docs") -> object:
        """All that a root answers, and its problems."""
        view = self.sync(name)
        return view.problems, sight(view.snapshot)

    def close(self) -> None:
        """Stop the threads and give back all watches."""
        self.engine.stop()


@contextmanager
def disk_world(private: Path, *, watcher: Watcher | None = None) -> Iterator[DiskWorld]:
    """A world that ends with its block."""
    world = DiskWorld(private, watcher=watcher)
    try:
        yield world
    finally:
        world.close()


def fresh_sight(private: Path, folder: Path) -> object:
    """What an engine sees that reads the folder for the first time, without any events."""
    with disk_world(private, watcher=PollingOnly("a fresh scan")) as world:
        world.add(folder)
        return world.sight()
