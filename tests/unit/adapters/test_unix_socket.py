"""The listening socket: private, free of leftovers, never taken from a living daemon."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from mdmemd.adapters.unix_socket import listen, peer_uid
from mdmemd.errors import OperatorError


def test_the_socket_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """X8."""
    before = os.umask(0)
    try:
        with listen(str(tmp_path / "s")):
            assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
        assert os.umask(0) == 0
    finally:
        os.umask(before)


def test_a_leftover_is_replaced(tmp_path: Path) -> None:
    """D5: a socket file without a listener, or a file of another kind, is in nobody's way."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    listen(path).close()
    os.unlink(path)
    Path(path).write_text("stale marker")
    listen(path).close()


def test_a_socket_that_is_served_is_not_taken(tmp_path: Path) -> None:
    """D2."""
    path = str(tmp_path / "s")
    with listen(path), pytest.raises(OperatorError, match="Another process serves"):
        listen(path)
    assert os.path.exists(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "none/s")
    with pytest.raises(OperatorError, match="none/s cannot be made: No such file") as caught:
        listen(path)
    assert caught.value.remedy


def test_the_peer_is_known(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with listen(path) as listener, socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        listener.setblocking(True)
        connection, _ = listener.accept()
        with connection:
            assert peer_uid(connection) == os.getuid()
