"""Connect to the daemon and start it where there is none.

Invariants: however many clients come at once, one daemon is started: a client connects, else takes the
start lock, connects again, and only then starts one; the losers wait for the lock in the kernel and then
find the winner's daemon. There is no memory of failed starts, so a repaired machine works at the next call.
A daemon that this program starts never starts daemons itself.

Called by ``mdmem.link.line`` and by the MCP shim where its own connection fails; any thread. Imports no
msgspec: the handshake is the caller's.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping

from mdmem.errors import DaemonNotRunningError, DaemonUnavailableError
from mdmem.link.deadline import Deadline
from mdmem.link.dial import dial
from mdmem_proto.endpoint import Endpoint

START_TIMEOUT_SECONDS = 30.0
"""For a whole start. The daemon answers before its model is loaded, so this is for a crowded machine."""

NO_START_VARIABLE = "MDMEM_NO_START"

_STARTS_MAX = 3
_OTHER_DAEMON_SECONDS = 3.0
_RETRY_SECONDS = 0.05


def dial_or_start(
    endpoint: Endpoint, *, start: bool = True, timeout_seconds: float = START_TIMEOUT_SECONDS
) -> socket.socket:
    """A connected blocking socket without a handshake yet.

    With ``start`` false, or ``MDMEM_NO_START=1`` in the environment, nothing is started.

    Raises:
        DaemonNotRunningError: nobody listens and nothing may be started.
        DaemonUnavailableError: the daemon cannot be reached or the start failed; says why.
    """
    deadline = Deadline(timeout_seconds)
    connection = _dial_running(endpoint, deadline)
    if connection is not None:
        return connection
    if not start or os.environ.get(NO_START_VARIABLE, "0") not in {"", "0"}:
        raise DaemonNotRunningError("The mdmem daemon is not running.", remedy="`mdmemctl start` starts it.")
    # Late, because a client that finds a daemon needs none of this, and it costs 10 ms to import.
    from mdmem.link.folders import make_private_folder
    from mdmem.link.start_lock import start_lock

    for folder in (endpoint.run_folder, endpoint.socket_folder, os.path.dirname(endpoint.log_path)):
        make_private_folder(folder)
    with start_lock(endpoint.start_lock_path, deadline):
        connection = _dial_running(endpoint, deadline)
        return connection if connection is not None else _start(endpoint, deadline)


def _dial_running(endpoint: Endpoint, deadline: Deadline) -> socket.socket | None:
    """Connect to the daemon where this session expects it, else where the daemon says that it listens.

    The two differ when a session with another ``XDG_RUNTIME_DIR`` has started it: cron, ssh, login.
    """
    connection = dial(endpoint.socket_path, deadline)
    if connection is not None:
        return connection
    try:
        with open(endpoint.lock_path, encoding="utf-8", errors="surrogateescape") as lock:
            socket_path = lock.read(8192).partition("\n")[2].strip("\n")
    except OSError:
        return None
    if not socket_path.startswith("/") or socket_path == endpoint.socket_path:
        return None
    return dial(socket_path, deadline)


def _start(endpoint: Endpoint, deadline: Deadline) -> socket.socket:
    """Start a daemon and connect to it, or to one that has come up by other means (a service manager)."""
    from mdmem.link.spawn import spawn_daemon

    for _ in range(_STARTS_MAX):
        report = spawn_daemon(endpoint.log_path, deadline, environ=_daemon_environment(os.environ))
        if not report.ready and report.kind != "already_running":
            raise DaemonUnavailableError(f"The daemon cannot start: {report.reason}", remedy=report.remedy)
        connection = _dial_patiently(endpoint, deadline)
        if connection is not None:
            return connection
        # The other daemon held its lock and did not listen: it is ending, and then the next start succeeds.
    raise DaemonUnavailableError(
        f"A daemon runs, but it does not listen at {endpoint.socket_path}. {report.reason}",
        remedy="End it and try again.",
    )


def _dial_patiently(endpoint: Endpoint, deadline: Deadline) -> socket.socket | None:
    """Connect to a daemon that is about to listen: nothing tells when another's child is ready."""
    patience = Deadline(min(_OTHER_DAEMON_SECONDS, deadline.remaining_seconds()))
    while True:
        connection = _dial_running(endpoint, deadline)
        if connection is not None or patience.has_passed():
            return connection
        time.sleep(_RETRY_SECONDS)


def _daemon_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment, except that nothing below the daemon starts another daemon."""
    return {**environ, NO_START_VARIABLE: "1"}
