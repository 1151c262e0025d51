"""One root as the writer sees it: its index, what is still to be read, and who waits for it.

Invariants: touched by the writer's thread only; ``view()`` is what everybody else may see. Files waiting are
kept in the order in which they shall be read; vectors are asked for only when no file waits, so that keywords
come first. A large file is handed over to be parsed beside the writer, and what comes of it counts only while
no later look has found the file changed or gone: so the newest version wins, in whatever order results come.
Does no IO but through the ``FileSystem`` port.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence

from mdmemd.engine.file_reading import (
    FAILED,
    FileToRead,
    Larger,
    Outcome,
    Replaced,
    Unchanged,
    Unreadable,
    read_file,
)
from mdmemd.engine.large_files import Deliver, LargeFiles
from mdmemd.engine.report import FileProblem
from mdmemd.engine.root_vectors import RootVectors
from mdmemd.engine.state import RootView
from mdmemd.index.root_index import RootIndex
from mdmemd.model import (
    Fingerprint,
    IndexedFile,
    ParsedFile,
    Problem,
    RootId,
    RootSpec,
    UnembeddedPassage,
)
from mdmemd.ports import Clock, FileSystem
from mdmemd.sync.barrier import Ticket
from mdmemd.sync.reconcile import Plan, reconcile
from mdmemd.sync.scan import Listing, look_at_files, scan
from mdmemd.sync.scope import Scope
from mdmemd.text.document import parse_document

log = logging.getLogger(__name__)

INLINE_BYTES_MAX = 32 * 1024
"""Smaller files are parsed by the writer itself, larger ones beside it.

