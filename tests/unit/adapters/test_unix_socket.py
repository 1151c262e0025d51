"""The listening socket: private, free of leftovers, never taken from a living daemon."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from mdmemd.adapters.unix_socket import ListeningSocket, peer_uid
from mdmemd.errors import OperatorError


def test_the_socket_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """X8."""
    before = os.umask(0)
    try:
        with ListeningSocket(str(tmp_path / "s")).socket:
            assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
        assert os.umask(0) == 0
    finally:
        os.umask(before)


def test_a_leftover_is_replaced(tmp_path: Path) -> None:
    """D5: a socket file without a listener, or a file of another kind, is in nobody's way."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    ListeningSocket(path).socket.close()
    os.unlink(path)
    Path(path).write_text("stale marker")
    ListeningSocket(path).socket.close()


def test_a_socket_that_is_served_is_not_taken(tmp_path: Path) -> None:
    """D2."""
    path = str(tmp_path / "s")
    with ListeningSocket(path).socket, pytest.raises(OperatorError, match="Another process serves"):
        ListeningSocket(path)
    assert os.path.exists(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "none/s")
    with pytest.raises(OperatorError, match="none/s cannot be made: No such file") as caught:
        ListeningSocket(path)
    assert caught.value.remedy


def test_the_peer_is_known(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with ListeningSocket(path).socket as listener, socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        listener.setblocking(True)
        connection, _ = listener.accept()
        with connection:
            assert peer_uid(connection) == os.getuid()


def test_a_socket_knows_whether_its_file_is_still_its_own(tmp_path: Path) -> None:
    """D2: a dying daemon does not remove the socket of a living one."""
    path = str(tmp_path / "s")
    first = ListeningSocket(path)
    assert first.is_in_place()
    os.unlink(path)
    assert not first.is_in_place()
    second = ListeningSocket(path)
    assert not first.is_in_place()
    first.remove()
    assert os.path.exists(path)
    second.remove()
    assert not os.path.exists(path)
    first.socket.close()
    second.socket.close()
