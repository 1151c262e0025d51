"""A ``Pump`` on a thread between pipes and a daemon that the test itself plays, over a socket pair.

``Shim`` is the client's side: ``send`` a line, read a ``line``. ``Shim.daemon`` is the next daemon that the
pump has connected to, as a ``DaemonEnd`` that reads and writes MCP messages. Nothing sleeps; every wait ends
by an event or fails at ``CEILING_SECONDS``.
"""

from __future__ import annotations

import json
import os
import queue
import select
import socket
import threading
import time
from types import TracebackType
from typing import Any, Self

from mdmem.errors import DaemonUnavailableError
from mdmem.mcp.daemon import Daemon
from mdmem.mcp.project import PROJECT_VARIABLE, Project
from mdmem.mcp.pump import Pump
from mdmem_proto.conversation import McpMessage
from mdmem_proto.envelope import Offer, Request
from mdmem_proto.messages import Empty, McpOpenParams
from mdmem_proto.session import DaemonSession, decode_params
from mdmem_testkit.wire import answer

CEILING_SECONDS = 20.0


class DaemonEnd:
    """The daemon's end of one connection, played step by step."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(CEILING_SECONDS)
        self._socket = connected
        self._session = DaemonSession()
        self._received: list[Any] = []
        self.opened_with: McpOpenParams | None = None

    def greet(self) -> Offer:
        """Take the offer and answer it."""
        offer = self.next()
        assert isinstance(offer, Offer)
        self._socket.sendall(answer(self._session))
        return offer

    def refuse(self, *, reason: str, remedy: str) -> None:
        """Take the offer and refuse it."""
        assert isinstance(self.next(), Offer)
        self._socket.sendall(self._session.refuse(version="9", reason=reason, remedy=remedy))

    def accept(self) -> Self:
        """Greet and open the stream."""
        self.greet()
        request = self.next()
        assert isinstance(request, Request)
        params = decode_params(request)
        assert isinstance(params, McpOpenParams)
        self.opened_with = params
        self._socket.sendall(self._session.reply(request.id, Empty()))
        return self

    def read(self) -> Any:
        """The next MCP message."""
        message = self.next()
        assert isinstance(message, McpMessage)
        return json.loads(message.payload)

    def write(self, message: Any) -> None:
        """Send one MCP message."""
        payload = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.write_raw(self._session.mcp(payload))

    def write_raw(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.sendall(data)

    def reply(self, request_id: object, **result: Any) -> None:
        """Answer one request."""
        self.write({"jsonrpc": "2.0", "id": request_id, "result": result})

    def next(self) -> Any:
        """The next message of any kind; ``None`` when the client has closed."""
        while not self._received:
            data = self._socket.recv(1 << 20)
            if not data:
                return None
            self._received = list(self._session.receive(data))
        return self._received.pop(0)

    def die(self) -> None:
        """Close without a word, as after ``kill -9``."""
        self._socket.close()


class PlayedDaemon(Daemon):
    """The way to a daemon: with ``is_up`` a ``dial`` succeeds, ``finish_start`` ends a start."""

    def __init__(self, *, is_up: bool) -> None:
        self.wake_fd, self._announce_fd = os.pipe()
        self._outcome: socket.socket | DaemonUnavailableError | None = None
        self.is_up = is_up
        self.connections: queue.Queue[DaemonEnd] = queue.Queue()
        self.made: list[DaemonEnd] = []
        self.starts: queue.Queue[None] = queue.Queue()

    def dial(self) -> socket.socket | None:
        return self._connect() if self.is_up else None

    def start(self) -> None:
        self.starts.put(None)

    def finish_start(self, error: DaemonUnavailableError | None = None) -> None:
        """Let the start that the pump has begun succeed or fail."""
        self.starts.get(timeout=CEILING_SECONDS)
        self._outcome = error or self._connect()
        os.write(self._announce_fd, b"\0")

    def _connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self.made.append(DaemonEnd(ours))
        self.connections.put(self.made[-1])
        return theirs


class Shim:
    """A running pump; a context manager that ends it by closing stdin."""

    def __init__(self, *, is_up: bool = True, project: str = "/", tools: str = "") -> None:
        stdin, self._stdin = os.pipe()
        self._stdout, stdout = os.pipe()
        self._theirs = (stdin, stdout)
        self._buffer = b""
        self.played = PlayedDaemon(is_up=is_up)
        named = Project({PROJECT_VARIABLE: project})
        self._pump = Pump(self.played, project=named, stdin_fd=stdin, stdout_fd=stdout, tools=tools)
        self._thread = threading.Thread(target=self._pump.run, daemon=True)
        self._thread.start()

    def daemon(self) -> DaemonEnd:
        """The next daemon that the pump connected to."""
        return self.played.connections.get(timeout=CEILING_SECONDS)

    def send(self, message: Any) -> None:
        """One line for the pump, or bytes as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        view = memoryview(data)
        while view:
            view = view[os.write(self._stdin, view) :]

    def ask(self, request_id: object, method: str, **params: Any) -> None:
        """Send one request."""
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    def line(self) -> Any:
        """The next line of the pump as JSON."""
        return json.loads(self.raw_line())

    def raw_line(self) -> bytes:
        """The next line of the pump."""
        deadline = time.monotonic() + CEILING_SECONDS
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the shim says nothing"
            data = os.read(self._stdout, 1 << 20)
            assert data, "the shim has closed stdout"
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line

    def close_stdin(self) -> None:
        """End of file for the pump."""
        os.close(self._stdin)
        self._stdin = -1

    def close_stdout(self) -> None:
        """Nobody reads any more."""
        os.close(self._stdout)
        self._stdout = -1

    def join(self) -> float:
        """Wait for the end of the pump; returns how many seconds that took."""
        started = time.monotonic()
        self._thread.join(CEILING_SECONDS)
        assert not self._thread.is_alive()
        return time.monotonic() - started

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stdin >= 0:
            self.close_stdin()
        self.join()
        for end in self.played.made:
            end.die()
        for descriptor in (*self._theirs, self._stdout):
            if descriptor >= 0:
                os.close(descriptor)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "agent", "version": "3"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TOOLS = [
    {"name": "search_docs", "annotations": {"readOnlyHint": True}},
    {"name": "reindex", "annotations": {"readOnlyHint": False, "idempotentHint": True}},
    {"name": "remember", "annotations": {"readOnlyHint": False}},
    {"name": "plain"},
]


def shake_hands(shim: Shim, daemon: DaemonEnd) -> None:
    """The client's handshake and listing, as an agent begins."""
    shim.send(INITIALIZE)
    daemon.accept()
    assert daemon.read()["method"] == "initialize"
    daemon.reply(0, protocolVersion="2025-06-18")
    assert shim.line()["id"] == 0
    shim.send(INITIALIZED)
    assert daemon.read() == INITIALIZED
    shim.ask("list", "tools/list")
    assert daemon.read()["method"] == "tools/list"
    daemon.reply("list", tools=TOOLS)
    assert shim.line()["id"] == "list"
