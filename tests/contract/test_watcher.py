"""One suite for the ``Watcher`` port, over the fake and inotify. It waits only by ``catch_up``."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.fake_watcher import FakeWatcher
from mdmemd.adapters.watching.polling import PollingOnly
from mdmemd.ports import Hint, RootWatch, Watcher, WatchMode

SECONDS_MAX = 20.0


class Disk:
    """A tree that can be changed; names are relative to ``folder``, which holds the root ``root``."""

    def __init__(self, folder: str, fake: FakeFiles | None) -> None:
        self.folder = folder
        self._fake = fake

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def write(self, name: str, content: str = "text") -> None:
        if self._fake:
            self._fake.write(self.path(name), content)
        else:
            Path(self.path(name)).write_text(content)

    def append(self, name: str, content: str) -> None:
        if self._fake:
            old, _ = self._fake.read(self.path(name), bytes_max=1000)
            self._fake.write(self.path(name), old + content.encode())
        else:
            with Path(self.path(name)).open("a") as file:
                file.write(content)

    def folder_at(self, name: str) -> None:
        if self._fake:
            self._fake.make_folder(self.path(name))
        else:
            Path(self.path(name)).mkdir(parents=True)

    def link(self, name: str, target: str) -> None:
        if self._fake:
            self._fake.link(self.path(name), self.path(target))
        else:
            os.symlink(self.path(target), self.path(name))

    def move(self, old: str, new: str) -> None:
        if self._fake:
            self._fake.move(self.path(old), self.path(new))
        else:
            os.rename(self.path(old), self.path(new))

    def remove(self, name: str) -> None:
        if self._fake:
            self._fake.remove(self.path(name))
        elif os.path.isdir(self.path(name)):
            shutil.rmtree(self.path(name))
        else:
            os.unlink(self.path(name))

    def change_mode(self, name: str) -> None:
        if self._fake:
            self._fake.touch(self.path(name))
        else:
            os.chmod(self.path(name), 0o640)

    def change_time(self, name: str) -> None:
        if self._fake:
            self._fake.touch(self.path(name))
        else:
            os.utime(self.path(name), (1, 1))

    def read(self, name: str) -> None:
        if self._fake:
            self._fake.read(self.path(name), bytes_max=1000)
            self._fake.list_directory(self.path("root"))
        else:
            Path(self.path(name)).read_text()
            os.listdir(self.path("root"))


class World:
    """A watcher over a disk with one root, and what was told of it."""

    def __init__(self, disk: Disk, watcher: Watcher) -> None:
        self.disk = disk
        self.watcher = watcher
        self._told: list[Hint] = []
        disk.folder_at("root/docs")
        disk.folder_at("outside")
        self.root = self.open()
        self.root.add("")
        self.root.add("docs")

    def open(self, mode: WatchMode | None = None) -> RootWatch:
        return self.watcher.open(self.disk.path("root"), self._told.append, mode=mode)

    def hints(self) -> list[Hint]:
        """All hints since the last call, of everything that was done up to now."""
        assert self.watcher.catch_up(timeout_seconds=SECONDS_MAX)
        told, self._told[:] = list(self._told), []
        return told

    def forget(self) -> None:
        """Drop what was told so far, without waiting for more."""
        self._told.clear()

    def told_of(self, change: Callable[[], None]) -> set[tuple[str, bool]]:
        """The distinct hints that a change makes."""
        self.hints()
        change()
        return {(hint.path, hint.is_tree) for hint in self.hints()}


@pytest.fixture(params=["fake", "inotify"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "fake":
        files = FakeFiles()
        yield World(Disk("/disk", files), FakeWatcher(files))
        return
    if sys.platform != "linux":
        pytest.skip("inotify is of Linux")
    from mdmemd.adapters.watching.inotify_watcher import InotifyWatcher

    watcher = InotifyWatcher(str(tmp_path / "private"))
    yield World(Disk(str(tmp_path), None), watcher)
    watcher.close()


def covers(told: set[tuple[str, bool]], path: str) -> bool:
    """Whether somebody who follows the hints looks at ``path``."""
    return any(
        name == path or (is_tree and (not name or path.startswith(f"{name}/"))) for name, is_tree in told
    )


def test_a_new_file_is_told_of(world: World) -> None:
    assert world.told_of(lambda: world.disk.write("root/a.md")) == {("a.md", False)}
    assert world.told_of(lambda: world.disk.write("root/docs/b.MDX")) == {("docs/b.MDX", False)}


def test_every_way_to_change_a_file_is_told_of(world: World) -> None:
    disk = world.disk
    disk.write("root/docs/a.md", "one")
    expected = {("docs/a.md", False)}
    assert world.told_of(lambda: disk.write("root/docs/a.md", "two")) == expected
    assert world.told_of(lambda: disk.append("root/docs/a.md", "three")) == expected
    assert world.told_of(lambda: disk.write("root/docs/a.md", "")) == expected
    assert world.told_of(lambda: disk.change_mode("root/docs/a.md")) == expected
    assert world.told_of(lambda: disk.change_time("root/docs/a.md")) == expected
    assert world.told_of(lambda: disk.remove("root/docs/a.md")) == expected


def test_f15_an_atomic_save_is_told_of_by_the_name_it_gets(world: World) -> None:
    world.disk.write("root/a.md", "old")
    world.disk.write("root/.a.tmp", "new")
    assert world.told_of(lambda: world.disk.move("root/.a.tmp", "root/a.md")) == {("a.md", False)}


def test_f15_moves_in_out_and_within(world: World) -> None:
    disk = world.disk
    disk.write("outside/a.md")
    assert world.told_of(lambda: disk.move("outside/a.md", "root/a.md")) == {("a.md", False)}
    assert world.told_of(lambda: disk.move("root/a.md", "root/docs/b.md")) == {
        ("a.md", False),
        ("docs/b.md", False),
    }
    assert world.told_of(lambda: disk.move("root/docs/b.md", "outside/b.md")) == {("docs/b.md", False)}


def test_a_link_is_told_of_by_its_name(world: World) -> None:
    world.disk.write("outside/a.md")
    assert world.told_of(lambda: world.disk.link("root/l.md", "outside/a.md")) == {("l.md", False)}


def test_f19_a_link_to_a_folder_is_not_followed(world: World) -> None:
    world.disk.link("root/away", "outside")
    assert world.told_of(lambda: world.disk.write("outside/a.md")) == set()


def test_f14_w1_reading_is_not_told_of(world: World) -> None:
    world.disk.write("root/a.md")
    assert world.told_of(lambda: world.disk.read("root/a.md")) == set()


def test_files_that_cannot_matter_are_not_told_of(world: World) -> None:
    def build() -> None:
        for name in ("foo.py", "a.md~", ".a.md.swp", "4913", "README"):
            world.disk.write(f"root/docs/{name}")
            world.disk.remove(f"root/docs/{name}")

    assert world.told_of(build) == set()


@pytest.mark.parametrize("name", [".gitignore", ".mdmemignore", ".mdmem.toml", ".git"])
def test_files_with_rules_are_told_of(world: World, name: str) -> None:
    assert world.told_of(lambda: world.disk.write(f"root/docs/{name}")) == {(f"docs/{name}", False)}


def test_a_new_folder_is_told_of_as_a_tree_and_nothing_is_missed_if_it_is_added_before_it_is_listed(
    world: World,
) -> None:
    assert world.told_of(lambda: world.disk.folder_at("root/new/deep")) == {("new", True)}
    world.root.add("new")
    world.root.add("new/deep")
    assert world.told_of(lambda: world.disk.write("root/new/deep/a.md")) == {("new/deep/a.md", False)}


def test_a_folder_that_nobody_added_costs_nothing(world: World) -> None:
    assert world.told_of(lambda: world.disk.folder_at("root/node_modules/x")) == {("node_modules", True)}
    assert world.told_of(lambda: world.disk.write("root/node_modules/x/a.md")) == set()
    assert world.root.status().watches == 2


def test_a_moved_folder_is_told_of_at_both_places(world: World) -> None:
    world.disk.write("root/docs/a.md")
    told = world.told_of(lambda: world.disk.move("root/docs", "root/texts"))
    assert told == {("docs", True), ("texts", True)}


def test_f16_a_folder_that_moved_away_is_not_told_of_any_more(world: World) -> None:
    world.disk.folder_at("root/docs/deep")
    world.root.add("docs/deep")
    world.disk.write("root/docs/deep/a.md")
    assert world.told_of(lambda: world.disk.move("root/docs", "outside/docs")) == {("docs", True)}
    assert world.told_of(lambda: world.disk.write("outside/docs/deep/a.md", "changed")) == set()
    assert world.root.status().watches == 1


def test_a_folder_that_was_replaced_is_watched_after_it_is_added_again(world: World) -> None:
    def replace() -> None:
        world.disk.move("root/docs", "outside/docs")
        world.disk.folder_at("root/docs")

    assert world.told_of(replace) == {("docs", True)}
    world.root.add("docs")
    assert world.told_of(lambda: world.disk.write("root/docs/a.md")) == {("docs/a.md", False)}
    assert world.told_of(lambda: world.disk.write("outside/docs/a.md")) == set()
    assert world.root.status().watches == 2


def test_a_deleted_folder_gives_its_watch_back(world: World) -> None:
    world.disk.write("root/docs/a.md")
    assert covers(world.told_of(lambda: world.disk.remove("root/docs")), "docs/a.md")
    assert world.root.status().watches == 1


def test_f17_a_root_that_is_deleted_and_made_again_is_told_of_both_times(world: World) -> None:
    assert ("", True) in world.told_of(lambda: world.disk.remove("root"))
    assert world.root.status().watches == 0
    assert ("", True) in world.told_of(lambda: world.disk.folder_at("root"))
    world.root.add("")
    assert world.told_of(lambda: world.disk.write("root/a.md")) == {("a.md", False)}


def test_f16_f17_a_root_that_is_moved_away_is_not_told_of_under_its_old_path(world: World) -> None:
    assert world.told_of(lambda: world.disk.move("root", "outside/moved")) == {("", True)}
    assert world.told_of(lambda: world.disk.write("outside/moved/docs/a.md")) == set()
    assert world.told_of(lambda: world.disk.move("outside/moved", "root")) == {("", True)}


def test_f17_a_root_that_is_not_there_yet_is_told_of_when_it_comes(world: World) -> None:
    told: list[Hint] = []
    late = world.watcher.open(world.disk.path("late"), told.append)
    late.add("")
    assert late.status().watches == 0
    world.disk.folder_at("late")
    world.hints()
    assert set(told) == {Hint("", is_tree=True)}
    late.add("")
    world.disk.write("late/a.md")
    world.hints()
    assert Hint("a.md", is_tree=False) in told


def test_keep_ends_all_other_watches(world: World) -> None:
    world.root.keep([""])
    assert world.root.status().watches == 1
    assert world.told_of(lambda: world.disk.write("root/docs/a.md")) == set()
    assert world.told_of(lambda: world.disk.write("root/a.md")) == {("a.md", False)}


def test_adding_again_does_nothing(world: World) -> None:
    for _ in range(3):
        world.root.add("docs")
    assert world.root.status().watches == 2
    told = world.hints()
    world.disk.remove("root/docs")
    assert told == []


def test_adding_what_is_not_there_does_nothing(world: World) -> None:
    world.disk.write("root/file")
    world.disk.link("root/away", "outside")
    for name in ("gone", "file", "docs/gone/deep"):
        world.root.add(name)
    assert world.root.status() == world.root.status()
    assert (world.root.status().mode, world.root.status().watches) == (WatchMode.EVENTS, 2)


def test_nothing_is_told_after_close(world: World) -> None:
    world.hints()
    world.disk.write("root/a.md")
    world.root.close()
    world.root.close()
    world.forget()
    assert world.hints() == []
    assert world.told_of(lambda: world.disk.write("root/b.md")) == set()
    assert world.root.status().watches == 0
    world.root.add("")
    assert world.root.status().watches == 0


def test_two_roots_of_one_folder_are_told_each(world: World) -> None:
    told: list[Hint] = []
    other = world.watcher.open(world.disk.path("root/docs"), told.append)
    other.add("")
    assert world.told_of(lambda: world.disk.write("root/docs/a.md")) == {("docs/a.md", False)}
    assert {(hint.path, hint.is_tree) for hint in told} == {("a.md", False)}
    world.root.close()
    told.clear()
    world.disk.write("root/docs/a.md", "changed")
    assert world.hints() == []
    assert {(hint.path, hint.is_tree) for hint in told} == {("a.md", False)}


def test_polling_has_no_hints_and_says_why(world: World) -> None:
    world.root.close()
    root = world.open(WatchMode.POLLING)
    root.add("")
    root.keep([""])
    assert world.told_of(lambda: world.disk.write("root/a.md")) == set()
    status = root.status()
    assert (status.mode, status.watches) == (WatchMode.POLLING, 0)
    assert status.reason
    root.close()


def test_a_watcher_that_only_polls_has_nothing_to_wait_for() -> None:
    watcher: Watcher = PollingOnly("asked for")
    root = watcher.open("/root", pytest.fail, mode=WatchMode.EVENTS)
    root.add("")
    assert root.status().mode is WatchMode.POLLING
    assert root.status().reason == "asked for"
    assert watcher.catch_up(timeout_seconds=0)
    watcher.close()
