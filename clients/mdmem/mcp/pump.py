"""The shim's loop: lines from stdin to the daemon, its messages to stdout, a new daemon when one is lost.

Invariants: one thread, one ``select``; no call blocks but that one, so a client that does not read cannot
keep the shim from seeing that it is gone. Nothing is buffered without limit: where one side is slow, the
other is not read. A daemon is looked for at start, and after a loss when there is something to send, so that
``mdmemctl stop`` is not undone by an idle session.

Ends when stdin ends (replies under way get ``GRACE_SECONDS``), at once when the parent dies or nobody reads
stdout.
"""

from __future__ import annotations

import os
import select
import socket
import time

from mdmem.errors import ConnectionLostError, DaemonUnavailableError
from mdmem.mcp.connection import Connection
from mdmem.mcp.conversation import Conversation, too_long
from mdmem.mcp.daemon import Daemon
from mdmem.mcp.lines import LineReader, LineTooLongError
from mdmem.mcp.output import Output
from mdmem.mcp.parent import Parent
from mdmem.mcp.project import Project
from mdmem_proto.errors import DeclinedError, RemoteProtocolError
from mdmem_proto.limits import FRAME_BYTES_MAX

GRACE_SECONDS = 0.8
RETRY_PAUSE_SECONDS = 1.0
"""Within this time after a failure, requests fail the same way without another attempt."""

ATTEMPTS_MAX = 3
"""Connections in a row that may be lost before they are open: a daemon that ends takes some along."""

READ_BYTES = 65536
QUEUE_BYTES_MAX = FRAME_BYTES_MAX
LINE_BYTES_MAX = FRAME_BYTES_MAX - 5
"""A message travels as one msgpack ``bin``, whose longest header has five bytes."""

STUCK = "The daemon takes connections but does not answer. `mdmemctl stop` ends it; then call again."


