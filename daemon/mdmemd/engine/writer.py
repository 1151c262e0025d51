"""The single writer: take what happened, look, read, parse, index, publish.

Invariants: one closed union of events is all that can make the writer act; events of any thread go through
the inbox; every ``step`` is bounded (one walk or ``BATCH_BUDGET_SECONDS`` of files) and ends with a published
state if anything changed; roots somebody waits for come first. Texts go to the embedder only when no file of
their root waits, so keyword search is complete before vectors begin; vectors come back as events. Runs on the
writer thread (``workers.Worker``); tests call ``step`` themselves.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass

from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.queue import Ticket as EmbedTicket
from mdmemd.engine.root_work import Parse, RootWork
from mdmemd.engine.state import State
from mdmemd.index.root_index import RootIndex
from mdmemd.model import RootId, RootSpec
from mdmemd.ports import Clock, FileSystem
from mdmemd.sync.barrier import Ticket

log = logging.getLogger(__name__)

BATCH_BUDGET_SECONDS = 0.05
"""How long files are read and parsed before waiting events are looked at again; also about the age of the
published state in bulk work."""

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
class Embedded:
    """Vectors have come back for a root."""

    root_id: RootId
    delivery: Delivery


WriterEvent = AddRoot | RemoveRoot | Look | Embedded


class Writer:
    """The one that changes indexes. ``post`` and ``wake`` are for any thread, ``step`` for the writer's."""

    def __init__(
        self,
        *,
        files: FileSystem,
        clock: Clock,
        state: State,
        embedder: EmbedQueue,
        parse: Parse,
        dimensions: int,
    ) -> None:
        self._files = files
        self._clock = clock
        self._state = state
        self._embedder = embedder
        self._parse = parse
        self._dimensions = dimensions
        self._inbox: deque[WriterEvent] = deque()
        self._arrived = threading.Condition()
        self._woken = False
        self._closed = False
        self._roots: dict[RootId, RootWork] = {}
        self._embedding: dict[RootId, list[EmbedTicket]] = {}

    # --- any thread -----------------------------------------------------------------------------------------

    def post(self, event: WriterEvent) -> None:
        """Hand the writer something to do."""
        with self._arrived:
            if not self._closed:
                self._inbox.append(event)
                self._arrived.notify()
                return
        if isinstance(event, Look):
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
            if isinstance(event, Look):
                event.ticket.release(applied=False)
        for root in self._roots.values():
            root.release_tickets(applied=False)

    # --- the writer's thread --------------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Handle what has arrived, then one batch of files; waits only when there is neither.

        Returns whether there was any.
        """
        events = self._take(0.0 if self._next_root() is not None else timeout_seconds)
        looked: set[str] = set()
        for event in events:
            self._handle(event, looked)
        root = self._next_root()
        if root is not None:
            root.index_batch(files_max=BATCH_FILES_MAX, budget_seconds=BATCH_BUDGET_SECONDS)
        if not events and root is None:
            return False
        for work in self._roots.values():
            self._submit(work)
        self._state.publish({work.spec.name: work.view() for work in self._roots.values()})
        for work in self._roots.values():
            work.release_tickets(applied=True)
        return True

    def _take(self, timeout_seconds: float | None) -> list[WriterEvent]:
        with self._arrived:
            if timeout_seconds != 0.0:
                self._arrived.wait_for(lambda: self._inbox or self._woken, timeout_seconds)
            self._woken = False
            events = list(self._inbox)
            self._inbox.clear()
            return events

    def _next_root(self) -> RootWork | None:
        waiting = [root for root in self._roots.values() if root.has_pending]
        return min(waiting, key=lambda root: not root.is_urgent, default=None)

    def _handle(self, event: WriterEvent, looked: set[str]) -> None:
        """One event. ``looked`` are the roots walked in this step: a second look would see the same disk."""
        match event:
            case AddRoot(root_id, spec):
                index = RootIndex(dimensions=self._dimensions)
                self._roots[root_id] = RootWork(
                    root_id, spec, index=index, files=self._files, clock=self._clock, parse=self._parse
                )
                self._embedding[root_id] = []
                self._renest()
            case RemoveRoot(root_id):
                self._remove(root_id)
                self._renest()
            case Embedded(root_id, delivery):
                if root_id in self._roots:
                    self._roots[root_id].add_vectors(delivery.keys, delivery.vectors, delivery.failed)
            case Look(name, ticket):
                if root := self._named(name, ticket):
                    if name not in looked:
                        root.look()
                        looked.add(name)
                    root.expect(ticket)

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
            if changed or not root.scanned:
                root.look()

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
