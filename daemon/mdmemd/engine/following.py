"""For those who follow a root: what has changed since a moment, and waiting until all that is saved is in.

A facade beside ``Service``. ``changes`` and ``begin_sync`` on the query pool (the latter may wait for the
watcher), the rest on any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mdmemd.engine.freshness import Freshness
from mdmemd.engine.journal import Change, Journals
from mdmemd.engine.roots import Roots
from mdmemd.engine.state import RootView, State
from mdmemd.model import Tick
from mdmemd.sync.barrier import Ticket


@dataclass(frozen=True, slots=True)
class RootChange:
    """A change and the root that it is in."""

    root: str
    change: Change


@dataclass(frozen=True, slots=True)
class ChangeList:
    """Changes by tick; ``tick`` and ``at`` (unix seconds) are what to ask from next time.

    ``incomplete`` names the roots whose journal does not reach back so far.
    """

    changes: tuple[RootChange, ...]
    tick: Tick
    incomplete: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """One wait for everything that was saved before it began: a ticket a root."""

    tickets: Mapping[str, Ticket]
    state: State

    @property
    def is_indexed(self) -> bool:
        """Whether every root has it in its index."""
        return all(ticket.is_released for ticket in self.tickets.values())

    def views(self) -> dict[str, RootView]:
        """The roots that are waited for, as published."""
        current = self.state.current.roots
        return {name: current[name] for name in self.tickets if name in current}


class Following:
    """See the module."""

    def __init__(self, *, roots: Roots, state: State, freshness: Freshness, journals: Journals) -> None:
        self._roots = roots
        self._state = state
        self._freshness = freshness
        self._journals = journals

    def changes(
        self, *, roots: tuple[str, ...] = (), since_tick: int | None = None, since_time: float | None = None
    ) -> ChangeList:
        """The changes after a tick, or at and after a time (unix seconds), of ``roots`` (none: all).

        Without either, everything that is remembered.
        """
        tick = self._state.current.tick
        found: list[RootChange] = []
        incomplete: list[str] = []
        for name in self._roots.names(roots):
            journal = self._journals.of(name)
            if journal is None:
                incomplete.append(name)
                continue
            if since_tick is not None:
                changes = journal.after_tick(since_tick)
            else:
                changes = journal.after_time(since_time if since_time is not None else float("-inf"))
            found.extend(RootChange(name, change) for change in changes.entries if change.tick <= tick)
            if not changes.complete:
                incomplete.append(name)
        found.sort(key=lambda entry: entry.change.tick)
        return ChangeList(tuple(found), tick, tuple(incomplete))

    def begin_sync(self, *, roots: tuple[str, ...] = (), released: Callable[[], object]) -> Sync:
        """Begin to wait for ``roots`` (none: all); ``released`` is called when a root is done.

        It runs on the writer's thread and must only wake somebody.
        """
        names = self._roots.names(roots)
        return Sync(self._freshness.begin_sync(names, released), self._state)
