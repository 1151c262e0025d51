"""The program of the parse child: files in, parsed documents out, one at a time.

Invariants: imports only ``mdmemd.text``, the terms of ``mdmemd.index.term_columns`` and msgspec, so that it
starts quickly and stays small; reads and writes nothing but its pipes and standard error. A thread reads the
pipe while the main thread parses, so the child ends at once when the daemon is gone, also in the middle of a
file. Bounds its own memory, and the processor time of each file by a timer of the kernel, whose signal ends
it; ``process`` sees to the rest.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import IO

from mdmemd.adapters.parse_process.frames import (
    Job,
    NoMemory,
    answer_frames,
    decode_job,
    encode,
    read_frame,
    write_frame,
)
from mdmemd.index.term_columns import document_terms
from mdmemd.text.document import parse_document, parse_plain
from mdmemd.text.tokens import terms


def main() -> None:
    """Serve until the daemon closes the pipe. One argument: the limit of the address space in bytes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the daemon, which then closes the pipe
    limit_memory(int(sys.argv[1]))
    # What some library prints must not get among the frames.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    jobs: SimpleQueue[tuple[Job, bytes]] = SimpleQueue()
    threading.Thread(target=_read_jobs, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        job, data = jobs.get()
        has_memory = True
        try:
            for body in _answer(job, data):
                write_frame(answers, body)
        except MemoryError:
            # Here the traceback still holds all that fills the memory. Whatever allocated anything would fail
            # once more, and CPython 3.11 then tries for ever to enter the handler of that.
            has_memory = False
        if not has_memory:
            write_frame(answers, encode(NoMemory()))
        answers.flush()
        if not has_memory:
            return


def limit_memory(bytes_max: int) -> None:
    """Let allocations beyond ``bytes_max`` fail, where the system can: Linux does, macOS not."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))


def _read_jobs(stream: IO[bytes], jobs: SimpleQueue[tuple[Job, bytes]]) -> None:
    try:
        while True:
            job = decode_job(read_frame(stream))
            jobs.put((job, read_frame(stream)))
    finally:
        os._exit(0)  # the daemon has gone; the main thread may be deep in a file


def _answer(job: Job, data: bytes) -> list[bytes]:
    """The frames of an answer, complete before the first is written: memory may run out on the way."""
    signal.setitimer(signal.ITIMER_PROF, job.cpu_seconds)
    if job.give_up is None:
        document = parse_document(data, path=job.path, chunk_mode=job.chunk_mode)
    else:
        document = parse_plain(data, path=job.path, problem=job.give_up)
    frames = list(answer_frames(document, document_terms(document, path=job.path, tokenize=terms)))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return frames


if __name__ == "__main__":
    main()
