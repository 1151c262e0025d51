"""The promise "fresh".

An answer includes every save that finished before the question was asked, or says what is missing.

How: a question has the roots in its scope looked at (one walk, ``stat`` only) and waits for what that finds,
within a budget. A root whose walk takes longer than the budget is looked at behind the answer and at most
every ``SLOW_LOOK_FACTOR`` times as long as its walk takes, and the answer says how old its view is. Called on
the query pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mdmemd.engine.state import Published, RootView, State
from mdmemd.engine.writer import Look, Recheck, Writer
from mdmemd.ports import Clock
from mdmemd.search.page import StaleFile
from mdmemd.sync.barrier import Ticket

BUDGET_SECONDS = 0.15
SLOW_LOOK_FACTOR = 20.0
"""Bounds walking to 5 % of the writer's time however often a large root is asked."""

BACKLOG_FILES_MAX = 50
"""With more files waiting than this no answer waits for them: they would not be read within the budget."""


class Freshness:
    """Brings roots up to the disk before they are asked."""

    def __init__(
        self, *, state: State, writer: Writer, clock: Clock, budget_seconds: float = BUDGET_SECONDS
    ) -> None:
        self._state = state
        self._writer = writer
        self._clock = clock
        self._budget_seconds = budget_seconds

    def current(self) -> Published:
        """The state as it stands, without a look at the disk."""
        return self._state.current

    def catch_up(self, names: Iterable[str]) -> Published:
        """Have the roots looked at and wait within the budget; returns the state to answer from."""
        now = self._clock.monotonic()
        views = self._state.current.roots
        tickets = [ticket for name in names if name in views and (ticket := self._ask(views[name], now))]
        deadline = now + self._budget_seconds
        for ticket in tickets:
            ticket.wait(timeout_seconds=deadline - self._clock.monotonic())
        return self._state.current

    def recheck(self, stale: Iterable[StaleFile]) -> Published:
        """Have documents re-read that were found to differ from the disk.

        And wait for them within the budget.
        """
        by_root: dict[str, list[str]] = {}
        for file in stale:
            by_root.setdefault(file.root, []).append(file.path)
        tickets: list[Ticket] = []
        for root, paths in by_root.items():
            tickets.append(Ticket())
            self._writer.post(Recheck(root, tuple(paths), tickets[-1]))
        deadline = self._clock.monotonic() + self._budget_seconds
        for ticket in tickets:
            ticket.wait(timeout_seconds=deadline - self._clock.monotonic())
        return self._state.current

    def outstanding(self, views: Mapping[str, RootView], *, asked_at: float) -> str | None:
        """What these views lack of the disk at the time ``asked_at``, as one sentence.

        ``None`` where they lack nothing.
        """
        reasons: list[str] = []
        for name, view in views.items():
            if view.missing is not None:
                reasons.append(f"{name}: {view.missing}")
            elif not view.scanned:
                reasons.append(f"{name}: its folder is being read for the first time")
            elif view.pending_files:
                reasons.append(f"{name}: {view.pending_files} files are still to be indexed")
            elif view.scanned_at < asked_at:
                age_seconds = asked_at - view.scanned_at
                reasons.append(
                    f"{name}: its folder was last looked at {age_seconds:.1f} s before the question"
                )
        return "; ".join(reasons) or None

    def _ask(self, view: RootView, now: float) -> Ticket | None:
        """Post a look where it is worth it; a ticket where it is worth waiting for."""
        is_slow = view.scan_seconds > self._budget_seconds
        if not view.scanned or (is_slow and now - view.scanned_at < SLOW_LOOK_FACTOR * view.scan_seconds):
            return None
        ticket = Ticket()
        self._writer.post(Look(view.spec.name, ticket))
        return None if is_slow or view.pending_files > BACKLOG_FILES_MAX else ticket
