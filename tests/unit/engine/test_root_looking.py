"""Looks in bounded pieces, and what a walk in pieces concludes while the disk goes on changing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.fake_watcher import FakeRootWatch, FakeWatcher
from mdmemd.engine.root_looking import (
    LINKS_MAX,
    PATHS_MAX,
    PAUSE_FACTOR,
    POLLING_FACTOR,
    POLLING_SECONDS_MIN,
    RootLooking,
)
from mdmemd.model import Fingerprint
from mdmemd.ports import DirectoryEntry, Hint, WatchMode
from mdmemd.sync.pending import PendingSet
from mdmemd.sync.scope import Scope

FOLDERS = 5
LIST_SECONDS = 0.01
BUDGET_SECONDS = 0.02


class SlowFiles(FakeFiles):
    """Listing a folder takes its time, and lets something happen."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.after_listing: Callable[[str], None] = lambda _: None

    def list_directory(self, path: str) -> list[DirectoryEntry]:
        found = super().list_directory(path)
        self._clock.advance(LIST_SECONDS)
        self.after_listing(path)
        return found


class World:
    """A root of some folders with a document each; ``known`` is what its index has."""

    def __init__(self, mode: WatchMode = WatchMode.EVENTS) -> None:
        self.clock = FakeClock()
        self.files = SlowFiles(self.clock)
        for number in range(FOLDERS):
            self.files.write(f"/docs/{number}/a.md", "# A\n")
        self.known: dict[str, tuple[Fingerprint, bytes]] = {}
        self.watcher = FakeWatcher(self.files)
        self.hints: list[Hint] = []
        self.watch: FakeRootWatch = self.watcher.open("/docs", self.hints.append, mode=mode)
        self.looking = RootLooking(
            "/docs",
            files=self.files,
            clock=self.clock,
            watch=self.watch,
            known=lambda: self.known,
            tracked=tuple,
            scope=Scope(),
            reconcile_seconds=600.0,
            spread=0.5,
        )

    def note_hints(self) -> None:
        self.watcher.deliver()
        pending = PendingSet()
        for hint in self.hints:
            pending.add(hint)
        self.hints.clear()
        self.looking.note(pending)

    def look(self) -> tuple[str, ...]:
        """One piece; takes over what it found and returns what is gone."""
        started = self.clock.monotonic()
        looked = self.looking.look(budget_seconds=BUDGET_SECONDS)
        assert self.clock.monotonic() - started <= BUDGET_SECONDS + LIST_SECONDS
        self.known |= {path: (seen, b"") for path, seen in looked.seen.items()}
        for path in looked.gone:
            self.known.pop(path, None)
        return looked.gone

    def walk(self) -> list[str]:
        """Look until nothing is left for now."""
        gone: list[str] = []
        while self.looking.has_work(self.clock.monotonic()):
            gone += self.look()
        return gone


@pytest.fixture
def world() -> World:
    made = World()
    made.walk()
    assert len(made.known) == FOLDERS
    return made


def test_a_walk_is_taken_in_pieces(world: World) -> None:
    world.looking.require_walk()
    pieces = 0
    while world.looking.has_work(world.clock.monotonic()):
        world.look()
        pieces += 1
    assert pieces >= FOLDERS * LIST_SECONDS / BUDGET_SECONDS


def test_a_walk_that_nobody_waits_for_rests_between_its_pieces(world: World) -> None:
    world.clock.advance(600.0)
    world.look()
    assert world.looking.is_caught_up
    assert not world.looking.has_work(world.clock.monotonic())
    assert world.looking.due_at == pytest.approx(world.clock.monotonic() + PAUSE_FACTOR * BUDGET_SECONDS)
    world.looking.require_walk()
    assert world.looking.has_work(world.clock.monotonic())


def test_a_file_made_behind_the_walk_is_not_taken_for_gone(world: World) -> None:
    world.looking.require_walk()
    world.look()  # the root and one folder at least
    world.files.write("/docs/late.md", "# Late\n")
    world.note_hints()
    assert world.walk() == []
    assert "late.md" in world.known


def test_a_change_of_the_walks_folder_ahead_is_seen_once(world: World) -> None:
    world.looking.require_walk()
    world.look()
    for number in range(FOLDERS):
        world.files.remove(f"/docs/{number}/a.md")
    world.files.write("/docs/0/b.md", "# B\n")
    world.note_hints()
    gone = world.walk()
    assert sorted(gone) == sorted(set(gone))
    assert set(world.known) == {"0/b.md"}


def test_a_walk_that_is_asked_for_during_a_walk_begins_anew(world: World) -> None:
    first = world.looking.require_walk()
    world.look()
    second = world.looking.require_walk()
    assert second == first + 1
    world.walk()
    assert world.looking.walks_done == second


def test_the_whole_root_as_a_hint_is_a_walk_and_forgets_single_hints(world: World) -> None:
    done = world.looking.walks_done
    world.files.write("/docs/0/b.md", "# B\n")
    world.watcher.overflow()
    world.note_hints()
    assert world.looking.pending == 0
    assert not world.looking.is_caught_up
    world.walk()
    assert "0/b.md" in world.known
    assert world.looking.walks_done == done + 1


def test_a_changed_rule_has_its_folder_looked_at_and_its_watches_ended(world: World) -> None:
    world.files.write("/docs/1/deep/b.md", "# B\n")
    world.note_hints()
    world.walk()
    assert "1/deep" in world.watch.folders
    world.files.write("/docs/1/.mdmemignore", "deep/\n")
    world.note_hints()
    assert world.walk() == ["1/deep/b.md"]
    assert "1/deep" not in world.watch.folders
    assert "1/a.md" in world.known


def test_many_hints_are_looked_at_in_pieces(world: World) -> None:
    for number in range(PATHS_MAX + 10):
        world.files.write(f"/docs/0/{number}.md", "# N\n")
    world.note_hints()
    world.look()
    assert world.looking.pending == 10
    world.walk()
    assert len(world.known) == FOLDERS + PATHS_MAX + 10


def test_links_are_looked_at_again_when_somebody_asks(world: World) -> None:
    world.files.write("/docs/plain.txt", "x")
    for number in range(LINKS_MAX + 5):
        world.files.link(f"/docs/{number}.md", "/docs/plain.txt")
    world.note_hints()
    world.walk()
    world.looking.note_links()
    assert world.looking.pending == LINKS_MAX


@pytest.mark.parametrize("mode", list(WatchMode))
def test_when_a_root_is_walked_with_nobody_asking(mode: WatchMode) -> None:
    world = World(mode)
    world.walk()
    world.looking.require_walk()
    world.walk()
    interval = world.looking.due_at - world.clock.monotonic()
    if mode is WatchMode.EVENTS:
        assert 450.0 <= interval <= 750.0
    else:
        cost = (FOLDERS + 1) * LIST_SECONDS
        assert interval == pytest.approx(max(POLLING_SECONDS_MIN, POLLING_FACTOR * cost))
