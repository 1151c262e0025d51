"""The published state: the one meeting point of the writer and everybody else.

Invariants: ``Published`` and all below it are immutable; a reader takes ``State.current`` once and sees one
moment in time; ticks only grow. The writer alone publishes. Listeners run on the writer's thread and must
only wake somebody (``loop.call_soon_threadsafe``).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mdmemd.engine.report import FileProblem
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import RootSpec, Tick
from mdmemd.ports import WatchMode, WatchStatus
from mdmemd.sync.exclusion import ScopeReport

Listener = Callable[[], object]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RootView:
    """One root at one moment.

    Attributes:
        spec: as registered.
        snapshot: its index.
        scanned: a walk of the folder has been applied since the daemon started.
        pending_files: files known to differ from the index.
        indexed_files: files read since the pending set was last empty, for progress.
        awaited_vectors: distinct texts whose vectors are still to come.
        failed_vectors: distinct texts that the model could not embed; not tried again until they change.
        problems: of files and folders, by path.
        missing: why the folder is out of reach, else ``None``.
        nested_in: name of the root that this one lies in, else ``None``.
        scan_seconds: how long the last walk took.
        scanned_at: when the last walk began (monotonic).
        vectors_by: fingerprint of the encoder that gave the vectors, empty where there are none.
        rebuilt: the index that is being made anew beside this one, as far as it is, else ``None``.
        asleep: its index is not in memory (``hibernation``); the snapshot has its counts only.
        watch: how changes of it are noticed; ``None`` where the writer has not begun with it.
        rules: what its rules took away in the last whole walk.
    """

    spec: RootSpec
    snapshot: RootSnapshot
    scanned: bool = False
    pending_files: int = 0
    indexed_files: int = 0
    awaited_vectors: int = 0
    failed_vectors: int = 0
    problems: tuple[FileProblem, ...] = ()
    missing: str | None = None
    nested_in: str | None = None
    scan_seconds: float = 0.0
    scanned_at: float = float("-inf")
    vectors_by: str = ""
    asleep: bool = False
    rebuilt: RootView | None = None
    watch: WatchStatus | None = None
    rules: ScopeReport = field(default_factory=ScopeReport)

    @property
    def is_watched(self) -> bool:
        """Whether changes are told by events, so that no walk is needed to be up to date."""
        return self.watch is not None and self.watch.mode is WatchMode.EVENTS


@dataclass(frozen=True, slots=True)
class Published:
    """All roots at one moment, by name."""

    tick: Tick
    roots: Mapping[str, RootView] = field(default_factory=lambda: MappingProxyType({}))


class State:
    """Holds the current ``Published``.

    Where ``first`` is milliseconds of the clock, ticks are larger than those of any earlier run.
    """

    def __init__(self, *, first: Tick = Tick(0)) -> None:  # noqa: B008 - an int
        self._current = Published(first)
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []

    @property
    def current(self) -> Published:
        """The newest state; reading a reference is atomic, so there is no lock on the read path."""
        return self._current

    def publish(self, roots: Mapping[str, RootView]) -> None:
        """Replace the state. Writer only."""
        self._current = Published(Tick(self._current.tick + 1), MappingProxyType(dict(roots)))
        self.notify()

    def notify(self) -> None:
        """Call the listeners: something that they look at beside the state has changed. Any thread."""
        with self._lock:
            listeners = tuple(self._listeners)
        for listener in listeners:
            try:
                listener()
            except RuntimeError:
                log.debug("a listener has gone", exc_info=True)

    def wait_for(self, is_enough: Callable[[Published], bool], *, timeout_seconds: float) -> None:
        """Wait until the state is enough, at most so long. Any thread but the writer's."""
        if timeout_seconds <= 0 or is_enough(self._current):
            return
        deadline = time.monotonic() + timeout_seconds
        published = threading.Event()
        unsubscribe = self.subscribe(published.set)
        try:
            while not is_enough(self._current) and published.wait(deadline - time.monotonic()):
                published.clear()
        finally:
            unsubscribe()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` after each publication; returns how to stop that."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners.remove(listener)

        return unsubscribe
