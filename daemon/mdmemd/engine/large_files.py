"""The queue of large files: read and parsed beside the writer, so that one of them delays nobody else.

Invariants: one file at a time, those that somebody waits for first, else in the order handed in; a file that
was taken back before its turn is never read; each other file gets exactly one outcome, on this thread. Holds
paths, never contents. The parser is made for the first file and closed when none has come for a while, by
the same timed wait that hands files out. ``submit``, ``cancel``, ``wake`` and ``close`` are for any thread,
``step`` for the reader's (``workers.Worker``).
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.engine.file_reading import FileToRead, Larger, Outcome, failed, read_file, too_large
from mdmemd.model import ParsedFile
from mdmemd.ports import FileSystem, Parser
from mdmemd.sync.scope import FILE_BYTES_MAX

IDLE_SECONDS = 60.0
"""How long a parser is kept after its last file: somebody who edits a large file saves it again soon."""

Deliver = Callable[[FileToRead, Outcome], None]


@dataclass(frozen=True, slots=True)
class _Job:
    deliver: Deliver
    urgent: bool


class LargeFiles:
    """See the module."""

    def __init__(
        self,
        *,
        files: FileSystem,
        make_parser: Callable[[], Parser],
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._files = files
        self._make_parser = make_parser
        self._idle_seconds = idle_seconds
        self._jobs: dict[FileToRead, _Job] = {}
        self._parser: Parser | None = None
        self._arrived = threading.Condition()
        self._woken = False
        self._closed = False

    # --- any thread -----------------------------------------------------------------------------------------

    def submit(self, wanted: FileToRead, *, urgent: bool, deliver: Deliver) -> None:
        """Have a file read and parsed; ``deliver`` is called with what came of it, on the reader's thread."""
        with self._arrived:
            if self._closed:
                return
            self._jobs[wanted] = _Job(deliver, urgent)
            self._arrived.notify()

    def cancel(self, wanted: FileToRead) -> None:
        """Take a file back; one that is being read right now is delivered all the same."""
        with self._arrived:
            self._jobs.pop(wanted, None)

    def wake(self) -> None:
        """Make a waiting step return."""
        with self._arrived:
            self._woken = True
            self._arrived.notify()

    def close(self) -> None:
        """Parse no more and end a parse under way."""
        with self._arrived:
            self._closed = True
            self._jobs.clear()
            parser, self._parser = self._parser, None
        if parser is not None:
            parser.close()

    # --- the reader's thread --------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Read and parse one file, waiting up to ``timeout_seconds`` for one; returns whether there was any.

        A wait that has lasted ``idle_seconds`` ends the parser.
        """
        job = self._next(timeout_seconds)
        if job is None:
            return False
        wanted, deliver = job
        outcome: Outcome = failed(wanted)
        try:
            outcome = read_file(self._files, wanted, parse=self._parse, bytes_max=FILE_BYTES_MAX)
            if isinstance(outcome, Larger):
                outcome = too_large(wanted)
        finally:  # a bug costs one file, and nobody waits for it for ever
            deliver(wanted, outcome)
        return True

    def _next(self, timeout_seconds: float | None) -> tuple[FileToRead, Deliver] | None:
        """The next file; ends an idle parser."""
        with self._arrived:
            waits = [seconds for seconds in (timeout_seconds, self._idle_wait()) if seconds is not None]
            has_come = self._arrived.wait_for(lambda: self._jobs or self._woken, min(waits, default=None))
            self._woken = False
            if self._jobs:
                wanted = next((wanted for wanted, job in self._jobs.items() if job.urgent), None)
                wanted = wanted or next(iter(self._jobs))
                return wanted, self._jobs.pop(wanted).deliver
            is_idle = not has_come and min(waits, default=0.0) == self._idle_wait()
            parser = self._parser if is_idle else None
            if parser is not None:
                self._parser = None
        if parser is not None:
            parser.close()
        return None

    def _idle_wait(self) -> float | None:
        return None if self._parser is None else self._idle_seconds

    def _parse(self, content: bytes, wanted: FileToRead) -> ParsedFile:
        with self._arrived:
            if self._parser is None and not self._closed:
                self._parser = self._make_parser()
            parser = self._parser
        if parser is None:
            raise OSError(errno.ECANCELED, "the daemon stops")
        return parser.parse(content, path=wanted.path, chunk_mode=wanted.chunk_mode)
