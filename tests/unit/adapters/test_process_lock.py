"""One daemon per instance, and a private folder to keep the lock in."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mdmemd.adapters import process_lock
from mdmemd.adapters.process_lock import ProcessLock, make_private_folder
from mdmemd.errors import OperatorError


def test_the_lock_has_one_holder_and_names_it(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first, second = ProcessLock(path), ProcessLock(path)
    assert first.acquire(socket_path="/s")
    assert not second.acquire(socket_path="/s")
    assert second.holder() == os.getpid()
    first.release()
    assert second.acquire(socket_path="/s")
    second.release()


def test_a_pid_in_the_file_means_nothing(tmp_path: Path) -> None:
    """D7: a recycled pid, or nonsense, is not taken for a daemon."""
    path = tmp_path / "lock"
    for content in ("1\n", "nonsense", ""):
        path.write_text(content)
        lock = ProcessLock(str(path))
        assert lock.acquire(socket_path="/s")
        lock.release()


def test_a_lock_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(OperatorError, match="cannot be opened"):
        ProcessLock(str(tmp_path / "lock")).acquire(socket_path="/s")


def test_a_full_disk_does_not_stop_the_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D6, T10: the lock is the flock; the number in the file is only for people."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(process_lock.os, "pwrite", full)
    lock = ProcessLock(str(tmp_path / "lock"))
    assert lock.acquire(socket_path="/s")
    lock.release()


def test_a_private_folder_is_made_and_an_open_one_is_closed(tmp_path: Path) -> None:
    """D18, X8."""
    folder = tmp_path / "a/b"
    make_private_folder(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    make_private_folder(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_is_not_our_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D18: the message names the path and what to do."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(OperatorError, match="file"):
        make_private_folder(str(tmp_path / "file"))
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OperatorError, match=r"is not a folder of its own"):
        make_private_folder(str(tmp_path / "link"))
    monkeypatch.setattr(process_lock.os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    with pytest.raises(OperatorError, match="belongs to user") as caught:
        make_private_folder(str(tmp_path))
    assert "MDMEM_HOME" in caught.value.remedy


def test_a_lock_knows_whether_its_file_is_still_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = ProcessLock(str(path))
    assert not lock.is_current()
    assert lock.acquire(socket_path="/s")
    assert lock.is_current()
    path.unlink()
    assert not lock.is_current()
    path.write_text("another")
    assert not lock.is_current()
    lock.release()
