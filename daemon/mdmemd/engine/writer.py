"""The single writer: take what happened, look, read, parse, index, publish.

Invariants: one closed union of events is all that can make the writer act; events of any thread go through
the inbox; every ``step`` is bounded (one walk or ``BATCH_BUDGET_SECONDS`` of files) and ends with a published
state if anything changed; roots somebody waits for come first. Large files are read and parsed elsewhere
(``large_files``) and come back as events. Texts go to the embedder only when no file of their root waits, so
keyword search is complete before vectors begin; vectors come back as events. Runs on the writer thread
(``workers.Worker``); tests call ``step`` themselves.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.queue import Ticket as EmbedTicket
from mdmemd.engine.events import (
    AddRoot,
    Embedded,
    FileRead,
    Look,
    ModelReady,
    RebuildRoot,
    RemoveRoot,
    Reread,
    Sleep,
    Wake,
    WriterEvent,
)
from mdmemd.engine.file_reading import FileToRead, Outcome
from mdmemd.engine.hibernation import asleep_view
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.rebuild import Rebuilds
from mdmemd.engine.restore import Restored
from mdmemd.engine.root_work import RootWork
from mdmemd.engine.state import RootView, State
from mdmemd.index.root_index import RootIndex
from mdmemd.index.snapshot import Revision
from mdmemd.model import RootId, RootSpec
from mdmemd.ports import Clock, FileSystem
from mdmemd.sync.barrier import Ticket

log = logging.getLogger(__name__)

BATCH_BUDGET_SECONDS = 0.05
"""How long files are read and parsed before waiting events are looked at again; also about the age of the
published state in bulk work."""

AWAITED_BUDGET_SECONDS = 0.01
"""The same when somebody waits for a look.

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
        dimensions: int,
    ) -> None:
        self._files = files
        self._clock = clock
        self._state = state
        self._embedder = embedder
        self._large = large
        self._restore = restore
        self._dimensions = dimensions
        self._empty = RootIndex(dimensions=dimensions).freeze()
        self._model: str | None = None
        self._inbox: deque[WriterEvent] = deque()
        self._arrived = threading.Condition()
        self._woken = False
        self._is_awaited = False  # a look is in the inbox
        self._closed = False
        self._roots: dict[RootId, RootWork] = {}
        self._asleep: dict[RootId, RootView] = {}
        self._rebuilds = Rebuilds(clock)
        self._embedding: dict[RootId, list[EmbedTicket]] = {}

    # --- any thread -----------------------------------------------------------------------------------------

    def post(self, event: WriterEvent) -> None:
        """Hand the writer something to do."""
        with self._arrived:
            if not self._closed:
                self._inbox.append(event)
                self._is_awaited = self._is_awaited or isinstance(event, Look | Reread)
                self._arrived.notify()
                return
        if isinstance(event, Look | Reread):
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
            if isinstance(event, Look | Reread):
                event.ticket.release(applied=False)
        for root in self._roots.values():
            root.release_tickets(applied=False)

    # --- the writer's thread --------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Handle what has arrived, then one batch of files; waits only when there is neither.

        Returns whether there was any.
        """
        has_work = self._next_to_look() is not None or self._next_to_read() is not None
        events = self._take(0.0 if has_work else timeout_seconds)
        for event in events:
            try:
                self._handle(event)
            except Exception:  # a bug that one event brings out must not cost the others
                log.exception("an event failed: %s", type(event).__name__)
        has_switched = self._end_rebuilds()
        looking = self._next_to_look()
        if looking is not None:
            looking.look()
        if events or looking is not None or has_switched:
            self._publish()  # whoever waits for no file is let go before the batch
        reading = self._next_to_read()
        if reading is not None:
            reading.index_batch(
                files_max=BATCH_FILES_MAX,
                budget_seconds=lambda: AWAITED_BUDGET_SECONDS if self._is_awaited else BATCH_BUDGET_SECONDS,
            )
            self._end_rebuilds()
            self._publish()
        return bool(events) or looking is not None or reading is not None

    def _publish(self) -> None:
        for work in self._roots.values():
            self._submit(work)
        self._state.publish(self._views())
        for work in self._roots.values():
            work.release_tickets(applied=True)

    def _views(self) -> dict[str, RootView]:
        views = {view.spec.name: view for view in self._asleep.values()}
        for work in self._visible():
            new = self._rebuilds.new_index(work.root_id)
            views[work.spec.name] = replace(work.view(), rebuilt=new.view()) if new else work.view()
        return views

    def _visible(self) -> Iterator[RootWork]:
        """The roots that answer."""
        return (work for work in self._roots.values() if not self._rebuilds.is_hidden(work))

    def _take(self, timeout_seconds: float | None) -> list[WriterEvent]:
        with self._arrived:
            if timeout_seconds != 0.0:
                self._arrived.wait_for(lambda: self._inbox or self._woken, timeout_seconds)
            self._woken = False
            self._is_awaited = False
            events = list(self._inbox)
            self._inbox.clear()
            return events

    def _next_to_look(self) -> RootWork | None:
        """The root to walk next: one that somebody waits for, else one that was never walked, else any."""
        wanting = [root for root in self._roots.values() if root.wants_look or root.must_look_again]
        return min(wanting, key=lambda root: (not root.is_urgent, root.scanned), default=None)

    def _next_to_read(self) -> RootWork | None:
        """The root to read files of next.

        One that somebody waits for comes first, then the one that is done soonest, so that an edit does not
        wait for a large folder.
        """
        waiting = [root for root in self._roots.values() if root.has_pending]
        return min(waiting, key=lambda root: (not root.is_urgent, root.pending_count), default=None)

    def _handle(self, event: WriterEvent) -> None:
        match event:
            case AddRoot(root_id, spec):
                self._add(root_id, spec)
                self._renest()
            case RemoveRoot(root_id):
                self._remove(root_id)
                self._renest()
            case Embedded(root_id, delivery):
                if work := self._roots.get(self._rebuilds.resolve(root_id)):
                    work.vectors.add(delivery.keys, delivery.vectors, delivery.failed)
            case ModelReady(fingerprint):
                self._use_model(fingerprint)
            case FileRead(root_id, wanted, outcome):
                if work := self._roots.get(self._rebuilds.resolve(root_id)):
                    work.take(wanted, outcome)
            case _:
                self._handle_named(event)

    def _handle_named(self, event: Look | Reread | Sleep | Wake | RebuildRoot) -> None:
        """What is asked of a root by its name; all but ``Sleep`` wake it."""
        match event:
            case Look(name, ticket):
                if root := self._named(name, ticket):
                    root.want_look(ticket)
            case Reread(name, paths, ticket, is_forced):
                if root := self._named(name, ticket):
                    root.reread(paths, ticket, is_forced=is_forced)
            case RebuildRoot(name, ticket):
                if root := self._named(name, ticket):
                    self._begin_rebuild(root)
                    self._state.publish(self._views())  # who is let go now, shall see that it has begun
                    ticket.release()
            case Sleep(name, revision):
                self._put_to_sleep(name, revision)
            case Wake(name):
                self._find(name)

    def _use_model(self, fingerprint: str) -> None:
        self._model = fingerprint
        for root in self._roots.values():
            root.use_model(fingerprint)

    def _add(self, root_id: RootId, spec: RootSpec) -> None:
        """Begin with a root: what was saved of it answers before any root is walked."""
        restored = self._restore(spec)
        self._begin(self._root(root_id, spec, restored))
        self._state.publish(self._views())

    def _begin(self, root: RootWork) -> None:
        self._roots[root.root_id] = root
        self._embedding[root.root_id] = []
        if self._model is not None:
            root.use_model(self._model)

    def _root(self, root_id: RootId, spec: RootSpec, restored: Restored) -> RootWork:
        def deliver(wanted: FileToRead, outcome: Outcome) -> None:
            self.post(FileRead(root_id, wanted, outcome))

        return RootWork(
            root_id,
            spec,
            index=restored.index,
            files=self._files,
            clock=self._clock,
            large=self._large,
            deliver=deliver,
            vectors_by=restored.vectors_by,
        )

    def _named(self, name: str, ticket: Ticket) -> RootWork | None:
        root = self._find(name)
        if root is None:
            ticket.release(applied=False)
        return root

    def _find(self, name: str) -> RootWork | None:
        """The root of that name, woken if it sleeps."""
        for root in self._visible():
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
        root = next((root for root in self._visible() if root.spec.name == name), None)
        if (
            root is None
            or root.root_id in self._rebuilds
            or not root.is_at_rest
            or root.index.freeze().revision != revision
        ):
            return
        self._remove(root.root_id)
        self._asleep[root.root_id] = asleep_view(root.view(), self._empty)

    def _begin_rebuild(self, root: RootWork) -> None:
        """Begin again where a rebuild is under way: whoever asks may have changed something meanwhile."""
        self._drop_rebuild(root.root_id)
        new_id = self._rebuilds.next_id()
        new = self._root(new_id, root.spec, Restored(RootIndex(dimensions=self._dimensions), ""))
        self._begin(new)
        self._rebuilds.begin(root, new)
        self._renest()

    def _drop_rebuild(self, root_id: RootId) -> None:
        new = self._rebuilds.new_index(root_id)
        self._rebuilds.end(root_id)
        if new is not None:
            self._drop(new.root_id)

    def _end_rebuilds(self) -> bool:
        """Have new indexes that are complete answer, give up those that cannot be made; were there any?"""
        has_ended = False
        for rebuild in self._rebuilds:
            if rebuild.has_failed:
                self._drop_rebuild(rebuild.old.root_id)
                has_ended = True
            elif rebuild.is_complete(vectors_will_come=self._embedder.state().failure is None):
                self._switch(rebuild.old, rebuild.new)
                has_ended = True
        return has_ended

    def _switch(self, old: RootWork, new: RootWork) -> None:
        """Put the new index in the place of the old one; who waits for the old one, waits for it."""
        self._rebuilds.end(old.root_id)
        tickets = self._embedding.pop(new.root_id)
        del self._roots[new.root_id]
        waiting = old.take_waiting()
        self._drop(old.root_id)
        new.root_id = old.root_id
        self._roots[new.root_id] = new
        self._embedding[new.root_id] = tickets
        for ticket in waiting:
            new.want_look(ticket)

    def _remove(self, root_id: RootId) -> None:
        self._asleep.pop(root_id, None)
        self._drop_rebuild(root_id)
        self._drop(root_id)

    def _drop(self, root_id: RootId) -> None:
        root = self._roots.pop(root_id, None)
        if root is None:
            return
        for ticket in self._embedding.pop(root_id):
            ticket.cancel()
        root.take_back()
        root.release_tickets(applied=False)

    def _renest(self) -> None:
        """Give each root the folders inside it that are roots of their own.

        And walk those whose scope changed.
        """
        specs = [*(view.spec for view in self._asleep.values()), *(r.spec for r in self._roots.values())]
        for root in self._roots.values():
            inside = root.spec.path.rstrip("/") + "/"
            nested = [spec.path.removeprefix(inside) for spec in specs if spec.path.startswith(inside)]
            around = [spec for spec in specs if root.spec.path.startswith(spec.path.rstrip("/") + "/")]
            nearest = max(around, key=lambda spec: len(spec.path), default=None)
            changed = root.set_nesting(nested=nested, nested_in=nearest.name if nearest else None)
            if changed:
                root.want_look()

    def _submit(self, root: RootWork) -> None:
        passages, fresh = root.take_unsubmitted()
        if not passages:
            return
        root_id = root.root_id

        def deliver(delivery: Delivery) -> None:
            self.post(Embedded(root_id, delivery))

        tickets = [ticket for ticket in self._embedding[root_id] if not ticket.done]
        tickets.append(self._embedder.submit(passages, urgent=fresh, deliver=deliver))
        self._embedding[root_id] = tickets
