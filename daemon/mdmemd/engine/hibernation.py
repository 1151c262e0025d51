"""Roots that nobody uses: their memory is freed, and the next question or edit brings them back.

A root is put to sleep when it was neither asked nor changed for a while, is complete, and is saved as it is.
The writer then keeps only what ``status`` shows of it (``asleep_view``); waking it is what a start does:
restore what was saved, answer, walk the folder. So a question of a sleeping root costs what the first one
after a start costs, and it waits as long for it.

Threads: ``step`` on the hibernation thread, which sleeps until a root can be due; all else on any. Decides
only: the writer puts to sleep and wakes (``writer.Sleep``, ``writer.Wake``), and refuses a root that has
changed meanwhile.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from mdmemd.embed.heap import release_free_memory
from mdmemd.engine.state import RootView, State
from mdmemd.index.snapshot import Revision, RootSnapshot
from mdmemd.ports import Clock

RETRY_SECONDS = 60.0
"""When a root that should sleep but cannot yet (not saved, still embedding) is looked at again."""


@dataclass(slots=True)
class _Use:
    """The last use of one root (monotonic), and what was published of it last."""

    at: float
    revision: Revision
    asleep: bool


def asleep_view(view: RootView, empty: RootSnapshot) -> RootView:
    """What is left of a root while it sleeps: its counts and problems, nothing to search in."""
    counts = replace(view.snapshot, segments=(), vectors=empty.vectors)
    return replace(view, snapshot=counts, scanned=False, asleep=True)


class Hibernation:
    """A ``workers.Stepper``. ``after_seconds`` without use puts a root to sleep; infinite: never.

    ``is_saved`` says whether the saved index of a root is the very state of a view; ``sleep`` and ``wake``
    hand the writer the name of a root.
    """

    def __init__(
        self,
        *,
        state: State,
        clock: Clock,
        after_seconds: float,
        is_saved: Callable[[RootView], bool],
        sleep: Callable[[str, Revision], None],
        wake: Callable[[str], None],
        free_memory: Callable[[], None] = release_free_memory,
    ) -> None:
        self._state = state
        self._clock = clock
        self._after_seconds = after_seconds
        self._is_saved = is_saved
        self._sleep = sleep
        self._wake_root = wake
        self._free_memory = free_memory
        self._uses: dict[str, _Use] = {}
        self._lock = threading.Lock()
        self._has_memory_to_free = False
        self._woken = threading.Event()
        state.subscribe(self._published)

    # --- any thread -----------------------------------------------------------------------------------------

    def rouse(self, names: Iterable[str]) -> None:
        """These roots are used now; those that sleep are woken. Does not wait for that."""
        now = self._clock.monotonic()
        views = self._state.current.roots
        for name in names:
            with self._lock:
                use = self._uses.get(name)
                if use is not None:
                    use.at = now
            view = views.get(name)
            if view is not None and view.asleep:
                self._wake_root(name)

    def wake(self) -> None:
        """Make a waiting ``step`` return."""
        self._woken.set()

    def _published(self) -> None:
        """A listener of the state: a change is a use."""
        now = self._clock.monotonic()
        views = self._state.current.roots
        must_wake = False
        with self._lock:
            for name in self._uses.keys() - views.keys():
                del self._uses[name]
            for name, view in views.items():
                use = self._uses.get(name)
                if use is None or (use.revision, use.asleep) != (view.snapshot.revision, view.asleep):
                    self._uses[name] = _Use(now, view.snapshot.revision, view.asleep)
                    self._has_memory_to_free |= view.asleep
                    must_wake |= use is None or use.asleep != view.asleep
        if must_wake:
            self._woken.set()

    # --- the hibernation thread -----------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Put to sleep what is due; waits only when there is nothing, until a root can be."""
        if self._has_memory_to_free:
            self._has_memory_to_free = False
            self._free_memory()
        due = self._due()
        if not due:
            patience = self._patience()
            if timeout_seconds is not None:
                patience = min(patience, timeout_seconds)
            self._woken.wait(None if math.isinf(patience) else patience)
            self._woken.clear()
            due = self._due()
        for view in due:
            self._sleep(view.spec.name, view.snapshot.revision)
        return bool(due)

    def _due(self) -> list[RootView]:
        """The roots that may sleep now; one that should but cannot is looked at again later."""
        now = self._clock.monotonic()
        due: list[RootView] = []
        for name, view in self._state.current.roots.items():
            with self._lock:
                use = self._uses.get(name)
                if view.asleep or use is None or now - use.at < self._after_seconds:
                    continue
                # The writer may refuse too: then it is tried again as well.
                use.at = now - self._after_seconds + RETRY_SECONDS
            if self._may_sleep(view):
                due.append(view)
        return due

    def _may_sleep(self, view: RootView) -> bool:
        is_complete = view.scanned and view.missing is None and not view.pending_files
        return is_complete and not view.awaited_vectors and self._is_saved(view)

    def _patience(self) -> float:
        now = self._clock.monotonic()
        views = self._state.current.roots
        with self._lock:
            awake = [use.at for name, use in self._uses.items() if name in views and not views[name].asleep]
        return max(0.0, min(awake, default=math.inf) + self._after_seconds - now)
