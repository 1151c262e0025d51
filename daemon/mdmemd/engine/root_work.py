"""One root as the writer sees it: from looks at its disk over reading to its index, and who waits for it.

Invariants: touched by the writer's thread only; ``view()`` is what everybody else may see. A document whose
file is gone stays for a moment, since an editor may be saving or a file be moving, but not once somebody
asks; one that goes with most of the root stays until a later walk has not found it either. Vectors of a
backlog are asked for only when no file waits, so that keywords come first; those of a fresh edit at once.
Does no IO but through the ports of its parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from mdmemd.engine.file_reading import (
    FAILED,
    FileToRead,
    Larger,
    Outcome,
    Replaced,
    Unchanged,
    Unreadable,
)
from mdmemd.engine.journal import Journal
from mdmemd.engine.large_files import Deliver, LargeFiles
from mdmemd.engine.root_documents import RootDocuments
from mdmemd.engine.root_looking import RETRY_SECONDS, RootLooking
from mdmemd.engine.root_problems import RootProblems
from mdmemd.engine.root_reading import Batch, RootReading
from mdmemd.engine.root_vectors import RootVectors
from mdmemd.engine.state import RootView
from mdmemd.engine.waiters import Waiters
from mdmemd.index.root_index import RootIndex
from mdmemd.model import IndexedFile, Problem, RootId, RootSpec, Tick, UnembeddedPassage
from mdmemd.ports import Clock, FileSystem, RootWatch
from mdmemd.sync.barrier import Ticket
from mdmemd.sync.pending import PendingSet
from mdmemd.sync.reconcile import loss
from mdmemd.sync.scope import ScopeRules
from mdmemd.sync.vanished import Vanished

_UNSTABLE = Problem("unstable", "is another file whenever it is read; it is tried again at the next look")

SPREAD = 0.618
"""Multiples of the golden ratio, modulo 1, are spread evenly however many there are."""


class RootWork:
    """The writer's hold on one root."""

    def __init__(
        self,
        root_id: RootId,
        spec: RootSpec,
        *,
        index: RootIndex,
        files: FileSystem,
        clock: Clock,
        watch: RootWatch,
        large: LargeFiles,
        deliver: Deliver,
        journal: Journal,
        next_tick: Callable[[], Tick],
        reconcile_seconds: float,
        rules: ScopeRules,
        vectors_by: str = "",
    ) -> None:
        self.root_id = root_id
        self.spec = spec
        self.index = index
        self.vectors = RootVectors(index, made_by=vectors_by)
        self._clock = clock
        self._watch = watch
        self._reading = RootReading(
            spec, files=files, clock=clock, large=large, deliver=deliver, known=index.known
        )
        self._looking = RootLooking(
            spec.path,
            files=files,
            clock=clock,
            watch=watch,
            known=index.known,
            tracked=self._reading.tracked,
            scope=rules.scope(spec),
            reconcile_seconds=reconcile_seconds,
            spread=(root_id * SPREAD) % 1.0,
        )
        self._rules = rules
        self._nested: tuple[str, ...] = ()
        self._vanished = Vanished()
        self._documents = RootDocuments(
            index,
            vectors=self.vectors,
            vanished=self._vanished,
            journal=journal,
            clock=clock,
            next_tick=next_tick,
        )
        self._problems = RootProblems(
            {record.path: record.problems for record in index.freeze().iter_documents() if record.problems}
        )
        self._waiters = Waiters()
        self._loss: str | None = None
        self._loss_seen_at = math.inf
        self._nested_in: str | None = None
        self._indexed_files = 0

    # --- what is to be done ---------------------------------------------------------------------------------

    @property
    def is_settled(self) -> bool:
        """Whether everything that is known of the disk is in the index."""
        return self._looking.is_caught_up and not self._reading.pending

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is to be done for the root, and nobody waits for anything."""
        is_quiet = not self._waiters and not self._vanished and not self._looking.is_walking
        return self.is_settled and self.scanned and is_quiet and not self.vectors.awaited

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits for this root."""
        return self._waiters.is_urgent

    @property
    def scanned(self) -> bool:
        """Whether the whole root was walked since the start."""
        return self._looking.scanned

    @property
    def has_hints(self) -> bool:
        """Whether something that was hinted waits to be looked at."""
        return self._looking.pending > 0

    @property
    def fresh(self) -> int:
        """How many files that were just saved wait to be read."""
        return self._reading.fresh

    @property
    def waiting(self) -> int:
        """How many files the writer may read now; no backlog while the first walk still puts it together."""
        return self._reading.waiting if self.scanned else self._reading.fresh

    def has_looks(self, now: float) -> bool:
        """Whether there is something to look at now."""
        return self._looking.has_work(now)

    def due_at(self) -> float:
        """When there will be something to do without anything happening meanwhile."""
        is_waiting = self._loss is None and self._may_drop
        return min(self._looking.due_at, self._vanished.due_at if is_waiting else math.inf)

    def set_nesting(self, *, nested: Iterable[str], nested_in: str | None) -> None:
        """Which folders inside are roots of their own, and which root this one lies in."""
        self._nested, self._nested_in = tuple(nested), nested_in
        self._looking.use_scope(self._rules.scope(self.spec, nested=self._nested))

    def use_spec(self, spec: RootSpec) -> None:
        """Another name or other globs of the same folder, which is walked anew where that matters."""
        self.spec = spec
        self._looking.use_scope(self._rules.scope(spec, nested=self._nested))

    def note(self, hints: PendingSet) -> None:
        """Look at what may have changed."""
        self._looking.note(hints)

    def walk(self, ticket: Ticket) -> None:
        """Walk the whole folder; the ticket is released when all that this finds is indexed."""
        self._waiters.add(ticket, walk=self._looking.require_walk())

    def require_walk(self) -> None:
        """Walk the whole folder, with nobody who waits for it."""
        self._looking.require_walk()

    def settle(self, ticket: Ticket, paths: Iterable[str] = (), *, is_forced: bool = False) -> None:
        """Release the ticket when what was noted so far, and these files, are indexed as they are now.

        ``is_forced``: parse these anew even where their content is what it was.
        """
        if is_forced:
            self._reading.force(paths)
        self._looking.check_watch()
        self._looking.note_links()
        self._looking.note_paths(paths)
        self._waiters.add(ticket)

    # --- looking --------------------------------------------------------------------------------------------

    def look(self, *, budget_seconds: float) -> bool:
        """Look at the disk for about so long, and note what differs; returns whether that is news."""
        looked = self._looking.look(budget_seconds=budget_seconds)
        is_news = self._problems.looked(self._looking.problems) or bool(looked.gone) or looked.ends_walk
        is_news = self._reading.saw(looked.seen, by_hint=looked.by_hint) or is_news
        self._vanished.forget(looked.seen)
        now = self._clock.monotonic()
        known = self.index.known()
        for path in looked.gone:
            self._reading.forget(path)
            if indexed := known.get(path):
                # A walk comes too seldom to meet an editor in the middle of a save.
                self._vanished.note(path, content_hash=indexed[1], now=now, has_grace=looked.by_hint)
            else:
                self._problems.forget(path)
        if looked.ends_walk:
            self._end_walk()
        return is_news

    def _end_walk(self) -> None:
        self._reading.sort()
        if self._looking.missing is not None:
            self._reading.clear()
            self._vanished.clear()
        has_loss = self._loss is not None and bool(self._vanished)
        if has_loss and self._looking.scanned_at >= self._loss_seen_at + RETRY_SECONDS:
            self._purge()

    def drop_vanished(self) -> bool:
        """Take documents out of the index whose files are gone, if it is time; returns whether that is news.

        It is time when somebody waits or their moment is over, but never before everything that was hinted
        is read: a file may have moved.
        """
        if not self._vanished:
            had_loss, self._loss = self._loss is not None, None
            return had_loss
        if not self._may_drop:
            return False
        if self._loss is None and not self._waiters and self._clock.monotonic() < self._vanished.due_at:
            return False
        reason = loss(len(self._vanished), documents=len(self.index.known()))
        if reason is None:
            self._purge()
            return True
        if self._loss is None:
            self._loss_seen_at = self._clock.monotonic()
            self._looking.walk_again_at(self._loss_seen_at + RETRY_SECONDS)
        is_news = reason != self._loss
        self._loss = reason
        return is_news

    @property
    def _may_drop(self) -> bool:
        return self._looking.is_caught_up and not self._reading.may_have_moved

    def _purge(self) -> None:
        paths = self._vanished.paths
        self._vanished.clear()
        self._loss = None
        for path in paths:
            self._problems.forget(path)
        self._documents.apply((), paths, fresh=False)

    # --- reading files --------------------------------------------------------------------------------------

    def index_batch(self, *, files_max: int, budget_seconds: Callable[[], float]) -> None:
        """Read, parse and index the next files, at least one, until the budget of that moment is used up."""
        self._apply(
            self._reading.read_batch(
                files_max=files_max, budget_seconds=budget_seconds, urgent=self.is_urgent
            )
        )

    def take(self, wanted: FileToRead, outcome: Outcome) -> None:
        """What came of a file that was handed over; nothing where a later look has taken it back."""
        if batch := self._reading.take(wanted, outcome):
            self._apply(batch)

    def end(self) -> None:
        """Let nothing come of files that were handed over, end the watch, and let all waiters go."""
        self._reading.clear()
        self._watch.close()
        self._waiters.give_up()

    def take_waiting(self) -> list[Ticket]:
        """Who waits for anything; from now on somebody else has to let them go."""
        return self._waiters.take_all()

    def take_place(self, old: RootWork) -> None:
        """Be the root that another index was, with its id and its journal."""
        self.root_id = old.root_id
        self._documents.journal = old._documents.journal

    def _apply(self, batch: Batch) -> None:
        """Bring the index to what was read."""
        ready: list[IndexedFile] = []
        unusable: list[str] = []
        for outcome in batch.outcomes:
            self._problems.read(outcome.path)
            match outcome:
                case IndexedFile():
                    ready.append(outcome)
                case Unchanged(path, fingerprint):
                    self.index.touch(path, fingerprint)
                case Unreadable():
                    self._refuse(outcome, unusable)
                case Replaced(path, seen):
                    if self._reading.replaced(path):
                        self._looking.note_paths((path,))
                    else:
                        self._refuse(Unreadable(path, seen, _UNSTABLE, is_passing=True), unusable)
        for file in self._documents.apply(ready, unusable, fresh=batch.fresh):
            self._problems.unreadable(file.path, FAILED)
            self._reading.reject(file.path, file.fingerprint)
        for file in ready:
            self._problems.indexed(file.path, file.document.problems)
        self._indexed_files += sum(not isinstance(outcome, Larger) for outcome in batch.outcomes)
        if self.is_settled:
            self._indexed_files = 0

    def _refuse(self, outcome: Unreadable, unusable: list[str]) -> None:
        if not outcome.is_passing:
            self._reading.reject(outcome.path, outcome.seen)
            self._problems.forget(outcome.path)
            unusable.append(outcome.path)
        self._problems.unreadable(outcome.path, outcome.problem)

    # --- vectors --------------------------------------------------------------------------------------------

    def take_urgent(self) -> list[UnembeddedPassage]:
        """The texts of fresh edits to embed."""
        return self.vectors.take_fresh()

    def take_bulk(self) -> tuple[list[UnembeddedPassage], bool]:
        """All other texts to embed, once no file waits; and whether they came after the first indexing."""
        if not self.is_settled or not self.scanned:
            return [], False
        return self.vectors.take_unsubmitted()

    def use_model(self, fingerprint: str, *, dimensions: int) -> None:
        """The encoder of all vectors to come; where it is another one, the files are looked at again."""
        if self.vectors.use_model(fingerprint, dimensions=dimensions):
            self._looking.require_walk()

    # --- what others see ------------------------------------------------------------------------------------

    def release_waiters(self) -> None:
        """Let those go whose work is in the published state."""
        if self._waiters:
            self._waiters.release(self._is_ready)

    def give_up(self) -> None:
        """Let all waiters go, with nothing more to come."""
        self._waiters.give_up()

    def _is_ready(self, ticket: Ticket, walk: int) -> bool:
        looking = self._looking
        if looking.walks_done < walk or not looking.is_caught_up or self._reading.has_fresh:
            return False
        needs_all = ticket.needs_all or walk > 0
        return (self._loss is not None or not self._vanished) and not (needs_all and self._reading.pending)

    def view(self) -> RootView:
        """The present moment, frozen."""
        looking = self._looking
        return RootView(
            spec=self.spec,
            snapshot=self.index.freeze(),
            scanned=looking.scanned,
            pending_files=self._reading.pending,
            indexed_files=self._indexed_files,
            awaited_vectors=self.vectors.awaited,
            failed_vectors=self.vectors.failed,
            problems=self._problems.all(),
            missing=looking.missing or self._loss,
            nested_in=self._nested_in,
            scan_seconds=looking.scan_seconds,
            scanned_at=looking.scanned_at,
            vectors_by=self.vectors.made_by,
            watch=self._watch.status(),
            rules=looking.rules,
        )
