"""The public Python API: connect to the daemon, or start it, and ask.

Invariants: see ``line``. The requests are in a module for each group: ``questions``, ``roots``,
``maintenance``, ``evaluation``.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from mdmem.errors import ConnectionLostError, DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.evaluation import EvaluationRequests
from mdmem.link.launch import START_TIMEOUT_SECONDS
from mdmem.link.maintenance import MaintenanceRequests
from mdmem.link.models import ModelRequests
from mdmem.link.process_exit import watch_daemon
from mdmem.link.questions import QuestionRequests
from mdmem.link.roots import RootRequests
from mdmem_proto import messages
from mdmem_proto.endpoint import Endpoint, resolve
from mdmem_proto.errors import EndpointError


def connect(*, start: bool = True, timeout_seconds: float = START_TIMEOUT_SECONDS) -> Client:
    """A client of the daemon that the environment means (``MDMEM_HOME``, the XDG variables).

    Args:
        start: start the daemon if nobody listens; ``MDMEM_NO_START=1`` in the environment overrules it.
        timeout_seconds: for the start, and for each answer.

    Raises:
        DaemonNotRunningError: nobody listens and nothing may be started.
        DaemonUnavailableError: the daemon cannot be started or reached, stays silent, or speaks another
            protocol.
    """
    return Client(current_endpoint(), start=start, timeout_seconds=timeout_seconds)


def current_endpoint() -> Endpoint:
    """Where this environment's instance lives; raises ``DaemonUnavailableError`` where it cannot live."""
    try:
        return resolve(os.environ, platform=sys.platform, uid=os.getuid(), home=os.path.expanduser("~"))
    except EndpointError as error:
        raise DaemonUnavailableError(str(error), remedy=error.remedy) from error


class Client(QuestionRequests, RootRequests, ModelRequests, MaintenanceRequests, EvaluationRequests):
    """One open line to the daemon; use it as a context manager."""

    def status(self) -> messages.StatusResult:
        """The whole state of the daemon."""
        return self._call("status", messages.Empty(), messages.StatusResult)

    def stop(self) -> None:
        """Stop the daemon and return when its process has ended.

        Raises:
            DaemonNotRunningError: there is none any more.
            DaemonUnavailableError: it has not ended in time.
        """
        if not self._connection.is_open():
            self._reopen(start=False)
        pid = self.daemon.pid
        with watch_daemon(pid) as process:
            deadline = Deadline(self._timeout_seconds)
            with suppress(ConnectionLostError):  # it may be gone before its reply is read
                self._connection.call("stop", messages.Empty(), messages.Empty, deadline=deadline)
            self.close()
            if not process.wait(deadline):
                raise DaemonUnavailableError(
                    f"The daemon was asked to stop and has not ended within {deadline.seconds:g} s.",
                    remedy=f"`kill -9 {pid}` ends it; nothing is lost by that.",
                )
