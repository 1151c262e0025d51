"""The promise "fresh".

An answer includes every save that finished before the question was asked, or says what is missing.

How, for a root that is watched by events: the watcher gives all hints of changes that were finished before
the question (about a millisecond), and a ticket waits until the writer has indexed what they led to. For a
polled root: one walk (``stat`` only) and what that finds; where the walk takes longer than the budget it goes
on behind the answer and at most every ``SLOW_LOOK_FACTOR`` times as long as it takes. Both within the
caller's ``Patience``; what was not reached in time is told. Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mdmemd.engine.events import Look, Settle
from mdmemd.engine.patience import Patience, parse_patience
from mdmemd.engine.state import Published, RootView, State
from mdmemd.engine.writer import Writer
from mdmemd.ports import Clock, Watcher
from mdmemd.search.page import StaleFile
from mdmemd.sync.barrier import Ticket

BUDGET_SECONDS = 0.15
SLOW_LOOK_FACTOR = 20.0
"""Bounds walking to 5 % of the writer's time however often a large root is asked."""

START_FACTOR = 10.0
"""How many budgets a question waits for the saved index of a root just after a start: without it there is no
answer at all."""

BACKLOG_FILES_MAX = 50
"""With more files waiting than this no answer waits for a walk: they would not be read within the budget."""

SYNC_HEAR_SECONDS = 5.0
"""How long a sync waits for the watcher before it has the folder walked instead."""

NOT_ASKED = "it was not compared with its folder, as asked"
UNHEARD = "the watcher of files did not answer in time"
LATE = "its latest changes are still being read"


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """The state to answer from, and why each of the roots ``late`` may lack something saved before."""

    published: Published
    asked_at: float
    late: Mapping[str, str] = field(default_factory=dict)


