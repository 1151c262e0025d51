"""C3: bars on a terminal, plain lines everywhere else."""

from __future__ import annotations

import io

from mdmem.cli.progress import progress
from mdmem_proto.messages import ProgressEvent

EVENTS = [
    ProgressEvent("index", 0, 0),
    ProgressEvent("index", 1, 2),
    ProgressEvent("index", 2, 2),
    ProgressEvent("embed", 1, 1),
    ProgressEvent("download", 20_000_000, 217_568_394),
    ProgressEvent("of_a_later_daemon", 1, 3),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(stream: io.StringIO, *, quiet: bool = False) -> str:
    with progress(stream, quiet=quiet) as report:
        for event in EVENTS:
            report(event)
    return stream.getvalue()


def test_c3_a_pipe_gets_one_line_a_phase() -> None:
    assert told(io.StringIO()) == (
        "indexing 2 files\nembedding 1 passage\ndownloading 197.6 MB\nof_a_later_daemon 3 steps\n"
    )


def test_quiet_is_silent() -> None:
    assert told(Terminal(), quiet=True) == ""


def test_a_terminal_gets_bars_that_go_away() -> None:
    text = told(Terminal())
    assert "indexing" in text
    assert "2/2" in text
    assert "20.0/217.6 MB" in text
    assert text.endswith("\x1b[2K")
