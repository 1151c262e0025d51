"""One socket to a daemon: non-blocking, with its handshake, a send queue, and a deadline until it is open.

Invariants: ``send`` and ``receive`` never block; every way in which the other side can fail comes out as one
of the errors named at ``receive``. One thread; made and closed by the pump.
"""

from __future__ import annotations

import os
import socket
import time

from mdmem.errors import ConnectionLostError
from mdmem.mcp.stream import GREETED, OPEN, McpStream
from mdmem_proto.limits import HANDSHAKE_TIMEOUT_SECONDS
from mdmem_proto.mcp_stream import mcp_frame

OPEN_TIMEOUT_SECONDS = 30.0
"""For the reply to ``mcp.open``: a daemon that has just been started may still be importing the MCP SDK."""

READ_BYTES = 65536


class Connection:
    """A connection that has just been made; the offer is on its way."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._stream = McpStream()
        self._unsent = bytearray(self._stream.offer(pid=os.getpid()))
        self.deadline: float | None = time.monotonic() + HANDSHAKE_TIMEOUT_SECONDS

    @property
    def fd(self) -> int:
        """For ``select``."""
        return self._socket.fileno()

    @property
    def is_greeted(self) -> bool:
        """Whether it waits for ``open``."""
        return self._stream.state == GREETED

    @property
    def is_open(self) -> bool:
        """Whether messages may be put."""
        return self._stream.state == OPEN

    @property
    def unsent_bytes(self) -> int:
        """How much waits for room in the socket."""
        return len(self._unsent)

    def open(self, *, project: str, client: str, is_guess: bool, tools: str) -> None:
        """Ask for the stream of messages, once greeted."""
        self._unsent += self._stream.open(project=project, client=client, is_guess=is_guess, tools=tools)
        self.deadline = time.monotonic() + OPEN_TIMEOUT_SECONDS

    def put(self, message: bytes) -> None:
        """Queue one message, once open."""
        self._unsent += mcp_frame(message)

    def send(self) -> None:
        """Give the socket what it takes; raises ``ConnectionLostError``."""
        try:
            sent = self._socket.send(self._unsent)
        except BlockingIOError:
            return
        except OSError as error:
            raise ConnectionLostError(f"The connection to the daemon was lost: {error.strerror}.") from error
        del self._unsent[:sent]

    def receive(self) -> list[bytes]:
        """The messages that have arrived; call it when ``fd`` is readable.

        Raises:
            ConnectionLostError: the daemon has gone.
            DeclinedError: it refuses us, with reason and remedy.
            RemoteProtocolError: it does not speak the protocol.
        """
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise ConnectionLostError(f"The connection to the daemon was lost: {error.strerror}.") from error
        if not data:
            raise ConnectionLostError("The daemon closed the connection.")
        was_waiting = self._stream.state
        messages = self._stream.receive(data)
        if self._stream.state != was_waiting:
            self.deadline = None
        return messages

    def close(self) -> None:
        """Give the socket back."""
        self._socket.close()
