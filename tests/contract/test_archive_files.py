"""One suite for the ``ArchiveFiles`` port, over the fake and the real one."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.fake_archives import FakeArchives
from mdmemd.adapters.posix_archives import PosixArchives
from mdmemd.ports import ArchiveFiles, ReadableBuffer


@pytest.fixture(params=["fake", "real"])
def files(request: pytest.FixtureRequest) -> ArchiveFiles:
    return FakeArchives() if request.param == "fake" else PosixArchives()


def content(files: ArchiveFiles, path: str) -> bytes:
    with files.open(path) as source:
        found = source.read(source.size_bytes)
        assert source.read(1) == b""
    return found


def test_what_is_written_is_read(files: ArchiveFiles, tmp_path: Path) -> None:
    path = str(tmp_path / "a.mdmem")
    assert files.write(path, [b"one", memoryview(b"two"), b""], replace=False) == 6
    with files.open(path) as source:
        assert source.size_bytes == 6
        assert (source.read(4), source.read(4), source.read(4)) == (b"onet", b"wo", b"")


def test_what_is_there_stays_without_replace(files: ArchiveFiles, tmp_path: Path) -> None:
    path = str(tmp_path / "a.mdmem")
    files.write(path, [b"one"], replace=False)
    with pytest.raises(FileExistsError):
        files.write(path, [b"two"], replace=False)
    assert content(files, path) == b"one"
    files.write(path, [b"two"], replace=True)
    assert content(files, path) == b"two"


def test_what_is_not_there_says_so(files: ArchiveFiles, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), files.open(str(tmp_path / "a.mdmem")):
        pass


def test_a_maker_that_fails_leaves_what_was_there(files: ArchiveFiles, tmp_path: Path) -> None:
    path = str(tmp_path / "a.mdmem")
    files.write(path, [b"one"], replace=False)

    def parts() -> Iterator[ReadableBuffer]:
        yield b"two"
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        files.write(path, parts(), replace=True)
    assert content(files, path) == b"one"


# --- the real one -------------------------------------------------------------------------------------------


def test_the_real_file_is_private_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.mdmem"
    for replace in (False, True):
        PosixArchives().write(str(path), [b"one"], replace=replace)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["a.mdmem"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """T10: the limit of a file's size stands for the end of the disk."""
    path = tmp_path / "a.mdmem"
    path.write_bytes(b"one")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            PosixArchives().write(str(path), [b"x" * 10_000], replace=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["a.mdmem"]


def test_the_leftover_of_a_killed_process_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".a.mdmem.{os.getpid()}.tmp").symlink_to("/dev/full")
    PosixArchives().write(str(tmp_path / "a.mdmem"), [b"one"], replace=False)
    assert (tmp_path / "a.mdmem").read_bytes() == b"one"


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(OSError), PosixArchives().open("/dev/zero" if kind == "device" else str(path)):
        pass
