"""The promise "fresh".

An answer includes every save that finished before the question was asked, or says what is missing.

How: a question has the roots in its scope looked at (one walk, ``stat`` only) and waits for what that finds,
within a budget. A root whose walk takes longer than the budget is looked at behind the answer and at most
every ``SLOW_LOOK_FACTOR`` times as long as its walk takes, and the answer says how old its view is. Called on
the query pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from mdmemd.engine.events import Look, Reread
from mdmemd.engine.state import Published, RootView, State
from mdmemd.engine.writer import Writer
from mdmemd.ports import Clock
from mdmemd.search.page import StaleFile
from mdmemd.sync.barrier import Ticket

BUDGET_SECONDS = 0.15
SLOW_LOOK_FACTOR = 20.0
"""Bounds walking to 5 % of the writer's time however often a large root is asked."""

START_FACTOR = 10.0
"""How many budgets a question waits for the saved index of a root just after a start: without it there is no
answer at all."""

BACKLOG_FILES_MAX = 50
"""With more files waiting than this no answer waits for them: they would not be read within the budget."""


class Freshness:
    """Brings roots up to the disk before they are asked."""

    def __init__(
        self,
        *,
        state: State,
        writer: Writer,
        clock: Clock,
        rouse: Callable[[Sequence[str]], None],
        budget_seconds: float = BUDGET_SECONDS,
    ) -> None:
        self._state = state
        self._writer = writer
        self._clock = clock
        self._rouse = rouse
        self._budget_seconds = budget_seconds

    def current(self) -> Published:
        """The state as it stands, without a look at the disk."""
        return self._state.current

    def catch_up(self, names: Iterable[str]) -> Published:
        """Have the roots looked at and wait within the budget; returns the state to answer from.

        The quickest walks come first, and only as many are waited for as fit into the budget together.
        """
        names = tuple(names)
        self._await_start(names)
        now = self._clock.monotonic()
        views = self._state.current.roots
        due = [views[name] for name in names if name in views and self._is_due(views[name], now)]
        tickets: list[Ticket] = []
        walks_seconds = 0.0
        for view in sorted(due, key=lambda view: view.scan_seconds):
            walks_seconds += view.scan_seconds
            fits = walks_seconds <= self._budget_seconds and view.pending_files <= BACKLOG_FILES_MAX
            ticket = Ticket(is_awaited=fits)
            self._writer.post(Look(view.spec.name, ticket))
            if fits:
                tickets.append(ticket)
        return self._wait(tickets)

    def reread(self, files: Iterable[StaleFile]) -> Published:
        """Have single files looked at and read, and wait for that within the budget.

        Where a walk is quick the root is walked as well: only a walk can tell that a file was deleted.
        """
        by_root: dict[str, list[str]] = {}
        for file in files:
            by_root.setdefault(file.root, []).append(file.path)
        views = self._state.current.roots
        tickets: list[Ticket] = []
        for name, paths in by_root.items():
            tickets.append(Ticket())
            self._writer.post(Reread(name, tuple(paths), tickets[-1]))
            if name in views and not self._is_slow(views[name]):
                tickets.append(Ticket())
                self._writer.post(Look(name, tickets[-1]))
        return self._wait(tickets)

    def outstanding(self, views: Mapping[str, RootView], *, asked_at: float) -> str | None:
        """What these views lack of the disk at the time ``asked_at``, as one sentence.

        ``None`` where they lack nothing.
        """
        reasons: list[str] = []
        for name, view in views.items():
            if view.missing is not None:
                reasons.append(f"{name}: {view.missing}")
            elif view.asleep:
                reasons.append(f"{name}: it was asleep, and its index is being brought back to memory")
            elif not view.scanned:
                reasons.append(f"{name}: its folder is being looked at for the first time since the start")
            elif view.pending_files:
                reasons.append(f"{name}: {view.pending_files} files are still to be indexed")
            elif view.scanned_at < asked_at:
                age_seconds = asked_at - view.scanned_at
                reasons.append(
                    f"{name}: its folder was last looked at {age_seconds:.1f} s before the question"
                )
        return "; ".join(reasons) or None

    def _await_start(self, names: Sequence[str]) -> None:
        """Wait for roots that are not in memory yet or sleep, then for the first walk of those restored."""
        self._rouse(names)
        self._state.wait_for(
            lambda published: all(
                name in published.roots and not published.roots[name].asleep for name in names
            ),
            timeout_seconds=START_FACTOR * self._budget_seconds,
        )
        self._state.wait_for(
            lambda published: all(view.scanned for name in names if (view := published.roots.get(name))),
            timeout_seconds=self._budget_seconds,
        )

    def _wait(self, tickets: Iterable[Ticket]) -> Published:
        deadline = self._clock.monotonic() + self._budget_seconds
        for ticket in tickets:
            ticket.wait(timeout_seconds=deadline - self._clock.monotonic())
        return self._state.current

    def _is_due(self, view: RootView, now: float) -> bool:
        """Whether a look is worth its cost: the walk of a slow root would else go on all the time."""
        if not view.scanned:
            return False
        return not self._is_slow(view) or now - view.scanned_at >= SLOW_LOOK_FACTOR * view.scan_seconds

    def _is_slow(self, view: RootView) -> bool:
        return view.scan_seconds > self._budget_seconds
