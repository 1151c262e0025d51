"""Whoever follows the hints, and only them, ends with what is on disk, whatever was done to it meanwhile.

The follower keeps the fingerprint of every document: a tree hint makes it walk that tree (adding each folder
before it is listed), any other hint makes it look at one file. The operations run on a thread of their own
while the follower works, so folders change under its walks.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mdmemd.ports import Hint, RootWatch

if sys.platform != "linux":
    pytest.skip("inotify is of Linux", allow_module_level=True)

from mdmemd.adapters.watching.inotify_watcher import InotifyWatcher

SECONDS_MAX = 30.0
OPERATIONS = int(os.environ.get("MDMEM_STORM", "400"))

State = tuple[int, int, int]


def state_of(path: str) -> State | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_ctime_ns)


def documents(
    root: str, folder: str = "", before: Callable[[str], None] = lambda _: None
) -> dict[str, State]:
    """The fingerprints of all documents at and below a folder."""
    before(folder)
    found: dict[str, State] = {}
    try:
        entries = list(os.scandir(os.path.join(root, folder)))
    except OSError:
        return found
    for entry in entries:
        name = os.path.join(folder, entry.name)
        if entry.is_dir(follow_symlinks=False):
            found |= documents(root, name, before)
        elif name.endswith(".md") and (state := state_of(entry.path)):
            found[name] = state
    return found


class Follower:
    """Knows of the disk only what hints made it look at."""

    def __init__(self, root: str, watcher: InotifyWatcher) -> None:
        self.root = root
        self.known: dict[str, State] = {}
        self.hints: deque[Hint] = deque()
        self.watch: RootWatch = watcher.open(root, self.hints.append)

    def follow(self) -> None:
        """Look at everything that was told up to now."""
        while self.hints:
            hint = self.hints.popleft()
            if hint.is_tree:
                self.walk(hint.path)
            elif state := state_of(os.path.join(self.root, hint.path)):
                self.known[hint.path] = state
            else:
                self.known.pop(hint.path, None)

    def walk(self, folder: str) -> None:
        """Replace what is known at and below a folder."""
        inside = f"{folder}/" if folder else ""
        self.known = {name: state for name, state in self.known.items() if not name.startswith(inside)}
        self.known |= documents(self.root, folder, self.watch.add)


class Storm:
    """Random operations below ``base``, where ``root`` is watched and ``outside`` is not."""

    def __init__(self, base: Path, seed: int) -> None:
        self.base = base
        self.random = random.Random(seed)

    def run(self, count: int) -> None:
        operations = [self.write] * 6 + [self.replace] * 3 + [self.make_folder] * 3 + [self.rename] * 4
        operations += [self.remove] * 2 + [self.move_out, self.move_in, self.swap, self.end_root]
        for _ in range(count):
            with suppress(OSError, shutil.Error):  # two names may not fit together: nothing happened then
                self.random.choice(operations)()
        (self.base / "root").mkdir(exist_ok=True)

    def place(self, *, inside: bool = True) -> Path:
        """A path at most three folders deep, of a few names, so that operations meet."""
        names = [self.random.choice("abc") for _ in range(self.random.randrange(3))]
        return (self.base / ("root" if inside else "outside")).joinpath(*names)

    def file(self) -> Path:
        return self.place() / f"{self.random.choice('xyz')}.md"

    def write(self) -> None:
        with self.file().open(self.random.choice("wa")) as file:
            file.write("x" * self.random.randrange(9))

    def replace(self) -> None:
        path = self.file()
        path.with_suffix(".tmp").write_text(str(self.random.random()))
        path.with_suffix(".tmp").replace(path)

    def make_folder(self) -> None:
        self.place().mkdir(parents=True)

    def rename(self) -> None:
        pick = self.file if self.random.random() < 0.5 else self.place
        pick().rename(pick())

    def remove(self) -> None:
        path = self.random.choice([self.file, self.place])()
        if path.is_dir() and path != self.base / "root":
            shutil.rmtree(path)
        else:
            path.unlink()

    def move_out(self) -> None:
        self.place().rename(self.place(inside=False))

    def move_in(self) -> None:
        self.place(inside=False).rename(self.place())

    def swap(self) -> None:
        one, other, aside = self.place(), self.place(), self.base / "aside"
        one.rename(aside)
        other.rename(one)
        aside.rename(other)

    def end_root(self) -> None:
        if self.random.random() < 0.3:
            shutil.rmtree(self.base / "root")
            (self.base / "root").mkdir()


@pytest.mark.parametrize("seed", range(8))
def test_f15_f16_f17_w2_following_the_hints_ends_in_the_state_of_the_disk(tmp_path: Path, seed: int) -> None:
    for name in ("root", "outside"):
        (tmp_path / name).mkdir()
    storm = Storm(tmp_path, seed)
    watcher = InotifyWatcher(str(tmp_path / "private"))
    follower = Follower(str(tmp_path / "root"), watcher)
    follower.walk("")
    for _ in range(5):
        thread = threading.Thread(target=storm.run, args=(OPERATIONS // 5,))
        thread.start()
        while thread.is_alive():
            follower.follow()
            assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
        thread.join()
        assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
        while follower.hints:  # a walk adds watches, but nothing changes any more
            follower.follow()
            assert watcher.catch_up(timeout_seconds=SECONDS_MAX)
        assert follower.known == documents(follower.root)
    watcher.close()
