"""Readiness is said once, to whoever waits for it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from mdmemd.adapters.readiness import Readiness


def test_the_pipe_gets_one_line_and_is_closed() -> None:
    reader, writer = os.pipe()
    readiness = Readiness(ready_fd=writer, notify_socket=None)
    readiness.ready(socket_path="/s")
    readiness.failed("late", remedy="", kind="failed")
    with open(reader, "rb") as pipe:
        lines = pipe.read().splitlines()
    assert [json.loads(line) for line in lines] == [{"ready": True, "socket": "/s", "pid": os.getpid()}]


def test_a_failure_is_told_with_its_remedy() -> None:
    reader, writer = os.pipe()
    Readiness(ready_fd=writer, notify_socket=None).failed("No room.", remedy="Make some.", kind="failed")
    with open(reader, "rb") as pipe:
        assert json.loads(pipe.read()) == {
            "ready": False, "reason": "No room.", "remedy": "Make some.", "kind": "failed",
        }  # fmt: skip


def test_a_client_that_has_gone_stops_nobody() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    Readiness(ready_fd=writer, notify_socket=None).ready(socket_path="/s")


def test_systemd_is_notified(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        readiness = Readiness(ready_fd=None, notify_socket=path)
        readiness.ready(socket_path="/s")
        readiness.stopping()
        assert [systemd.recv(100) for _ in range(2)] == [b"READY=1", b"STOPPING=1"]
    Readiness(ready_fd=None, notify_socket=path).ready(socket_path="/s")
