"""The watcher of macOS over streams that a test drives."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmemd.adapters.watching.fsevents_root import Events
from mdmemd.adapters.watching.fsevents_watcher import FsEventsWatcher
from mdmemd.ports import Hint, WatchMode

SECONDS_MAX = 20.0

CREATED = 0x100
REMOVED = 0x200
RENAMED = 0x800
MODIFIED = 0x1000
FILE = 0x10000
FOLDER = 0x20000


class FakeStream:
    """A stream over ``folders``; ``deliver`` calls back on the calling thread."""

    def __init__(self, folders: list[str], error: Exception | None) -> None:
        self.folders = folders
        self.stopped = threading.Event()
        self._error = error
        self._callback: Events | None = None

    def run(self, callback: Events, started: Callable[[], None], /) -> None:
        if self._error:
            raise self._error
        self._callback = callback
        started()
        assert self.stopped.wait(SECONDS_MAX)

    def stop(self) -> None:
        self.stopped.set()

    def deliver(self, *events: tuple[str, int]) -> None:
        assert self._callback is not None
        count = len(events)
        self._callback(
            [os.fsencode(path) for path, _ in events],
            [0] * count,
            [flags for _, flags in events],
            list(range(count)),
        )


class World:
    """A watcher whose streams are at hand."""

    def __init__(self, private: Path) -> None:
        self.private = private
        self.streams: list[FakeStream] = []
        self.error: Exception | None = None
        self.told: list[Hint] = []
        self.watcher = FsEventsWatcher(
            str(private), make_stream=self._stream, polling_reason={"/net": "on nfs"}.get
        )

    def _stream(self, folders: list[str]) -> FakeStream:
        self.streams.append(FakeStream(folders, self.error))
        return self.streams[-1]

    def hints(self, *events: tuple[str, int]) -> list[tuple[str, bool]]:
        self.told.clear()
        self.streams[-1].deliver(*events)
        return [(hint.path, hint.is_tree) for hint in self.told]

    def marker(self) -> str:
        (name,) = os.listdir(self.private)
        return os.path.join(os.path.realpath(self.private), name)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "private")
    yield made
    made.watcher.close()


def test_a_root_costs_one_stream_over_it_and_the_marker(world: World) -> None:
    root = world.watcher.open("/r", world.told.append)
    root.add("")
    root.add("docs")
    assert [stream.folders for stream in world.streams] == [["/r", os.path.realpath(world.private)]]
    assert (root.status().mode, root.status().watches) == (WatchMode.EVENTS, 1)
    root.close()
    root.close()
    assert world.streams[0].stopped.is_set()


def test_only_kept_folders_and_names_that_matter_are_told_of(world: World) -> None:
    root = world.watcher.open("/r", world.told.append)
    for folder in ("", "docs", "old"):
        root.add(folder)
    root.keep(["", "docs"])
    assert world.hints(
        ("/r/a.md", CREATED | FILE),
        ("/r/docs/b.md", MODIFIED | FILE),
        ("/r/docs/foo.py", MODIFIED | FILE),
        ("/r/docs/.gitignore", MODIFIED | FILE),
        ("/r/docs/new/", CREATED | FOLDER),
        ("/r/old/c.md", MODIFIED | FILE),
        ("/r/node_modules/d.md", MODIFIED | FILE),
        ("/rest/e.md", MODIFIED | FILE),
    ) == [("a.md", False), ("docs/b.md", False), ("docs/.gitignore", False), ("docs/new", True)]


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (("/r/docs", 0x1), ("docs", True)),
        (("/r", 0x1 | 0x4), ("", True)),
        (("/", 0x1 | 0x2), ("", True)),
        (("/r", 0x20), ("", True)),
        (("/r", REMOVED | FOLDER), ("", True)),
        (("/r/docs", 0x40), ("", True)),
    ],
)
def test_w7_f17_what_was_dropped_and_what_happens_to_the_root_is_a_tree(
    world: World, event: tuple[str, int], told: tuple[str, bool]
) -> None:
    root = world.watcher.open("/r", world.told.append)
    root.add("")
    assert world.hints(event) == [told]


def test_catching_up_waits_for_the_marker_in_every_stream(world: World) -> None:
    for folder in ("/r", "/s"):
        world.watcher.open(folder, world.told.append)
    assert not world.watcher.catch_up(timeout_seconds=0.01)
    answers: list[bool] = []
    thread = threading.Thread(
        target=lambda: answers.append(world.watcher.catch_up(timeout_seconds=SECONDS_MAX))
    )
    thread.start()
    number = 2  # the second question of this watcher
    path = os.path.join(os.path.realpath(world.private), f"caught-up.{number}")
    world.streams[0].deliver((path, RENAMED | FILE))
    assert answers == []
    world.streams[1].deliver((path, RENAMED | FILE))
    thread.join()
    assert answers == [True]
    assert world.marker() == path


def test_without_a_stream_nobody_is_waited_for(world: World) -> None:
    assert world.watcher.catch_up(timeout_seconds=SECONDS_MAX)
    root = world.watcher.open("/r", world.told.append)
    assert not world.watcher.catch_up(timeout_seconds=0.01)
    root.close()
    assert world.watcher.catch_up(timeout_seconds=SECONDS_MAX)


def test_nothing_is_told_after_close(world: World) -> None:
    root = world.watcher.open("/r", world.told.append)
    root.add("")
    root.close()
    assert world.hints(("/r/a.md", CREATED | FILE)) == []


def test_a_stream_that_cannot_start_makes_its_root_poll(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.error = SystemError("Cannot start fsevents stream.")
    root = world.watcher.open("/r", world.told.append)
    assert root.status().mode is WatchMode.POLLING
    assert root.status().reason == "FSEvents failed: Cannot start fsevents stream."
    assert world.watcher.catch_up(timeout_seconds=SECONDS_MAX)


def test_shared_file_systems_and_settings_decide(world: World) -> None:
    assert world.watcher.open("/net", world.told.append).status().reason == "on nfs"
    assert world.watcher.open("/r", world.told.append, mode=WatchMode.POLLING).status().watches == 0
    assert world.streams == []
    forced = world.watcher.open("/net", world.told.append, mode=WatchMode.EVENTS)
    assert forced.status().mode is WatchMode.EVENTS
