"""The listening Unix socket: bound privately, freed from a dead predecessor, closed to other users.

Invariants: the caller holds the process lock, which is what allows a socket file without a listener to be
removed; the file is 0600 from the moment it exists (``umask`` around ``bind``), in a folder that is 0700. The
file is removed at the end only by the daemon that bound it, which still holds the lock then.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import sys

from mdmemd.errors import OperatorError

BACKLOG = 256

_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
"""macOS ``sys/un.h``: ``getsockopt(SOL_LOCAL, LOCAL_PEERCRED)`` gives ``struct xucred``: version, uid, ..."""


class ListeningSocket:
    """A socket that accepts connections at ``path``."""

    def __init__(self, path: str) -> None:
        """Bind and listen. Raises ``OperatorError`` with the path and the remedy."""
        self.path = path
        self.socket = _listen(path)
        self._status = os.stat(path)

    def is_in_place(self) -> bool:
        """Whether the file at the path is this socket: clean-ups of temporary folders remove it."""
        try:
            return os.path.samestat(self._status, os.stat(self.path))
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the file, unless another one has taken its place."""
        if self.is_in_place():
            with contextlib.suppress(OSError):
                os.unlink(self.path)


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if _is_served(path):
            raise OperatorError(
                f"Another process serves {path}.",
                remedy="Stop it, or set MDMEM_HOME to another folder for a second instance.",
            )
        mask = os.umask(0o177)
        try:
            if os.path.lexists(path):
                os.unlink(path)
            listener.bind(path)
        finally:
            os.umask(mask)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OperatorError(
            f"The socket {path} cannot be made: {reason}.",
            remedy="Free some disk space, repair its folder, or set MDMEM_HOME to another one.",
        ) from error
    except OperatorError:
        listener.close()
        raise
    return listener


def peer_uid(connection: socket.socket) -> int | None:
    """User id of the process at the other end; ``None`` where the system does not tell."""
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    try:
        return int(struct.unpack_from("2I", connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76))[1])
    except (OSError, struct.error):
        return None


def _is_served(path: str) -> bool:
    """Whether somebody accepts connections there: a file that nobody listens on is a leftover."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError as error:
            return error.errno in (errno.EAGAIN, errno.EINPROGRESS) or isinstance(error, TimeoutError)
    return True
