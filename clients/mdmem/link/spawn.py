"""Start one daemon process and read the one line that it says about its start.

The contract with the daemon: ``python -m mdmemd --ready-fd N`` writes exactly one line of JSON to
descriptor N and closes it::

    {"ready": true, "socket": "/run/user/1000/mdmem/mdmem.sock", "pid": 123}
    {"ready": false, "reason": "...", "remedy": "...", "kind": "already_running" | "failed"}

End of file without a line means that it died; then the end of its log says why.

Invariants: no shell, no inherited descriptors but that one, a session of its own (Ctrl-C at the client does
not reach it), working folder ``/`` (it keeps no disk from being unmounted). Readiness is waited for, never
polled. Called with the start lock held.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline

LOG_BYTES_MAX = 4 * 1024 * 1024
"""A log longer than this is moved to ``.1`` before the next start, so that two logs bound what is kept."""

LOG_TAIL_LINES = 8
LOG_TAIL_BYTES = 16 * 1024
EXIT_WAIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class StartReport:
    """What the new process said: ``ready``, or why not (``kind`` is ``already_running`` or ``failed``)."""

    ready: bool
    pid: int
    reason: str = ""
    remedy: str = ""
    kind: str = ""


def spawn_daemon(log_path: str, deadline: Deadline, *, environ: Mapping[str, str]) -> StartReport:
    """Start the daemon with this interpreter and wait for its report.

    Raises:
        DaemonUnavailableError: the process cannot be started, dies without a word, or says nothing before
            the deadline.
    """
    reader, writer = os.pipe()
    try:
        log_start = _prepare_log(log_path)
        process = _start_process(writer, log_path, environ)
    except OSError as error:
        os.close(reader)
        raise DaemonUnavailableError(
            f"The daemon cannot be started: {error.filename or log_path}: {error.strerror}.",
            remedy="Free some disk space or repair the permissions of that path.",
        ) from error
    finally:
        os.close(writer)
    # A client may outlive its daemon: without somebody who waits, the ended daemon would stay as a zombie
    # for that long.
    reaper = threading.Thread(target=process.wait, name="mdmem-reap-daemon", daemon=True)
    reaper.start()
    try:
        line = _read_line(reader, deadline)
    finally:
        os.close(reader)
    if line is None:
        raise DaemonUnavailableError(
            f"The daemon (process {process.pid}) was started and is not ready after {deadline.seconds:g} s.",
            remedy=f"It may still be coming up: try again. Its log is {log_path}.",
        )
    if not line.endswith(b"\n"):
        reaper.join(EXIT_WAIT_SECONDS)
        raise _died(process.returncode, _log_tail(log_path, log_start), log_path)
    return _parse_report(line, process.pid)


def _prepare_log(log_path: str) -> int:
    """Move a log that is too long out of the way; returns the offset at which the new process will write."""
    try:
        size = os.stat(log_path).st_size
    except FileNotFoundError:
        return 0
    if size <= LOG_BYTES_MAX:
        return size
    os.replace(log_path, log_path + ".1")
    return 0


def _start_process(ready_fd: int, log_path: str, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with open(log_path, "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "mdmemd", "--ready-fd", str(ready_fd)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            close_fds=True,
            pass_fds=(ready_fd,),
            start_new_session=True,
            cwd="/",
            env=dict(environ),
        )


def _read_line(reader: int, deadline: Deadline) -> bytes | None:
    """Everything up to the first line end or the end of file; ``None`` where the deadline passes first."""
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    received = b""
    while not received.endswith(b"\n"):
        if not poll.poll(deadline.remaining_seconds() * 1000):
            return None
        chunk = os.read(reader, 65536)
        if not chunk:
            break
        received += chunk
    return received


def _parse_report(line: bytes, pid: int) -> StartReport:
    try:
        fields = json.loads(line)
        if fields["ready"] is True:
            return StartReport(ready=True, pid=pid)
        return StartReport(
            ready=False, pid=pid, reason=fields["reason"], remedy=fields["remedy"], kind=fields["kind"]
        )
    except (ValueError, LookupError, TypeError) as error:
        raise DaemonUnavailableError(
            "The program that was started as the daemon does not report like one of this version.",
            remedy=f"Install mdmem again into the environment of {sys.executable}.",
        ) from error


def _log_tail(log_path: str, log_start: int) -> list[str]:
    """The last lines that were written after ``log_start``."""
    with open(log_path, "rb") as log:
        log.seek(max(log_start, os.fstat(log.fileno()).st_size - LOG_TAIL_BYTES))
        return log.read().decode(errors="replace").splitlines()[-LOG_TAIL_LINES:]


def _died(status: int | None, said: list[str], log_path: str) -> DaemonUnavailableError:
    how = "exit status unknown" if status is None else f"exit status {status}"
    words = "".join(f"\n  {line}" for line in said) or " nothing."
    return DaemonUnavailableError(
        f"The daemon ended before it was ready ({how}). It said:{words}",
        remedy=f"Its whole log is {log_path}.",
    )
