"""How far something is, while a command waits: a bar on a terminal, one plain line a phase everywhere else.

Invariants: nothing but standard error is written to, and without a terminal no control code is (agents and
logs read it). rich is imported only when a bar is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from mdmem.cli.render.style import counted
from mdmem_proto.messages import ProgressEvent

Report = Callable[[ProgressEvent], None]

_DOWNLOAD = "download"
_PHASES = {
    "index": ("indexing", "file"),
    "embed": ("embedding", "passage"),
    _DOWNLOAD: ("downloading", "byte"),
    "ask": ("asking", "question"),
}


@contextmanager
def progress(stream: TextIO, *, quiet: bool) -> Iterator[Report]:
    """Give a function that takes the events of ``roots.wait``, ``sync``, ``eval`` and ``models.download``."""
    if quiet:
        yield lambda _event: None
    elif stream.isatty():
        with _bars(stream) as report:
            yield report
    else:
        yield _lines(stream)


def _lines(stream: TextIO) -> Report:
    told: set[str] = set()

    def report(event: ProgressEvent) -> None:
        if event.total and event.phase not in told:
            told.add(event.phase)
            stream.write(f"{_sentence(event)}\n")
            stream.flush()

    return report


@contextmanager
def _bars(stream: TextIO) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(file=stream), transient=True) as bars:

        def report(event: ProgressEvent) -> None:
            if not event.total:
                return  # nothing is known yet
            if event.phase not in tasks:
                tasks[event.phase] = bars.add_task(_words(event)[0], total=event.total, count="")
            bars.update(tasks[event.phase], completed=event.done, total=event.total, count=_count(event))

        yield report


def _words(event: ProgressEvent) -> tuple[str, str]:
    return _PHASES.get(event.phase, (event.phase, "step"))


def _sentence(event: ProgressEvent) -> str:
    verb, noun = _words(event)
    if event.phase == _DOWNLOAD:
        return f"{verb} {_megabytes(event.total - event.done)}"
    return f"{verb} {counted(event.total, noun)}"


def _count(event: ProgressEvent) -> str:
    if event.phase == _DOWNLOAD:
        return f"{event.done / 1e6:,.1f}/{_megabytes(event.total)}"
    return f"{event.done:,}/{event.total:,}"


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"
