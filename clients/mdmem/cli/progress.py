"""How far a root is, while a command waits: a bar on a terminal, one plain line a phase everywhere else.

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

_PHASES = {"index": ("indexing", "file"), "embed": ("embedding", "passage")}


@contextmanager
def progress(stream: TextIO, *, quiet: bool) -> Iterator[Report]:
    """Give a function that takes the events of ``roots.wait`` and ``sync``."""
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
            verb, noun = _words(event)
            stream.write(f"{verb} {counted(event.total, noun)}\n")
            stream.flush()

    return report


@contextmanager
def _bars(stream: TextIO) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(file=stream), transient=True) as bars:

        def report(event: ProgressEvent) -> None:
            if not event.total:
                return  # nothing is known yet
            if event.phase not in tasks:
                tasks[event.phase] = bars.add_task(_words(event)[0], total=event.total)
            bars.update(tasks[event.phase], completed=event.done, total=event.total)

        yield report


def _words(event: ProgressEvent) -> tuple[str, str]:
    return _PHASES.get(event.phase, (event.phase, "step"))
