from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.start_lock import start_lock

CEILING_SECONDS = 30.0


def is_held(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def test_is_held_inside_and_free_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "start.lock"
    with start_lock(str(path), Deadline(5)):
        assert is_held(path)
    assert not is_held(path)


def test_d1_a_second_client_gets_it_when_the_first_gives_it_back(tmp_path: Path) -> None:
    path = str(tmp_path / "start.lock")
    order: list[str] = []
    waits = threading.Event()

    def second() -> None:
        waits.set()
        with start_lock(path, Deadline(CEILING_SECONDS)):
            order.append("second")

    thread = threading.Thread(target=second)
    with start_lock(path, Deadline(5)):
        thread.start()
        assert waits.wait(CEILING_SECONDS)
        order.append("first")
    thread.join(CEILING_SECONDS)
    assert order == ["first", "second"]


def test_a_wait_that_was_given_up_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "start.lock"
    with start_lock(str(path), Deadline(5)):
        with (
            pytest.raises(DaemonUnavailableError, match=r"has been starting the daemon for 0.05 s"),
            start_lock(str(path), Deadline(0.05)),
        ):
            pass
        waiters = [thread for thread in threading.enumerate() if thread.name == "mdmem-start-lock"]
        assert waiters
    for thread in waiters:
        thread.join(CEILING_SECONDS)
    assert not is_held(path)


def test_a_lock_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "missing/start.lock")
    with (
        pytest.raises(DaemonUnavailableError, match=f"{path} cannot be used: No such file"),
        start_lock(path, Deadline(5)),
    ):
        pass


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "start.lock").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(DaemonUnavailableError, match="cannot be used"),
        start_lock(str(tmp_path / "start.lock"), Deadline(5)),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()
