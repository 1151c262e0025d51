"""One suite for the ``CheckpointDisk`` port, over the fake and the real one."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.ports import CheckpointDisk


@pytest.fixture(params=["fake", "real"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> CheckpointDisk:
    return FakeCheckpointDisk() if request.param == "fake" else PosixCheckpoints(str(tmp_path / "index"))


def test_nothing_is_there_at_first(disk: CheckpointDisk) -> None:
    assert disk.folders() == []
    assert disk.names("a") == []
    with pytest.raises(FileNotFoundError):
        disk.read("a", "x")
    disk.remove_folder("a")


def test_what_is_written_is_read_whole(disk: CheckpointDisk) -> None:
    disk.write("a", "x", [b"one", memoryview(b"two"), b""])
    disk.write("b", "y", [])
    disk.sync_folder("a")
    assert (disk.folders(), disk.names("a"), disk.names("b")) == (["a", "b"], ["x"], ["y"])
    assert (disk.read("a", "x"), disk.read("b", "y")) == (b"onetwo", b"")


def test_a_write_replaces(disk: CheckpointDisk) -> None:
    disk.write("a", "x", [b"a longer one"])
    disk.write("a", "x", [b"two"])
    assert disk.read("a", "x") == b"two"
    assert disk.names("a") == ["x"]


def test_what_is_removed_is_gone(disk: CheckpointDisk) -> None:
    for name in ("x", "y"):
        disk.write("a", name, [b"one"])
    disk.remove("a", "x")
    disk.remove("a", "x")
    assert disk.names("a") == ["y"]
    disk.remove_folder("a")
    disk.remove_folder("a")
    assert disk.folders() == []


def test_a_write_that_fails_keeps_the_old_file_and_leaves_nothing(disk: CheckpointDisk) -> None:
    """T10, F6."""
    disk.write("a", "x", [b"one"])

    def parts() -> Iterator[bytes]:
        yield b"two"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        disk.write("a", "x", parts())
    assert disk.names("a") == ["x"]
    assert disk.read("a", "x") == b"one"


def test_the_real_one_is_private(tmp_path: Path) -> None:
    disk = PosixCheckpoints(str(tmp_path / "index"))
    disk.write("a", "x", [b"one"])
    for path, mode in (("index", 0o700), ("index/a", 0o700), ("index/a/x", 0o600)):
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == mode


def test_the_real_one_syncs_the_file_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, rename = os.fsync, os.rename
    monkeypatch.setattr(os, "fsync", lambda descriptor: (steps.append("sync"), sync(descriptor))[1])
    monkeypatch.setattr(os, "rename", lambda old, new: (steps.append("rename"), rename(old, new))[1])
    disk = PosixCheckpoints(str(tmp_path))
    disk.write("a", "x", [b"one"])
    disk.write("a", "x", [b"two"])
    disk.sync_folder("a")
    assert steps == ["sync", "sync", "rename", "sync", "rename", "sync"]  # first that of the new folder


def test_the_fake_forgets_names_that_were_not_synced() -> None:
    survived = set()
    for seed in range(40):
        disk = FakeCheckpointDisk()
        disk.write("a", "x", [b"old"])
        disk.sync_folder("a")
        disk.write("a", "x", [b"new"])
        disk.write("a", "y", [b"y"])
        disk.lose_power(random.Random(seed))
        survived.add((disk.read("a", "x"), *disk.names("a")))
    assert survived == {(x, *names) for x in (b"old", b"new") for names in (["x"], ["x", "y"])}
