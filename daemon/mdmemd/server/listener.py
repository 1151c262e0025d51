"""Accept connections: check who is there, keep count, hand each to a ``Connection``.

Invariants: only processes of the daemon's own user are served; at most ``CONNECTIONS_MAX`` at a time, one
more is refused with a sentence; ``close`` ends all of them. Runs on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Callable

from mdmem_proto.limits import CONNECTIONS_MAX
from mdmemd.server.connection import Connection, Connections

log = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0
"""How long all connections together may take to end."""


class Listener:
    """All connections of one listening socket."""

    def __init__(self, shared: Connections, *, peer_uid: Callable[[socket.socket], int | None]) -> None:
        self._shared = shared
        self._peer_uid = peer_uid
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, listening: socket.socket) -> None:
        """Begin to accept on a socket that is bound and listens."""
        self._servers.append(await asyncio.start_unix_server(self._accept, sock=listening))

    async def close(self) -> None:
        """Stop accepting, end every connection, and wait for that, but not for a client that hangs."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        connection = Connection(reader, writer, self._shared)
        uid = self._peer_uid(writer.get_extra_info("socket"))
        if uid != os.getuid():
            log.warning("refused a process of user %s", uid)
            await connection.refuse(
                reason="This daemon serves another user.", remedy="Start your own: mdmemctl start"
            )
        elif len(self._tasks) > CONNECTIONS_MAX:
            log.warning("refused a connection: %d are open", CONNECTIONS_MAX)
            await connection.refuse(
                reason=f"{CONNECTIONS_MAX} clients are connected already.",
                remedy="Close some, or try again in a moment.",
            )
        else:
            # ``close`` cancels; the stream library takes a cancelled callback for a failure and logs it.
            with contextlib.suppress(asyncio.CancelledError):
                await connection.run()
