"""Connect to the daemon's socket, if somebody listens there, and make sure that it is the user's own daemon.

Invariants: never blocks past the deadline, even where the listener's queue is full; who listens is asked
from the kernel. Imports neither msgspec nor subprocess: the MCP shim comes through here too. Any thread.
"""

from __future__ import annotations

import os
import socket
import struct
import sys

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline

_TIMEVAL = struct.Struct("@ll")
"""``struct timeval``: seconds, microseconds."""

_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES = 0, 1, 76
"""macOS ``sys/un.h``, ``sys/ucred.h``: ``struct xucred`` begins with version and uid."""


def dial(socket_path: str, deadline: Deadline) -> socket.socket | None:
    """A connected blocking socket, or ``None`` where nobody listens (no socket, or one of a dead daemon).

    Raises:
        DaemonUnavailableError: the socket cannot be reached, its queue stays full, or another user listens
        on it.
    """
    try:
        return _connected(socket_path, deadline)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except BlockingIOError as error:
        raise DaemonUnavailableError(
            f"The daemon has accepted no connection for {deadline.seconds:g} s; its queue is full.",
            remedy="Try again in a moment; if it stays like that, end the daemon and run the command again.",
        ) from error
    except OSError as error:
        raise DaemonUnavailableError(
            f"The daemon's socket {socket_path} cannot be reached: {error.strerror or error}.",
            remedy="Check that its folder belongs to you and has mode 0700.",
        ) from error


def _connected(socket_path: str, deadline: Deadline) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _connect(connection, socket_path, deadline)
        _check_owner(connection, socket_path)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(connection: socket.socket, socket_path: str, deadline: Deadline) -> None:
    # A Unix socket with a timeout of Python's is non-blocking for the kernel, and then a full queue fails
    # at once with EAGAIN. A blocking one with a send timeout waits in the kernel for its turn, so twenty
    # clients at once need no retry loop.
    remaining = max(deadline.remaining_seconds(), 0.001)
    seconds, fraction = divmod(remaining, 1.0)
    connection.setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(int(seconds), int(fraction * 1e6))
    )
    connection.connect(socket_path)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(0, 0))


def _check_owner(connection: socket.socket, socket_path: str) -> None:
    # Whoever made the folder first could listen in it, so the kernel is asked about that.
    if sys.platform == "darwin":
        credentials = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_BYTES)
        uid = struct.unpack_from("2I", credentials)[1]
    else:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        uid = struct.unpack("3i", credentials)[1]  # struct ucred: pid, uid, gid
    if uid != os.getuid():
        raise DaemonUnavailableError(
            f"The socket {socket_path} is served by user {uid} and not by you, so mdmem sends it nothing.",
            remedy="Remove its folder, or set MDMEM_HOME to a folder of your own.",
        )
