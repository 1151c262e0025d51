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
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.queue import Ticket as EmbedTicket
from mdmemd.engine.file_reading import FileToRead, Outcome
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.restore import Restored
from mdmemd.engine.root_work import RootWork
from mdmemd.engine.state import RootView, State
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


@dataclass(frozen=True, slots=True)
class AddRoot:
    """Begin with a root. Its first walk follows by itself."""

    root_id: RootId
    spec: RootSpec


@dataclass(frozen=True, slots=True)
class RemoveRoot:
    """Forget a root and its memory."""

    root_id: RootId


@dataclass(frozen=True, slots=True)
class Look:
    """Walk the folder of the root ``name`` and index what differs; then release the ticket."""

    name: str
    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Reread:
    """Look at single files of the root ``name`` and read those that differ first; then release the ticket."""

    name: str
    paths: tuple[str, ...]
    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors have come back for a root."""

    root_id: RootId
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class FileRead:
    """Something has come of a large file."""

    root_id: RootId
    wanted: FileToRead
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ModelReady:
    """The encoder of all vectors that come back from now on is known."""

    fingerprint: str
    dimensions: int


WriterEvent = AddRoot | RemoveRoot | Look | Reread | Embedded | FileRead | ModelReady


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
    ) -> None:
        self._files = files
        self._clock = clock
        self._state = state
        self._embedder = embedder
        self._large = large
        self._restore = restore
        self._model: ModelReady | None = None
        self._inbox: deque[WriterEvent] = deque()
        self._arrived = threading.Condition()
        self._woken = False
        self._is_awaited = False  # a look is in the inbox
        self._closed = False
        self._roots: dict[RootId, RootWork] = {}
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
        looking = self._next_to_look()
        if looking is not None:
            looking.look()
        if events or looking is not None:
            self._publish()  # whoever waits for no file is let go before the batch
        reading = self._next_to_read()
        if reading is not None:
            reading.index_batch(
                files_max=BATCH_FILES_MAX,
                budget_seconds=lambda: AWAITED_BUDGET_SECONDS if self._is_awaited else BATCH_BUDGET_SECONDS,
            )
            self._publish()
        return bool(events) or looking is not None or reading is not None

    def _publish(self) -> None:
        for work in self._roots.values():
            self._submit(work)
        self._state.publish(self._views())
        for work in self._roots.values():
            work.release_tickets(applied=True)

    def _views(self) -> dict[str, RootView]:
        return {work.spec.name: work.view() for work in self._roots.values()}

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
                if root_id in self._roots:
                    self._roots[root_id].vectors.add(delivery.keys, delivery.vectors, delivery.failed)
            case ModelReady():
                self._use_model(event)
            case FileRead(root_id, wanted, outcome):
                if root_id in self._roots:
                    self._roots[root_id].take(wanted, outcome)
            case Look(name, ticket):
                if root := self._named(name, ticket):
                    root.want_look(ticket)
            case Reread(name, paths, ticket):
                if root := self._named(name, ticket):
                    root.reread(paths, ticket)

    def _use_model(self, model: ModelReady) -> None:
        is_other = self._model not in (None, model)
        self._model = model
        for root_id, root in self._roots.items():
            root.use_model(model.fingerprint, dimensions=model.dimensions)
            tickets = self._embedding[root_id]
            # What the old model failed at or was not asked any more would be waited for, for ever.
            if is_other or any(ticket.was_dropped for ticket in tickets):
                for ticket in tickets:
                    ticket.cancel()
                root.vectors.want_again()

    def _add(self, root_id: RootId, spec: RootSpec) -> None:
        """Begin with a root: what was saved of it answers before any root is walked."""
        restored = self._restore(spec)
        root = self._root(root_id, spec, restored)
        self._roots[root_id] = root
        self._embedding[root_id] = []
        if self._model is not None:
            root.use_model(self._model.fingerprint, dimensions=self._model.dimensions)
        self._state.publish(self._views())

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
        for root in self._roots.values():
            if root.spec.name == name:
                return root
        ticket.release(applied=False)
        return None

    def _remove(self, root_id: RootId) -> None:
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
        for root in self._roots.values():
            inside = root.spec.path.rstrip("/") + "/"
            nested = [
                other.spec.path.removeprefix(inside)
                for other in self._roots.values()
                if other.spec.path.startswith(inside)
            ]
            around = [
                other.spec
                for other in self._roots.values()
                if root.spec.path.startswith(other.spec.path.rstrip("/") + "/")
            ]
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
