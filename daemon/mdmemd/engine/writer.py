"""The single writer: take what happened, look, read, parse, index, publish.

Invariants: one closed union of events (``events``) and the hints of the watcher are all that can make
the writer act; they come through the inbox and the hint box, and an event that comes after a hint is handled
after it. Every ``step`` is bounded (looks of ``LOOK_BUDGET_SECONDS`` in one root, files of
``BATCH_BUDGET_SECONDS``) and ends with a published state if anything changed; roots somebody waits for come
first, then files just saved, then what is done soonest; upkeep of indexes uses idle time and stops for any
event or hint. Large files are read and parsed elsewhere (``large_files``) and come back as events; vectors
come back as events. Runs on the writer thread (``workers.Worker``); tests call ``step`` themselves.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque

from mdmemd.engine.events import (
    AddRoot,
    CancelModelChange,
    ChangeModel,
    ChangeRoot,
    Embedded,
    FileRead,
    Look,
    ModelReady,
    RebuildRoot,
    RemoveRoot,
    Settle,
    Sleep,
    Wake,
    WriterEvent,
)
from mdmemd.engine.root_table import RootTable, RootTools
from mdmemd.engine.root_work import RootWork
from mdmemd.sync.barrier import Ticket
from mdmemd.sync.hint_box import HintBox

log = logging.getLogger(__name__)

LOOK_BUDGET_SECONDS = 0.02
"""How long one root is looked at before others, and files, have their turn."""

BATCH_BUDGET_SECONDS = 0.05
"""How long files are read and parsed before waiting events are looked at again; also about the age of the
published state in bulk work."""

AWAITED_BUDGET_SECONDS = 0.01
"""The same when somebody waits or something was saved.

