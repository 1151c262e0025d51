"""The single writer: take what happened, look, read, parse, index, publish.

Invariants: one closed union of events (``writer_events``) and the hints of the watcher are all that can make
the writer act; they come through the inbox and the hint box, and an event that comes after a hint is handled
after it. Every ``step`` is bounded (looks of ``LOOK_BUDGET_SECONDS`` in one root, files of
``BATCH_BUDGET_SECONDS``) and ends with a published state if anything changed; roots somebody waits for come
first, then files just saved, then what is done soonest. Large files are read and parsed elsewhere
(``large_files``) and come back as events; vectors come back as events. Runs on the writer thread
(``workers.Worker``); tests call ``step`` themselves.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Callable

from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.queue import Ticket as EmbedTicket
from mdmemd.engine.file_reading import FileToRead, Outcome
from mdmemd.engine.hibernation import asleep_view
from mdmemd.engine.journal import Journals
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.restore import Restored
from mdmemd.engine.root_work import RootWork
from mdmemd.engine.state import RootView, State
from mdmemd.engine.watching import Watching
from mdmemd.engine.writer_events import (
    AddRoot,
    ChangeRoot,
    Embedded,
    FileRead,
    Look,
    ModelReady,
    RemoveRoot,
    Settle,
    Sleep,
    Wake,
    WriterEvent,
)
from mdmemd.index.snapshot import Revision, RootSnapshot
from mdmemd.model import RootId, RootSpec, Tick, UnembeddedPassage
from mdmemd.ports import Clock, FileSystem, Hint
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


class Writer:
    """The one that changes indexes. ``post`` and ``wake`` are for any thread, ``step`` for the writer's."""

    def __init__(
        self,
        *,
        files: FileSystem,
        clock: Clock,
        state: State,
        embedder: EmbedQueue,
        large: LargeFiles,
        restore: Callable[[RootSpec], Restored],
        empty: RootSnapshot,
        watching: Watching,
        journals: Journals,
    ) -> None:
        self._files = files
        self._clock = clock
        self._state = state
        self._embedder = embedder
        self._large = large
        self._restore = restore
        self._empty = empty
        self._watching = watching
        self._journals = journals
        self._model: str | None = None
        self._inbox: deque[WriterEvent] = deque()
        self._hints = HintBox(self.wake)
        self._arrived = threading.Condition()
        self._woken = False
        self._is_awaited = False  # a waiter is in the inbox
        self._closed = False
        self._roots: dict[RootId, RootWork] = {}
        self._asleep: dict[RootId, RootView] = {}
        self._embedding: dict[RootId, list[EmbedTicket]] = {}

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
        for root in self._roots.values():
            root.give_up()

    # --- the writer's thread --------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Handle what has arrived, look at one root, then read one batch of files.

        Waits only where there is none of that. Returns whether there was any.
        """
        events = self._take(timeout_seconds)
        hinted = self._take_hints()
        has_news = hinted
        for event in events:
            try:
                has_news = self._handle(event) or has_news
            except Exception:  # a bug that one event brings out must not cost the others
                log.exception("an event failed: %s", type(event).__name__)
        looked = self._look()
        dropped = [root for root in tuple(self._roots.values()) if root.drop_vanished()]
        if has_news or looked or dropped:
            self._publish()
        self._release()  # whoever waits for no file is let go before the batch
        reading = self._next_to_read()
        if reading is not None:
            reading.index_batch(files_max=BATCH_FILES_MAX, budget_seconds=self._batch_budget_seconds)
            if not reading.waiting:
                reading.drop_vanished()
            self._publish()
            self._release()
        return bool(events) or hinted or looked or bool(dropped) or reading is not None

    def _batch_budget_seconds(self) -> float:
        return AWAITED_BUDGET_SECONDS if self._is_awaited or self._hints else BATCH_BUDGET_SECONDS

    def _look(self) -> bool:
        """Look at the root that is first for a while; returns whether there was any."""
        now = started = self._clock.monotonic()
        root = self._next_to_look(now)
        if root is None:
            return False
        while root.has_looks(now) and now - started < LOOK_BUDGET_SECONDS:
            is_walk = not root.has_hints
            root.look(budget_seconds=LOOK_BUDGET_SECONDS - (now - started))
            now = self._clock.monotonic()
            if is_walk:
                break
        return True

    def _publish(self) -> None:
        for work in self._roots.values():
            self._submit(work)
        self._state.publish(self._views())

    def _release(self) -> None:
        for work in self._roots.values():
            work.release_waiters()

    def _views(self) -> dict[str, RootView]:
        asleep = {view.spec.name: view for view in self._asleep.values()}
        return asleep | {work.spec.name: work.view() for work in self._roots.values()}

    def _take(self, timeout_seconds: float | None) -> list[WriterEvent]:
        """What is in the inbox, waiting for it where there is nothing else to do."""
        now = self._clock.monotonic()
        if self._next_to_look(now) is not None or self._next_to_read() is not None:
            patience: float | None = 0.0
        else:
            due_at = min((root.due_at() for root in self._roots.values()), default=math.inf)
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
            if root_id in self._roots:
                self._roots[root_id].note(pending)
        return bool(hints)

    def _next_to_look(self, now: float) -> RootWork | None:
        """The root to look at next.

        One that somebody waits for comes first, then hints, then one that was never walked, then any.
        """
        wanting = [root for root in self._roots.values() if root.has_looks(now)]
        return min(
            wanting, key=lambda root: (not root.is_urgent, not root.has_hints, root.scanned), default=None
        )

    def _next_to_read(self) -> RootWork | None:
        """The root to read files of next.

        One that somebody waits for comes first, then one with files just saved, then the one that is done
        soonest, so that an edit does not wait for a large folder.
        """
        waiting = [root for root in self._roots.values() if root.waiting]
        return min(waiting, key=lambda root: (not root.is_urgent, not root.fresh, root.waiting), default=None)

    def _handle(self, event: WriterEvent) -> bool:
        """Handle one event; returns whether that can have changed what is published."""
        match event:
            case AddRoot(root_id, spec):
                self._add(root_id, spec)
                self._renest()
            case ChangeRoot(root_id, spec):
                self._change(root_id, spec)
                self._renest()
            case RemoveRoot(root_id):
                self._remove(root_id, is_forgotten=True)
                self._renest()
            case Embedded(root_id, delivery):
                if root_id in self._roots:
                    self._roots[root_id].vectors.add(delivery.keys, delivery.vectors, delivery.failed)
            case ModelReady(fingerprint):
                self._use_model(fingerprint)
            case FileRead(root_id, wanted, outcome):
                if root_id in self._roots:
                    self._roots[root_id].take(wanted, outcome)
            case _:
                return self._handle_named(event)
        return True

    def _handle_named(self, event: Look | Settle | Sleep | Wake) -> bool:
        """What is asked of a root by its name; all but ``Sleep`` wake it. Returns as ``_handle`` does."""
        match event:
            case Look(name, ticket):
                if root := self._named(name, ticket):
                    root.walk(ticket)
                return False
            case Settle(name, ticket, paths):
                if root := self._named(name, ticket):
                    root.settle(ticket, paths)
                return False
            case Sleep(name, revision):
                self._put_to_sleep(name, revision)
            case Wake(name):
                self._find(name)
        return True

    def _use_model(self, fingerprint: str) -> None:
        self._model = fingerprint
        for root in self._roots.values():
            root.use_model(fingerprint)

    def _add(self, root_id: RootId, spec: RootSpec) -> None:
        """Begin with a root: what was saved of it answers before any root is walked."""
        restored = self._restore(spec)
        root = self._root(root_id, spec, restored)
        self._roots[root_id] = root
        self._embedding[root_id] = []
        if self._model is not None:
            root.use_model(self._model)
        self._state.publish(self._views())

    def _change(self, root_id: RootId, spec: RootSpec) -> None:
        """Go on with another spec: the same index where that can be, else the one that was saved."""
        root, asleep = self._roots.get(root_id), self._asleep.get(root_id)
        before = root.spec if root else asleep.spec if asleep else spec
        if before.name != spec.name:
            self._journals.rename(before.name, spec.name)
        if root is not None and (before.chunk_mode, before.watch) == (spec.chunk_mode, spec.watch):
            root.use_spec(spec)
        else:
            self._remove(root_id)
            self._add(root_id, spec)

    def _root(self, root_id: RootId, spec: RootSpec, restored: Restored) -> RootWork:
        def deliver(wanted: FileToRead, outcome: Outcome) -> None:
            self.post(FileRead(root_id, wanted, outcome))

        def notify(hint: Hint) -> None:
            self._hints.put(root_id, hint)

        watching, tick = self._watching, self._state.current.tick
        return RootWork(
            root_id,
            spec,
            index=restored.index,
            files=self._files,
            clock=self._clock,
            watch=watching.open(spec, notify),
            large=self._large,
            deliver=deliver,
            journal=self._journals.begin(spec.name, since=tick, since_time=self._clock.time()),
            next_tick=lambda: Tick(self._state.current.tick + 1),
            reconcile_seconds=watching.reconcile_seconds,
            rules=watching.rules,
            vectors_by=restored.vectors_by,
        )

    def _named(self, name: str, ticket: Ticket) -> RootWork | None:
        root = self._find(name)
        if root is None:
            ticket.release(applied=False)
        return root

    def _find(self, name: str) -> RootWork | None:
        """The root of that name, woken if it sleeps."""
        for root in self._roots.values():
            if root.spec.name == name:
                return root
        for root_id, view in self._asleep.items():
            if view.spec.name == name:
                del self._asleep[root_id]
                self._add(root_id, view.spec)
                self._renest()
                return self._roots[root_id]
        return None

    def _put_to_sleep(self, name: str, revision: Revision) -> None:
        root = next((root for root in self._roots.values() if root.spec.name == name), None)
        if root is None or not root.is_at_rest or root.index.freeze().revision != revision:
            return
        self._remove(root.root_id)
        self._asleep[root.root_id] = asleep_view(root.view(), self._empty)

    def _remove(self, root_id: RootId, *, is_forgotten: bool = False) -> None:
        """End the work on a root; ``is_forgotten`` is false where it only sleeps."""
        asleep = self._asleep.pop(root_id, None)
        root = self._roots.pop(root_id, None)
        if is_forgotten and (ended := root or asleep):
            self._journals.end(ended.spec.name)
        if root is None:
            return
        for ticket in self._embedding.pop(root_id):
            ticket.cancel()
        root.take_back()

    def _renest(self) -> None:
        """Give each root the folders inside it that are roots of their own."""
        specs = [*(view.spec for view in self._asleep.values()), *(r.spec for r in self._roots.values())]
        for root in self._roots.values():
            inside = root.spec.path.rstrip("/") + "/"
            nested = [spec.path.removeprefix(inside) for spec in specs if spec.path.startswith(inside)]
            around = [spec for spec in specs if root.spec.path.startswith(spec.path.rstrip("/") + "/")]
            nearest = max(around, key=lambda spec: len(spec.path), default=None)
            root.set_nesting(nested=nested, nested_in=nearest.name if nearest else None)

    def _submit(self, root: RootWork) -> None:
        """Hand the embedder what the root wants to have embedded now, an edit before all else."""
        bulk, is_later = root.take_bulk()
        for passages, urgent in ((bulk, is_later), (root.take_urgent(), True)):
            if passages:
                self._embed(root.root_id, passages, urgent=urgent)

    def _embed(self, root_id: RootId, passages: list[UnembeddedPassage], *, urgent: bool) -> None:
        def deliver(delivery: Delivery) -> None:
            self.post(Embedded(root_id, delivery))

        tickets = [ticket for ticket in self._embedding[root_id] if not ticket.done]
        tickets.append(self._embedder.submit(passages, urgent=urgent, deliver=deliver))
        self._embedding[root_id] = tickets
