from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.dial import dial


def listener_at(path: Path, *, backlog: int = 1) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(backlog)
    return listener


def test_connects_to_a_listener_with_a_blocking_socket(tmp_path: Path) -> None:
    with listener_at(tmp_path / "s"):
        connection = dial(str(tmp_path / "s"), Deadline(5))
        assert connection is not None
        with connection:
            assert connection.gettimeout() is None


def test_nobody_there_is_none(tmp_path: Path) -> None:
    assert dial(str(tmp_path / "s"), Deadline(5)) is None


def test_d5_a_socket_that_a_dead_daemon_left_is_none(tmp_path: Path) -> None:
    listener_at(tmp_path / "s").close()
    assert (tmp_path / "s").exists()
    assert dial(str(tmp_path / "s"), Deadline(5)) is None


def test_d9_a_full_queue_ends_at_the_deadline_with_advice(tmp_path: Path) -> None:
    with listener_at(tmp_path / "s", backlog=0):
        with (
            dial(str(tmp_path / "s"), Deadline(5)) or pytest.fail("nobody listens"),
            pytest.raises(DaemonUnavailableError, match="its queue is full") as raised,
        ):
            dial(str(tmp_path / "s"), Deadline(0.05))
        assert "Try again" in raised.value.remedy


def test_a_path_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DaemonUnavailableError, match=f"{tmp_path}/file/s cannot be reached: Not a directory"):
        dial(f"{tmp_path}/file/s", Deadline(5))


def test_d18_the_socket_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with (
        listener_at(tmp_path / "s"),
        pytest.raises(DaemonUnavailableError, match=r"is served by user \d+ and not by you"),
    ):
        dial(str(tmp_path / "s"), Deadline(5))