class Freshness:
    """Brings roots up to the disk before they are asked."""

    def __init__(
        self,
        *,
        state: State,
        writer: Writer,
        clock: Clock,
        watcher: Watcher,
        rouse: Callable[[Sequence[str]], None],
        budget_seconds: float = BUDGET_SECONDS,
    ) -> None:
        self._state = state
        self._writer = writer
        self._clock = clock
        self._watcher = watcher
        self._rouse = rouse
        self._budget_seconds = budget_seconds

    def current(self) -> Published:
        """The state as it stands, without a look at the disk."""
        return self._state.current

    def patience(self, fresh: str) -> Patience:
        """What a caller's ``fresh`` means here. Raises ``InvalidRequestError``."""
        return parse_patience(fresh, default_seconds=self._budget_seconds)

    def catch_up(self, names: Iterable[str], patience: Patience) -> CaughtUp:
        """Bring the roots up to the disk within the patience, or find out which are late."""
        asked_at = self._clock.monotonic()
        names = tuple(names)
        self._await_start(names, patience)
        views = {name: view for name, view in self._state.current.roots.items() if name in names}
        if not patience.seconds and patience.is_explicit:
            return CaughtUp(self._state.current, asked_at, dict.fromkeys(views, NOT_ASKED))
        deadline = self._clock.monotonic() + patience.seconds
        polled = self._walk({n: view for n, view in views.items() if not view.is_watched}, patience)
        watched = tuple(name for name, view in views.items() if view.is_watched)
        late = self._settle(watched, deadline, patience)
        for name, ticket in polled.items():
            if not ticket.wait(timeout_seconds=deadline - self._clock.monotonic()):
                late[name] = LATE
        return CaughtUp(self._state.current, asked_at, late)

    def reread(self, files: Iterable[StaleFile], patience: Patience, before: CaughtUp) -> CaughtUp:
        """Have single files looked at and read, and wait for that as long as for a question."""
        by_root: dict[str, list[str]] = {}
        for file in files:
            by_root.setdefault(file.root, []).append(file.path)
        tickets = {name: Ticket() for name in by_root}
        for name, paths in by_root.items():
            self._writer.post(Settle(name, tickets[name], tuple(paths)))
        deadline = self._clock.monotonic() + patience.seconds
        late = dict(before.late)
        for name, ticket in tickets.items():
            if not ticket.wait(timeout_seconds=deadline - self._clock.monotonic()):
                late.setdefault(name, LATE)
        return CaughtUp(self._state.current, before.asked_at, late)

    def begin_sync(self, names: Iterable[str], released: Callable[[], object]) -> dict[str, Ticket]:
        """A ticket a root for all that was saved before this call; waits for nothing but the watcher."""
        names = tuple(names)
        self._rouse(names)
        is_heard = self._watcher.catch_up(timeout_seconds=SYNC_HEAR_SECONDS)
        views = self._state.current.roots
        tickets = {name: Ticket(needs_all=True, on_release=released) for name in names}
        for name, ticket in tickets.items():
            is_watched = is_heard and name in views and views[name].is_watched
            self._writer.post(Settle(name, ticket) if is_watched else Look(name, ticket))
        return tickets

    def outstanding(self, views: Mapping[str, RootView], caught_up: CaughtUp) -> str | None:
        """What these views lack of the disk at the time of the question, as one sentence.

        ``None`` where they lack nothing.
        """
        found = ((name, _lack(view, caught_up, name)) for name, view in views.items())
        return "; ".join(f"{name}: {reason}" for name, reason in found if reason is not None) or None

    def _await_start(self, names: Sequence[str], patience: Patience) -> None:
        """Wait for roots that are not in memory yet or sleep, then for the first walk of those restored."""
        self._rouse(names)
        self._state.wait_for(
            lambda published: all(
                name in published.roots and not published.roots[name].asleep for name in names
            ),
            timeout_seconds=max(START_FACTOR * self._budget_seconds, patience.seconds),
        )
        self._state.wait_for(
            lambda published: all(view.scanned for name in names if (view := published.roots.get(name))),
            timeout_seconds=patience.seconds,
        )

    def _settle(self, names: Sequence[str], deadline: float, patience: Patience) -> dict[str, str]:
        """Wait until everything that happened before is indexed in watched roots; why which are late."""
        if not names:
            return {}
        if not self._watcher.catch_up(timeout_seconds=max(0.0, deadline - self._clock.monotonic())):
            return dict.fromkeys(names, UNHEARD)
        tickets = {name: Ticket(needs_all=patience.is_explicit) for name in names}
        for name, ticket in tickets.items():
            self._writer.post(Settle(name, ticket))
        return {
            name: LATE
            for name, ticket in tickets.items()
            if not ticket.wait(timeout_seconds=deadline - self._clock.monotonic())
        }

    def _walk(self, views: Mapping[str, RootView], patience: Patience) -> dict[str, Ticket]:
        """Have polled roots walked; the tickets of those that are waited for.

        The quickest walks come first, and only as many are waited for as fit into the budget together.
        """
        now = self._clock.monotonic()
        due = [view for view in views.values() if patience.is_explicit or self._is_due(view, now)]
        tickets: dict[str, Ticket] = {}
        walks_seconds = 0.0
        for view in sorted(due, key=lambda view: view.scan_seconds):
            walks_seconds += view.scan_seconds
            fits = walks_seconds <= patience.seconds and (
                patience.is_explicit or view.pending_files <= BACKLOG_FILES_MAX
            )
            ticket = Ticket(is_awaited=fits)
            self._writer.post(Look(view.spec.name, ticket))
            if fits:
                tickets[view.spec.name] = ticket
        return tickets

    def _is_due(self, view: RootView, now: float) -> bool:
        """Whether a look is worth its cost: the walk of a slow root would else go on all the time."""
        if not view.scanned:
            return False
        is_slow = view.scan_seconds > self._budget_seconds
        return not is_slow or now - view.scanned_at >= SLOW_LOOK_FACTOR * view.scan_seconds


def _lack(view: RootView, caught_up: CaughtUp, name: str) -> str | None:
    """What one view lacks."""
    if view.missing is not None:
        return view.missing
    if view.asleep:
        return "it was asleep, and its index is being brought back to memory"
    if not view.scanned:
        return "its folder is being looked at for the first time since the start"
    if view.pending_files:
        return f"{view.pending_files} files are still to be indexed"
    if view.is_watched or caught_up.late.get(name) == NOT_ASKED:
        return caught_up.late.get(name)
    if view.scanned_at < caught_up.asked_at:
        age_seconds = caught_up.asked_at - view.scanned_at
        return f"its folder was last looked at {age_seconds:.1f} s before the question"
    return None