Measured on two busy cores with questions asked one after another while 5,000 small files were indexed: p95 of
26 ms and 3.6 s in all; without this 124 ms and 3.4 s, with 0 seconds 11 ms and 8 s. Having each file parsed
in a child gave 20 ms and 20 s, so small files stay here.
"""

BATCH_FILES_MAX = 128

TIDY_ROWS = 8
"""Vectors that idle time puts into a graph before the inbox is looked at again: 2 to 4 ms."""


class Writer:
    """The one that changes indexes. ``post`` and ``wake`` are for any thread, ``step`` for the writer's."""

    def __init__(self, tools: RootTools) -> None:
        self._clock = tools.clock
        self._state = tools.state
        self._hints = HintBox(self.wake)
        self._roots = RootTable(tools, post=self.post, hint=self._hints.put)
        self._inbox: deque[WriterEvent] = deque()
        self._arrived = threading.Condition()
        self._woken = False
        self._is_awaited = False  # a waiter is in the inbox
        self._closed = False

    # --- any thread -----------------------------------------------------------------------------------------

    def post(self, event: WriterEvent) -> None:
        """Hand the writer something to do."""
        with self._arrived:
            if not self._closed:
                self._inbox.append(event)
                self._is_awaited = self._is_awaited or isinstance(event, Look | Settle)
                self._arrived.notify()
                return
        if isinstance(event, Look | Settle):
            event.ticket.release(applied=False)

    def wake(self) -> None:
        """Make a waiting step return."""
        with self._arrived:
            self._woken = True
            self._arrived.notify()

    def close(self) -> None:
        """After the thread has ended: let everybody go who still waits."""
        with self._arrived:
            self._closed = True
            left = list(self._inbox)
            self._inbox.clear()
        for event in left:
            if isinstance(event, Look | Settle):
                event.ticket.release(applied=False)
        for root in self._roots:
            root.give_up()

    # --- the writer's thread --------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Handle what has arrived, look at one root, then read one batch of files; in idle time some upkeep.

        Waits only where there is none of that. Returns whether there was any.
        """
        events = self._take(timeout_seconds)
        hinted = self._take_hints()
        has_news = False
        for event in events:
            try:
                has_news = self._handle(event) or has_news
            except Exception:  # a bug that one event brings out must not cost the others
                log.exception("an event failed: %s", type(event).__name__)
        has_switched = self._roots.end_rebuilds()
        looked, found = self._look()
        dropped = [root for root in self._roots if root.drop_vanished()]
        if has_news or found or dropped or has_switched:
            self._publish()
        self._release()  # whoever waits for no file is let go before the batch
        reading = self._next_to_read()
        if reading is not None:
            reading.index_batch(files_max=BATCH_FILES_MAX, budget_seconds=self._batch_budget_seconds)
            if not reading.waiting:
                reading.drop_vanished()
            self._roots.end_rebuilds()
            self._publish()
            self._release()
        has_worked = bool(events) or hinted or looked or bool(dropped) or reading is not None
        return has_worked or self._tidy()

    def _tidy(self) -> bool:
        """Use idle time for the graphs of a root, until something arrives or others may see what was done."""
        root = self._next_to_tidy()
        if root is None:
            return False
        started = self._clock.monotonic()
        while root.index.tidy(rows=TIDY_ROWS) and not self._inbox and not self._hints:
            if self._woken or self._clock.monotonic() - started >= BATCH_BUDGET_SECONDS:
                break
        self._publish()
        return True

    def _batch_budget_seconds(self) -> float:
        return AWAITED_BUDGET_SECONDS if self._is_awaited or self._hints else BATCH_BUDGET_SECONDS

    def _look(self) -> tuple[bool, bool]:
        """Look at the root that is first for a while; whether there was any, and whether it found news."""
        now = started = self._clock.monotonic()
        root = self._next_to_look(now)
        if root is None:
            return False, False
        is_news = False
        while root.has_looks(now) and now - started < LOOK_BUDGET_SECONDS:
            is_walk = not root.has_hints
            is_news = root.look(budget_seconds=LOOK_BUDGET_SECONDS - (now - started)) or is_news
            now = self._clock.monotonic()
            if is_walk:
                break
        return True, is_news

    def _publish(self) -> None:
        self._roots.submit_texts()
        self._state.publish(self._roots.views())

    def _release(self) -> None:
        for work in self._roots:
            work.release_waiters()

    def _take(self, timeout_seconds: float | None) -> list[WriterEvent]:
        """What is in the inbox, waiting for it where there is nothing else to do."""
        now = self._clock.monotonic()
        waiting = (self._next_to_look(now), self._next_to_read(), self._next_to_tidy())
        if any(root is not None for root in waiting):
            patience: float | None = 0.0
        else:
            due_at = min((root.due_at() for root in self._roots), default=math.inf)
            waits = [seconds for seconds in (timeout_seconds, due_at - now) if seconds is not None]
            patience = max(0.0, min(waits))
        with self._arrived:
            if patience != 0.0:
                limit = None if patience is None or math.isinf(patience) else patience
                self._arrived.wait_for(lambda: self._inbox or self._woken, limit)
            self._woken = False
            self._is_awaited = False
            events = list(self._inbox)
            self._inbox.clear()
            return events

    def _take_hints(self) -> bool:
        """Note what was hinted. After the inbox was emptied: what an event of it waits for is in the box."""
        hints = self._hints.take()
        for root_id, pending in hints.items():
            if root := self._roots.get(root_id):
                root.note(pending)
        return bool(hints)

    def _next_to_look(self, now: float) -> RootWork | None:
        """The root to look at next.

        One that somebody waits for comes first, then hints, then one that was never walked, then any.
        """
        wanting = [root for root in self._roots if root.has_looks(now)]
        return min(
            wanting, key=lambda root: (not root.is_urgent, not root.has_hints, root.scanned), default=None
        )

    def _next_to_read(self) -> RootWork | None:
        """The root to read files of next.

        One that somebody waits for comes first, then one with files just saved, then the one that is done
        soonest, so that an edit does not wait for a large folder.
        """
        waiting = [root for root in self._roots if root.waiting]
        return min(waiting, key=lambda root: (not root.is_urgent, not root.fresh, root.waiting), default=None)

    def _next_to_tidy(self) -> RootWork | None:
        """A root whose index has upkeep to do."""
        return next((root for root in self._roots if not root.index.is_tidy), None)

    def _handle(self, event: WriterEvent) -> bool:
        """Handle one event; returns whether that can have changed what is published."""
        match event:
            case AddRoot(root_id, spec):
                self._roots.add(root_id, spec)
            case ChangeRoot(root_id, spec):
                self._roots.change(root_id, spec)
            case RemoveRoot(root_id):
                self._roots.remove(root_id)
            case Embedded(root_id, delivery):
                root = self._roots.get(root_id)
                if root is not None and root.vectors.made_by == delivery.made_by:  # never of two models
                    root.vectors.add(delivery.keys, delivery.vectors, delivery.failed)
            case ModelReady():
                self._roots.use_model(event)
            case ChangeModel(fingerprint, dimensions):
                self._roots.begin_change(ModelReady(fingerprint, dimensions))
            case CancelModelChange():
                self._roots.cancel_change()
            case FileRead(root_id, wanted, outcome):
                if root := self._roots.get(root_id):
                    root.take(wanted, outcome)
            case _:
                return self._handle_named(event)
        return True

    def _handle_named(self, event: Look | Settle | Sleep | Wake | RebuildRoot) -> bool:
        """What is asked of a root by its name; all but ``Sleep`` wake it. Returns as ``_handle`` does."""
        match event:
            case Look(name, ticket):
                if root := self._named(name, ticket):
                    root.walk(ticket)
                return False
            case Settle(name, ticket, paths, is_forced):
                if root := self._named(name, ticket):
                    root.settle(ticket, paths, is_forced=is_forced)
                return False
            case RebuildRoot(name, ticket):
                if root := self._named(name, ticket):
                    self._roots.begin_rebuild(root)
                    self._publish()  # who is let go now, shall see that it has begun
                    ticket.release()
            case Sleep(name, revision):
                self._roots.put_to_sleep(name, revision)
            case Wake(name):
                self._roots.find(name)
        return True

    def _named(self, name: str, ticket: Ticket) -> RootWork | None:
        root = self._roots.find(name)
        if root is None:
            ticket.release(applied=False)
        return root
