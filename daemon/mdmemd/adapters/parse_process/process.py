"""The parse child as the daemon sees it: the ``Parser`` port.

Invariants: the child is spawned, never forked from the running interpreter; it is started by the first file,
gets one file at a time, and is killed and replaced when a file takes longer than its budget, needs more
memory than the child may have, or makes it crash: that file is then given up to plain line windows. It
inherits the standard streams and nothing else. ``close`` may come from any thread and ends a parse under way;
after it no process is left.
"""

from __future__ import annotations

import errno
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mdmemd.adapters.parse_process.frames import Job, encode, read_answer, write_frame
from mdmemd.model import ChunkMode, ParsedDocument, ParsedFile, Problem

log = logging.getLogger(__name__)

BUDGET_SECONDS = 5.0
"""Of any file. Processor time: what becomes of a document must not depend on how busy the machine is."""

BUDGET_BYTES_PER_SECOND = 1_000_000
"""Parsing with terms does 2 MB in a second of one core, so a file, or a core, may be twice as slow and more:
the largest file (10 MiB) takes 5 s as a table and has 15."""

WAIT_FACTOR = 6.0
"""How much longer the answer may take by the clock: the start of the child, and others who want the cores. It
ends the wait for a child that does nothing at all."""

ADDRESS_SPACE_BYTES_MAX = 1536 * 2**20
"""The largest file as plain windows, all lines as short as can be, takes 1,000 MiB of it."""

_CHILD = ("-P", "-m", "mdmemd.adapters.parse_process.child")
"""``-P``: what lies in the current folder is not imported."""


class ParseProcess:
    """One child at most. Only ``close`` may be called while ``parse`` runs."""

    def __init__(
        self,
        *,
        budget_seconds: float = BUDGET_SECONDS,
        bytes_per_second: float = BUDGET_BYTES_PER_SECOND,
        address_space_bytes_max: int = ADDRESS_SPACE_BYTES_MAX,
    ) -> None:
        self._budget_seconds = budget_seconds
        self._bytes_per_second = bytes_per_second
        self._address_space_bytes_max = address_space_bytes_max
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child, ``None`` where there is none."""
        process = self._process
        return process.pid if process is not None else None

    def parse(self, data: bytes, *, path: str, chunk_mode: ChunkMode) -> ParsedFile:
        """See the port."""
        parsed = self._ask(path, chunk_mode, data)
        if isinstance(parsed, ParsedFile):
            return parsed
        log.warning("%s is indexed as plain lines: %s", path, parsed.message)
        plain = self._ask(path, chunk_mode, data, give_up=parsed)
        if isinstance(plain, ParsedFile):
            return plain
        log.error("%s is known by its name only: %s", path, plain.message)
        stem = path.rpartition("/")[2].rpartition(".")[0]
        problem = Problem(plain.kind, f"{plain.message}, also as plain lines: only its name is known")
        return ParsedFile(ParsedDocument(title=stem or path, sections=(), passages=(), problems=(problem,)))

    def close(self) -> None:
        """See the port."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _ask(
        self, path: str, chunk_mode: ChunkMode, data: bytes, *, give_up: Problem | None = None
    ) -> ParsedFile | Problem:
        """The answer of the child, or what was wrong, after which there is none."""
        process = self._start()
        seconds = self._budget_seconds + len(data) / self._bytes_per_second
        assert process.stdin is not None
        assert process.stdout is not None
        with _time_limit(process, WAIT_FACTOR * seconds) as is_over:
            try:
                write_frame(process.stdin, encode(Job(path, chunk_mode, seconds, give_up)))
                write_frame(process.stdin, data)
                process.stdin.flush()
                parsed = read_answer(process.stdout)
            except (EOFError, OSError, ValueError):
                parsed, has_gone = None, True
            else:
                has_gone = False
        if parsed is not None and not is_over.is_set():
            return parsed
        self._discard(process)
        if is_over.is_set() or process.returncode == -signal.SIGPROF:
            return Problem("too_slow", f"not understood within {seconds:.0f} s")
        if has_gone:
            return Problem("crashed", f"its parser ended with status {process.returncode}")
        return Problem(
            "too_much_memory", f"needs more than {self._address_space_bytes_max // 2**20} MiB of memory"
        )

    def _start(self) -> subprocess.Popen[bytes]:
        """The child, started if there is none. Raises ``OSError`` where that fails or is too late."""
        with self._lock:
            if self._closed:
                raise OSError(errno.ECANCELED, "the parser was closed")
            if self._process is not None and self._process.poll() is None:
                return self._process
            if self._process is not None:
                _end(self._process)  # somebody else ended it; its pipes are still ours
            self._process = subprocess.Popen(
                [sys.executable, *_CHILD, str(self._address_space_bytes_max)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd="/",
                process_group=0,  # a Ctrl-C in the daemon's terminal is not for the child
            )
            return self._process

    def _discard(self, process: subprocess.Popen[bytes]) -> None:
        """End the child; raises ``OSError`` where it has gone because of ``close``."""
        _end(process)
        with self._lock:
            self._process = None
            if self._closed:
                raise OSError(errno.ECANCELED, "the parser was closed")


@contextmanager
def _time_limit(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process when the time is over, which ends every read and write on its pipes.

    The event tells whether that happened. Nothing is killed any more when the block has ended.
    """
    is_over = threading.Event()

    def kill() -> None:
        is_over.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()
        timer.join()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill, reap, and give the pipes back."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # unwritten bytes for a process that has gone
                stream.close()
