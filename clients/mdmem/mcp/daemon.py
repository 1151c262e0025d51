"""How the shim gets a connection: at once where a daemon listens, else by starting one on a thread.

Invariants: the pump's thread is never blocked for longer than ``DIAL_TIMEOUT_SECONDS``; a start that takes
long or fails is announced by a byte in ``wake_fd``. What it costs to import the starting is paid only when
the daemon is down.
"""

from __future__ import annotations

import os
import socket

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.dial import dial
from mdmem_proto.endpoint import Endpoint

DIAL_TIMEOUT_SECONDS = 0.25


class Daemon:
    """The daemon of one endpoint, running or not."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._outcome: socket.socket | DaemonUnavailableError | None = None
        self.wake_fd, self._announce_fd = os.pipe()

    def dial(self) -> socket.socket | None:
        """A connected socket if a daemon listens and takes connections."""
        try:
            return dial(self._endpoint.socket_path, Deadline(DIAL_TIMEOUT_SECONDS))
        except DaemonUnavailableError:
            return None  # starting looks again, with more patience, and says what is wrong

    def start(self) -> None:
        """Begin to reach or to start a daemon; ``wake_fd`` is readable when ``started`` may be called."""
        import threading

        threading.Thread(target=self._start, name="mdmem-start", daemon=True).start()

    def started(self) -> socket.socket:
        """The outcome of ``start``, once; raises ``DaemonUnavailableError`` with reason and remedy."""
        os.read(self.wake_fd, 1)
        outcome, self._outcome = self._outcome, None
        if isinstance(outcome, socket.socket):
            return outcome
        assert outcome is not None
        raise outcome

    def _start(self) -> None:
        self._outcome = DaemonUnavailableError("Starting the daemon failed in a way that stderr shows above.")
        try:
            from mdmem.link.launch import dial_or_start

            self._outcome = dial_or_start(self._endpoint)
        except DaemonUnavailableError as error:
            self._outcome = error
        finally:  # whatever happened, requests wait for this
            os.write(self._announce_fd, b"\0")