class Pump:
    """One session of one client; ``run`` is its whole life."""

    def __init__(
        self, daemon: Daemon, *, project: Project, stdin_fd: int, stdout_fd: int, tools: str = ""
    ) -> None:
        self._daemon = daemon
        self._tools = tools
        self._project = project
        self._stdin_fd = stdin_fd
        self._output = Output(stdout_fd)
        self._parent = Parent()
        self._lines = LineReader(line_bytes_max=LINE_BYTES_MAX)
        self._conversation = Conversation()
        self._connection: Connection | None = None
        self._is_starting = False
        self._attempts = 0
        self._ends_at: float | None = None
        self._failure = ""
        self._failed_at = -RETRY_PAUSE_SECONDS

    def run(self) -> None:
        """Serve until stdin ends, stdout is closed or the parent is gone."""
        self._seek_daemon()
        try:
            while not self._is_over():
                if self._conversation.outbox_bytes and self._connection is None and not self._is_starting:
                    self._seek_daemon()
                readable, writable = self._wait()
                if self._parent.is_gone(readable):
                    break
                if self._stdin_fd in readable:
                    self._read_client()
                if self._daemon.wake_fd in readable:
                    self._take_started()
                self._serve_connection(readable)
                if self._output.fd in writable:
                    self._output.flush_some()
        finally:
            self._disconnect()

    def _is_over(self) -> bool:
        if self._output.is_closed:
            return True
        if self._ends_at is None:
            return False
        is_idle = not (
            self._conversation.awaits_reply or self._conversation.outbox_bytes or self._output.queued_bytes
        )
        is_sent = self._connection is None or not self._connection.unsent_bytes
        return (is_idle and is_sent) or time.monotonic() >= self._ends_at

    def _wait(self) -> tuple[list[int], list[int]]:
        reads, writes = [], []
        connection = self._connection
        unsent_bytes = connection.unsent_bytes if connection else 0
        if self._ends_at is None and self._conversation.outbox_bytes + unsent_bytes < QUEUE_BYTES_MAX:
            reads.append(self._stdin_fd)
        if self._is_starting:
            reads.append(self._daemon.wake_fd)
        if connection and self._output.queued_bytes < QUEUE_BYTES_MAX:
            reads.append(connection.fd)
        if connection and unsent_bytes:
            writes.append(connection.fd)
        if self._parent.fd is not None:
            reads.append(self._parent.fd)
        if self._output.queued_bytes:
            writes.append(self._output.fd)
        readable, writable, _ = select.select(reads, writes, [], self._timeout_seconds())
        return readable, writable

    def _timeout_seconds(self) -> float | None:
        now = time.monotonic()
        deadlines = [self._ends_at, self._connection.deadline if self._connection else None]
        waits = [max(0.0, deadline - now) for deadline in deadlines if deadline is not None]
        if self._parent.look_seconds is not None:
            waits.append(self._parent.look_seconds)
        return min(waits, default=None)

    def _read_client(self) -> None:
        try:
            data = os.read(self._stdin_fd, READ_BYTES)
        except OSError:
            data = b""
        self._lines.feed(data)
        while True:
            try:
                line = self._lines.next()
            except LineTooLongError:
                self._output.put(too_long(LINE_BYTES_MAX))
                continue
            if line is None:
                break
            self._take_line(line)
        if not data:
            self._take_line(self._lines.rest())
            self._ends_at = time.monotonic() + GRACE_SECONDS

    def _take_line(self, line: bytes) -> None:
        reply = self._conversation.from_client(line)
        if reply is not None:
            self._output.put(reply)

    def _serve_connection(self, readable: list[int]) -> None:
        if self._connection is None:
            return
        try:
            self._exchange(self._connection, readable)
        except ConnectionLostError as error:
            self._lose(str(error))
        except DeclinedError as error:
            self._give_up(f"{error} {error.remedy}")
        except RemoteProtocolError as error:
            self._give_up(
                f"{error} Something else than the mdmem daemon may listen there: `mdmemctl status` shows."
            )

    def _exchange(self, connection: Connection, readable: list[int]) -> None:
        if connection.fd in readable:
            was_open = connection.is_open
            messages = connection.receive()
            if connection.is_open and not was_open:
                self._attempts = 0
                self._conversation.stream_opened()
            for message in messages:
                line = self._conversation.from_daemon(message)
                if line is not None:
                    self._output.put(line)
        elif connection.deadline is not None and time.monotonic() >= connection.deadline:
            self._give_up(STUCK)
            return
        # The client's name is in its first message, so the stream is asked for when that is here.
        if connection.is_greeted and self._conversation.outbox_bytes:
            connection.open(
                project=self._project.folder,
                client=self._conversation.client_name,
                is_guess=self._project.is_guess,
                tools=self._tools,
            )
        self._send_all(connection)

    def _send_all(self, connection: Connection) -> None:
        """Send until nothing waits or the socket is full; then ``select`` tells when to go on."""
        while True:
            waiting = self._conversation.next_for_daemon() if connection.is_open else None
            if waiting is not None:
                connection.put(waiting)
            if not connection.unsent_bytes:
                return
            connection.send()
            if connection.unsent_bytes:
                return

    def _seek_daemon(self) -> None:
        if time.monotonic() - self._failed_at < RETRY_PAUSE_SECONDS:
            self._answer_all(self._failure)
            return
        connected = self._daemon.dial()
        if connected is not None:
            self._use(connected)
        else:
            self._is_starting = True
            self._daemon.start()

    def _take_started(self) -> None:
        self._is_starting = False
        try:
            self._use(self._daemon.started())
        except DaemonUnavailableError as error:
            self._give_up(f"{error} {error.remedy}")

    def _use(self, connected: socket.socket) -> None:
        self._connection = Connection(connected)

    def _lose(self, reason: str) -> None:
        """The daemon has gone; whoever waits is served by the next one."""
        was_open = self._disconnect()
        for reply in self._conversation.daemon_lost():
            self._output.put(reply)
        self._attempts += 0 if was_open else 1
        if self._attempts >= ATTEMPTS_MAX:
            self._attempts = 0
            self._give_up(f"{reason} {ATTEMPTS_MAX} times in a row; its log may say why.")

    def _give_up(self, reason: str) -> None:
        """No daemon for now: fail what waits, and what comes within the next moment."""
        self._disconnect()
        self._failure = f"mdmem is not available: {reason.strip()}"
        self._failed_at = time.monotonic()
        _say(self._failure)
        self._answer_all(self._failure)

    def _answer_all(self, reason: str) -> None:
        for reply in self._conversation.fail_all(reason):
            self._output.put(reply)

    def _disconnect(self) -> bool:
        """Drop the connection, if any; returns whether it was open."""
        connection, self._connection = self._connection, None
        if connection is None:
            return False
        connection.close()
        return connection.is_open


def _say(sentence: str) -> None:
    """Into the client's log, where stderr mostly goes."""
    try:
        os.write(2, f"mdmem-mcp: {sentence}\n".encode(errors="replace"))
    except OSError:  # nobody listens there, and the client has its error reply
        return
