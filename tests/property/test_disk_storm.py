"""Random changes of real files, seen by the real watcher: the index ends as a fresh scan would make it.

Seeded. ``MDMEM_STORM=10000`` makes it long; ``MDMEM_STORM_SEED`` makes it another one.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from mdmem_testkit.disk_world import DiskWorld, disk_world, fresh_sight
from mdmem_testkit.index_states import first_difference
from mdmemd.adapters.watching.system import system_watcher
from mdmemd.model import SearchMode
from mdmemd.ports import Hint, RootWatch, Watcher, WatchMode, WatchStatus
from mdmemd.search.page import Question

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")

CHANGES = int(os.environ.get("MDMEM_STORM", "300"))
SEED = int(os.environ.get("MDMEM_STORM_SEED", "1"))
COMPARED_EVERY = 100
FOLDERS = ["", "a", "a/b", "a/b/c", "d", "node_modules", "e.md"]
NAMES = ["one.md", "two.md", "Three.MD", "four.markdown", "five.mdx", "six.txt", "seven.md~", ".eight.md"]


class Storm:
    """Changes a folder at random; ``outside`` is where things are moved to and come back from."""

    def __init__(self, root: Path, outside: Path, *, seed: int) -> None:
        self.root = root
        self.outside = outside
        self.random = random.Random(seed)
        self.number = 0
        self.changes: list[Callable[[], None]] = [
            *[self.write] * 6,
            *[self.append] * 3,
            *[self.save_atomically] * 3,
            *[self.rename] * 4,
            *[self.remove] * 2,
            *(self.truncate, self.touch, self.chmod, self.make_folder, self.remove_folder),
            *(self.move_folder, self.move_out, self.move_in, self.link, self.replace_by_folder),
        ]

    def change(self) -> None:
        """One change; what is not there or in the way makes it none."""
        try:
            self.random.choice(self.changes)()
        except (FileNotFoundError, NotADirectoryError, FileExistsError, IsADirectoryError, OSError):
            return

    def place(self) -> Path:
        return self.root / self.random.choice(FOLDERS) / self.random.choice(NAMES)

    def text(self) -> str:
        self.number += 1
        title, tail = self.random.randrange(20), self.random.random()
        return f"# Title {title}\n\nalpha word{self.number}\n\nbeta {tail}\n"

    def file(self) -> Path:
        """Some file that is there."""
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return self.random.choice(files) if files else self.place()

    def folder(self) -> Path:
        return self.root / self.random.choice(FOLDERS[1:])

    def write(self) -> None:
        self.place().write_text(self.text())

    def append(self) -> None:
        with self.file().open("a") as file:
            file.write("\nmore alpha\n")

    def truncate(self) -> None:
        os.truncate(self.file(), self.random.randrange(20))

    def touch(self) -> None:
        os.utime(self.file(), (1_000_000_000, 1_000_000_000))

    def chmod(self) -> None:
        self.file().chmod(0o600 | self.random.choice([0, 0o044]))

    def save_atomically(self) -> None:
        target = self.file()
        beside = target.with_name(f".{target.name}.tmp")
        beside.write_text(self.text())
        beside.replace(target)

    def rename(self) -> None:
        self.file().rename(self.place())

    def remove(self) -> None:
        self.file().unlink()

    def make_folder(self) -> None:
        self.folder().mkdir(parents=True)

    def remove_folder(self) -> None:
        if self.random.random() < 0.3:
            shutil.rmtree(self.folder())

    def move_folder(self) -> None:
        self.folder().rename(self.folder())

    def move_out(self) -> None:
        victim = self.random.choice([self.file(), self.folder()])
        victim.rename(self.outside / str(self.number))

    def move_in(self) -> None:
        waiting = sorted(self.outside.iterdir())
        if waiting:
            entry = self.random.choice(waiting)
            entry.rename(self.folder() if entry.is_dir() else self.place())

    def link(self) -> None:
        target = self.root / "plain.txt"
        if not target.exists():
            target.write_text("# Linked\n\nalpha\n")
        self.place().symlink_to(target)

    def replace_by_folder(self) -> None:
        path = self.file()
        path.unlink()
        path.mkdir()
        (path / "inner.md").write_text(self.text())


class LossyWatcher:
    """A watcher whose queue overflows: while ``is_full`` hints are lost, then every root is told so."""

    def __init__(self, inner: Watcher) -> None:
        self._inner = inner
        self._notify: list[Callable[[Hint], None]] = []
        self._is_full = False

    def open(
        self, folder: str, notify: Callable[[Hint], None], *, mode: WatchMode | None = None
    ) -> RootWatch:
        def pass_on(hint: Hint) -> None:
            if not self._is_full:
                notify(hint)

        self._notify.append(notify)
        return _Root(self._inner.open(folder, pass_on, mode=mode))

    def catch_up(self, *, timeout_seconds: float) -> bool:
        is_reached = self._inner.catch_up(timeout_seconds=timeout_seconds)
        if is_reached and self._is_full:
            self._is_full = False
            for notify in self._notify:
                notify(Hint("", is_tree=True))
        return is_reached

    def overflow(self) -> None:
        self._is_full = True

    def close(self) -> None:
        self._inner.close()


class _Root:
    def __init__(self, inner: RootWatch) -> None:
        self._inner = inner

    def add(self, folder: str) -> None:
        self._inner.add(folder)

    def keep(self, folders: Collection[str]) -> None:
        self._inner.keep(folders)

    def status(self) -> WatchStatus:
        return self._inner.status()

    def close(self) -> None:
        self._inner.close()


def check_search(world: DiskWorld, storm: Storm) -> None:
    """What was just saved is found, or the answer says that something is outstanding."""
    storm.number += 1
    path = storm.root / "asked" / f"{storm.number}.md"
    path.parent.mkdir(exist_ok=True)
    word = f"needle{storm.number}"
    path.write_text(f"# Asked\n\n{word}\n")
    answer = world.engine.service.search(Question(word, mode=SearchMode.KEYWORD))
    if answer.state.fresh:
        assert [hit.path for hit in answer.hits] == [str(path.relative_to(storm.root))], (word, answer)
    else:
        assert answer.state.outstanding


def rage(world: DiskWorld, storm: Storm, tmp_path: Path, *, before_each: Callable[[], None]) -> None:
    for number in range(CHANGES):
        before_each()
        storm.change()
        if number % 20 == 19:
            check_search(world, storm)
        if number % COMPARED_EVERY == COMPARED_EVERY - 1:
            expected = fresh_sight(tmp_path / f"fresh{number}", storm.root)
            assert first_difference(world.sight(), expected) is None, f"after {number + 1} changes"


@pytest.fixture
def storm(tmp_path: Path) -> Storm:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    outside.mkdir()
    made = Storm(root, outside, seed=SEED)
    for _ in range(30):
        made.write()
    return made


def test_a_storm_ends_in_the_state_of_the_disk(storm: Storm, tmp_path: Path) -> None:
    with disk_world(tmp_path / "private") as world:
        world.add(storm.root)
        rage(world, storm, tmp_path, before_each=lambda: None)


def test_a_storm_that_overflows_the_queue_does_too(storm: Storm, tmp_path: Path) -> None:
    """W7."""
    watcher = LossyWatcher(system_watcher(str(tmp_path / "private")))

    def overflow_at_times() -> None:
        if storm.random.random() < 0.05:
            watcher.overflow()

    with disk_world(tmp_path / "private", watcher=watcher) as world:
        world.add(storm.root)
        rage(world, storm, tmp_path, before_each=overflow_at_times)