At this size ordinary Markdown takes about 10 ms and the worst that was found (nested lists, deep in every
line) 0.3 s; handing a file over and taking its document back costs 1 ms, and 0.2 s where the child that
parses must be started first. Of 11,675 files of eight public repositories 301 are larger.
"""


LOSS_CONFIRMED_SECONDS = 10.0
"""How long most documents of a root must be gone before they are taken for deleted."""

REPLACED_MAX = 3
"""How often in a row a file may be another one when it is read than the walk saw."""

WALKS_REMEMBERED = 3
"""The quickest of the last walks tells what a walk costs: the others were slowed by other work."""


_UNSTABLE = Problem("unstable", "is another file whenever it is read; it is tried again at the next look")


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
        large: LargeFiles,
        deliver: Deliver,
        vectors_by: str = "",
    ) -> None:
        self.root_id = root_id
        self.spec = spec
        self.index = index
        self._files = files
        self._clock = clock
        self._large = large
        self._deliver = deliver
        self._scope = Scope(exclude=spec.exclude)
        self._pending: dict[str, Fingerprint] = {}
        self._handed_over: dict[str, FileToRead] = {}
        self._looking: list[Ticket] = []
        self._tickets: list[Ticket] = []
        self._rejected: dict[str, Fingerprint] = {}
        self._replaced: Counter[str] = Counter()
        self.wants_look = True
        self.must_look_again = False
        self._loss_seen_at: float | None = None
        self._scan_problems: dict[str, Problem] = {}
        self._read_problems: dict[str, Problem] = {}
        self._document_problems = {
            record.path: record.problems for record in index.freeze().iter_documents() if record.problems
        }
        self._problems: tuple[FileProblem, ...] | None = None
        self.vectors = RootVectors(index, made_by=vectors_by)
        self.scanned = False
        self._scanned_at = float("-inf")
        self._scan_seconds: deque[float] = deque(maxlen=WALKS_REMEMBERED)
        self._missing: str | None = None
        self._nested_in: str | None = None
        self._indexed_files = 0

    # --- what is to be done ---------------------------------------------------------------------------------

    @property
    def has_pending(self) -> bool:
        """Whether a file waits to be read by the writer."""
        return bool(self._pending)

    @property
    def is_settled(self) -> bool:
        """Whether everything that the last walk found is in the index."""
        return not self._pending and not self._handed_over and not self.must_look_again

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits for a look or for the files that one has found."""
        return any(ticket.is_awaited for ticket in (*self._looking, *self._tickets))

    @property
    def pending_count(self) -> int:
        """How many files wait to be read by the writer."""
        return len(self._pending)

    def set_nesting(self, *, nested: Iterable[str], nested_in: str | None) -> bool:
        """Which folders inside are roots of their own, and which root this one lies in.

        Returns whether the scope changed.
        """
        scope = Scope(exclude=self.spec.exclude, nested=nested)
        changed = scope != self._scope
        self._scope = scope
        self._nested_in = nested_in
        return changed

    def want_look(self, ticket: Ticket | None = None) -> None:
        """Have the folder walked; the ticket is released when what the walk finds is indexed."""
        self.wants_look = True
        if ticket is not None:
            self._looking.append(ticket)

    def look(self) -> None:
        """Walk the folder and note what differs. However it ends, this look is no longer wanted."""
        self.wants_look = self.must_look_again = False
        self._tickets.extend(self._looking)
        self._looking.clear()
        started = self._clock.monotonic()
        listing = scan(self._files, self.spec.path, self._scope)
        confirmed = self._loss_seen_at is not None and started - self._loss_seen_at >= LOSS_CONFIRMED_SECONDS
        plan = reconcile(self.index.known(), listing, loss_is_confirmed=confirmed)
        is_loss = plan.missing is not None and listing.missing is None and listing.entries > 0
        self._loss_seen_at = (self._loss_seen_at or started) if is_loss else None
        # The first walk of a root is slower than any later one: nothing is in the caches yet.
        if self.scanned:
            self._scan_seconds.append(self._clock.monotonic() - started)
        self._scan_problems = listing.problems
        self._read_problems = {
            path: problem for path, problem in self._read_problems.items() if path in listing.files
        }
        self._problems = None
        self._adopt(plan, listing)
        self.scanned = True
        self._scanned_at = started

    def reread(self, paths: Iterable[str], ticket: Ticket) -> None:
        """Look at single files and read them before all others, without a walk of the whole folder."""
        found = look_at_files(self._files, self.spec.path, paths, self._scope)
        known = self.index.known()
        first = {
            path: seen
            for path, seen in found.items()
            if (path not in known or known[path][0] != seen) and not self._is_handed_over(path, seen)
        }
        self._pending = first | {path: seen for path, seen in self._pending.items() if path not in first}
        self._tickets.append(ticket)

    def _adopt(self, plan: Plan, listing: Listing) -> None:
        self._missing = plan.missing
        for path in plan.gone:
            self._forget_problems(path)
        if plan.gone:
            self.index.apply(files=(), removed=plan.gone)
        self._rejected = {
            path: seen for path, seen in self._rejected.items() if listing.files.get(path) == seen
        }
        changed = {path: listing.files[path] for path in plan.changed if path not in self._rejected}
        self.take_back(
            [path for path in self._handed_over if not self._is_handed_over(path, changed.get(path))]
        )
        self._pending = {path: seen for path, seen in changed.items() if path not in self._handed_over}

    def _is_handed_over(self, path: str, seen: Fingerprint | None) -> bool:
        """Whether exactly this version of a file is being parsed."""
        wanted = self._handed_over.get(path)
        return wanted is not None and wanted.seen == seen

    def take_back(self, paths: Iterable[str] | None = None) -> None:
        """Let what comes of files that were handed over (of all without ``paths``) mean nothing any more."""
        for path in list(self._handed_over) if paths is None else paths:
            self._large.cancel(self._handed_over.pop(path))

    def release_tickets(self, *, applied: bool) -> None:
        """Let the waiters go if nothing waits to be read any more (or, without ``applied``, in any case)."""
        if applied and not self.is_settled:
            return
        for ticket in self._tickets:
            ticket.release(applied=applied)
        self._tickets.clear()
        if not applied:
            for ticket in self._looking:
                ticket.release(applied=False)
            self._looking.clear()

    # --- reading files --------------------------------------------------------------------------------------

    def index_batch(self, *, files_max: int, budget_seconds: Callable[[], float]) -> None:
        """Read, parse and index the next files, at least one, until the budget of that moment is used up."""
        started = self._clock.monotonic()
        outcomes: list[Outcome] = []
        for _ in range(min(files_max, len(self._pending))):
            path = next(iter(self._pending))
            outcomes.append(self._read(path, self._pending.pop(path)))
            if self._clock.monotonic() - started >= budget_seconds():
                break
        self._apply(outcomes)

    def take(self, wanted: FileToRead, outcome: Outcome) -> None:
        """What came of a file that was handed over; nothing where a later look has taken it back."""
        if self._handed_over.get(wanted.path) != wanted:
            return
        del self._handed_over[wanted.path]
        self._apply([outcome])

    def _read(self, path: str, seen: Fingerprint) -> Outcome:
        """Read one file, or hand it over where it is ``Larger``."""
        self._forget_problems(path)
        if path in self._handed_over:
            self.take_back([path])  # another version of it
        known = self.index.known().get(path)
        wanted = FileToRead(
            self.spec.path, path, seen, known[1] if known else None, chunk_mode=self.spec.chunk_mode
        )
        outcome: Outcome = Larger(path)
        if seen.size <= INLINE_BYTES_MAX:
            outcome = read_file(self._files, wanted, parse=_parse_inline, bytes_max=INLINE_BYTES_MAX)
        if isinstance(outcome, Larger):
            self._handed_over[path] = wanted
            self._large.submit(wanted, urgent=self.is_urgent, deliver=self._deliver)
        return outcome

    def _apply(self, outcomes: Sequence[Outcome]) -> None:
        """Bring the index to what was read."""
        ready: list[IndexedFile] = []
        unreadable: list[str] = []
        for outcome in outcomes:
            match outcome:
                case IndexedFile():
                    ready.append(outcome)
                case Unchanged(path, fingerprint):
                    self.index.touch(path, fingerprint)
                case Unreadable(path):
                    self._refuse(outcome, unreadable)
                case Replaced(path, seen):
                    self._replaced[path] += 1
                    if self._replaced[path] < REPLACED_MAX:
                        # Deleted, or the whole disk has gone? That is for a walk to say: only it purges.
                        self.must_look_again = True
                    else:
                        self._refuse(Unreadable(path, seen, _UNSTABLE, is_passing=True), unreadable)
                    continue
            self._replaced.pop(outcome.path, None)
        self._problems = None
        self._index(ready, unreadable)
        self._indexed_files += sum(not isinstance(outcome, Larger) for outcome in outcomes)
        if self.is_settled:
            self._indexed_files = 0

    def _refuse(self, outcome: Unreadable, unreadable: list[str]) -> None:
        self._read_problems[outcome.path] = outcome.problem
        if not outcome.is_passing:
            self._rejected[outcome.path] = outcome.seen
            unreadable.append(outcome.path)

    def _index(self, ready: Sequence[IndexedFile], removed: Sequence[str]) -> None:
        """Apply to the index; a document that brings out a bug of it costs only itself."""
        if not ready and not removed:
            return
        try:
            unembedded = self.index.apply(files=ready, removed=removed)
        except Exception:
            if len(ready) + len(removed) > 1:
                self._index((), removed)
                for file in ready:
                    self._index((file,), ())
                return
            path = ready[0].path if ready else removed[0]
            log.exception("indexing %s failed", path)
            self._read_problems[path] = FAILED
            if ready:
                self._rejected[path] = ready[0].fingerprint
            return
        for file in ready:
            if file.document.problems:
                self._document_problems[file.path] = file.document.problems
        self.vectors.want(unembedded)

    def _forget_problems(self, path: str) -> None:
        self._read_problems.pop(path, None)
        self._document_problems.pop(path, None)
        self._problems = None

    # --- vectors --------------------------------------------------------------------------------------------

    def take_unsubmitted(self) -> tuple[list[UnembeddedPassage], bool]:
        """The texts to embed, once no file waits.

        And whether they are fresh edits rather than the first indexing.
        """
        if not self.is_settled or not self.scanned:
            return [], False
        return self.vectors.take_unsubmitted()

    def use_model(self, fingerprint: str, *, dimensions: int) -> None:
        """The encoder of all vectors to come; where it is another one, the files are looked at again."""
        if self.vectors.use_model(fingerprint, dimensions=dimensions):
            self.want_look()

    # --- what others see ------------------------------------------------------------------------------------

    def view(self) -> RootView:
        """The present moment, frozen."""
        return RootView(
            spec=self.spec,
            snapshot=self.index.freeze(),
            scanned=self.scanned,
            pending_files=len(self._pending) + len(self._handed_over),
            indexed_files=self._indexed_files,
            awaited_vectors=self.vectors.awaited,
            failed_vectors=self.vectors.failed,
            problems=self._all_problems(),
            missing=self._missing,
            nested_in=self._nested_in,
            scan_seconds=min(self._scan_seconds, default=0.0),
            scanned_at=self._scanned_at,
            vectors_by=self.vectors.made_by,
        )

    def _all_problems(self) -> tuple[FileProblem, ...]:
        if self._problems is None:
            single = (self._scan_problems | self._read_problems).items()
            found = [FileProblem(path, problem) for path, problem in single]
            found += [
                FileProblem(path, problem)
                for path, several in self._document_problems.items()
                for problem in several
            ]
            found.sort(key=lambda item: (item.path, item.problem.line or 0))
            self._problems = tuple(found)
        return self._problems


def _parse_inline(content: bytes, wanted: FileToRead) -> ParsedFile:
    return ParsedFile(parse_document(content, path=wanted.path, chunk_mode=wanted.chunk_mode))
