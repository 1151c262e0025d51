"""A daemon on a real Unix socket that answers each request as its script says: for the clients' tests.

The wire is the real one (``DaemonSession``); nothing is searched. One thread accepts, one serves each
connection; ``close`` ends all of them and waits. ``fake_mdmemd`` is the same as a process of its own.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from mdmem_proto.conversation import State
from mdmem_proto.endpoint import Endpoint
from mdmem_proto.envelope import Cancel, Offer, Request
from mdmem_proto.errors import ErrorCode
from mdmem_proto.messages import Empty, Message, ProgressEvent
from mdmem_proto.release import VERSION
from mdmem_proto.session import DaemonSession, decode_params

CEILING_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Fail:
    """End the request with a ``Failure``."""

    code: ErrorCode
    message: str
    remedy: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuse:
    """Turn the client away instead of answering its offer."""

    reason: str
    remedy: str


class HangUp:
    """Close the connection."""


class StaySilent:
    """Say nothing more on this connection, but keep it open."""


Step = Message | Fail | HangUp | StaySilent
"""A ``ProgressEvent`` is sent as an event, any other message is the reply."""

Steps = Sequence[Step] | Callable[[Message], Sequence[Step]]

Script = Mapping[str, Steps]
"""What happens to a request, by method; one that is not listed is answered with ``Empty``."""


@dataclass
class FakeDaemon:
    """Listens from the start; a context manager. ``requests`` and ``connections`` tell what has come."""

    socket_path: str
    script: dict[str, Steps]
    version: str = VERSION
    interpreter: str = sys.executable
    greeting: Refuse | HangUp | StaySilent | None = None
    pid: int = field(default_factory=os.getpid)
    requests: list[tuple[str, Message]] = field(default_factory=list)
    connections: int = 0

    def __post_init__(self) -> None:
        self.stopped = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.socket_path)
        self._listener.listen(64)
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @classmethod
    def at(cls, endpoint: Endpoint, script: Script | None = None, **settings: object) -> FakeDaemon:
        """At the socket of an instance, whose run folder is made."""
        os.makedirs(endpoint.socket_folder, mode=0o700, exist_ok=True)
        return cls(endpoint.socket_path, dict(script or {}), **settings)  # type: ignore[arg-type]

    def hang_up(self) -> None:
        """Close all connections and go on listening, as a daemon that was restarted."""
        while self._open:
            _shut(self._open.pop())

    def close(self) -> None:
        """End everything and remove the socket."""
        _shut(self._listener)
        self.hang_up()
        for thread in self._threads:
            thread.join(CEILING_SECONDS)
            assert not thread.is_alive()
        if os.path.exists(self.socket_path):
            os.unlink(self.socket_path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                self._listener.close()
                return
            self.connections += 1
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        session = DaemonSession()
        with connection:
            try:
                while data := connection.recv(65536):
                    for message in session.receive(data):
                        self._act(connection, session, message)
                        if session.state is State.CLOSED:
                            return
            except OSError:
                return

    def _act(self, connection: socket.socket, session: DaemonSession, message: object) -> None:
        if isinstance(message, Offer):
            self._greet(connection, session)
        elif isinstance(message, Request):
            params = decode_params(message)
            self.requests.append((message.method, params))
            steps = self.script.get(message.method, [Empty()])
            for step in steps(params) if callable(steps) else steps:
                self._take(step, connection, session, message.id)
            if message.method == "stop":
                self.stopped.set()
        else:
            assert isinstance(message, Cancel)

    def _greet(self, connection: socket.socket, session: DaemonSession) -> None:
        greeting = self.greeting
        if isinstance(greeting, Refuse):
            connection.sendall(
                session.refuse(version=self.version, reason=greeting.reason, remedy=greeting.remedy)
            )
        elif isinstance(greeting, HangUp):
            self.greeting = None  # the next client is served
            _shut(connection)
        elif greeting is None:
            connection.sendall(
                session.answer(
                    version=self.version,
                    instance="00c0ffee00c0ffee",
                    capabilities=(),
                    state="ready",
                    pid=self.pid,
                    interpreter=self.interpreter,
                )
            )

    def _take(self, step: Step, connection: socket.socket, session: DaemonSession, request_id: int) -> None:
        if isinstance(step, Fail):
            connection.sendall(
                session.fail(
                    request_id,
                    step.code,
                    message=step.message,
                    remedy=step.remedy,
                    candidates=step.candidates,
                )
            )
        elif isinstance(step, ProgressEvent):
            connection.sendall(session.event(request_id, "progress", data=step))
        elif isinstance(step, Message):
            connection.sendall(session.reply(request_id, step))
        elif isinstance(step, HangUp):
            _shut(connection)


def _shut(connection: socket.socket) -> None:
    """Wake the thread that waits on it; the thread closes it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        connection.close()
