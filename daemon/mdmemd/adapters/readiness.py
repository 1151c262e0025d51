"""Tell whoever started the daemon that its socket answers, or why it never will.

Two listeners: the launching client, through a pipe whose number is given as ``--ready-fd`` (one line of JSON,
then the pipe is closed; a daemon that dies before that shows as end of file), and systemd, through
``NOTIFY_SOCKET`` (``sd_notify(3)``). Called by ``app`` on the main thread, once.
"""

from __future__ import annotations

import json
import os
import socket


class Readiness:
    """The one message of a start."""

    def __init__(self, *, ready_fd: int | None, notify_socket: str | None) -> None:
        self._ready_fd = ready_fd
        self._notify_socket = notify_socket

    def ready(self, *, socket_path: str) -> None:
        """The socket accepts connections now."""
        self._notify("READY=1")
        self._say({"ready": True, "socket": socket_path, "pid": os.getpid()})

    def failed(self, reason: str, *, remedy: str, kind: str) -> None:
        """The start has failed; ``kind`` is ``already_running`` or ``failed``."""
        self._say({"ready": False, "reason": reason, "remedy": remedy, "kind": kind})

    def stopping(self) -> None:
        """The daemon has begun to stop."""
        self._notify("STOPPING=1")

    def _say(self, message: dict[str, object]) -> None:
        if self._ready_fd is None:
            return
        try:
            os.write(self._ready_fd, json.dumps(message).encode() + b"\n")
            os.close(self._ready_fd)
        except OSError:
            pass  # the client has gone; the daemon serves the others
        self._ready_fd = None

    def _notify(self, message: str) -> None:
        if not self._notify_socket:
            return
        address = (
            "\0" + self._notify_socket[1:] if self._notify_socket.startswith("@") else self._notify_socket
        )
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                notify.sendto(message.encode(), address)
        except OSError:
            pass  # systemd restarts us if it really waits for this
