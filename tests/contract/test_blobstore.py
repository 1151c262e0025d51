"""One suite for the ``BlobStore`` port, over the fake and the real one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.ports import BlobStore


@pytest.fixture(params=["fake", "real"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return FakeBlobs() if request.param == "fake" else PosixBlobs(str(tmp_path / "data"))


def test_what_is_not_there_says_so(blobs: BlobStore) -> None:
    with pytest.raises(FileNotFoundError):
        blobs.read("roots.json")


def test_a_replacement_is_read_back(blobs: BlobStore) -> None:
    blobs.replace("a", b"one")
    blobs.replace("a", b"two")
    assert blobs.read("a") == b"two"


def test_a_rename_moves_the_content(blobs: BlobStore) -> None:
    blobs.replace("a", b"one")
    blobs.rename("a", "b")
    assert blobs.read("b") == b"one"
    with pytest.raises(FileNotFoundError):
        blobs.read("a")


def test_the_real_folder_is_private_and_keeps_no_temporary_files(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    blobs = PosixBlobs(str(folder))
    blobs.replace("a", b"one")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o600
    assert os.listdir(folder) == ["a"]


def test_a_failed_write_keeps_the_old_blob(tmp_path: Path) -> None:
    """T10: the disk is full, the old content stays."""
    blobs = PosixBlobs(str(tmp_path))
    blobs.replace("a", b"one")
    (tmp_path / f".a.{os.getpid()}.tmp").symlink_to("/dev/full")
    with pytest.raises(OSError):
        blobs.replace("a", b"two")
    assert blobs.read("a") == b"one"
