"""One root as the writer sees it: its index, what is still to be read, and who waits for it.

Invariants: touched by the writer's thread only; ``view()`` is what everybody else may see. Files waiting are
kept in the order in which they shall be read; vectors are asked for only when no file waits, so that keywords
come first. Does no IO but through the ``FileSystem`` port.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Sequence

from mdmemd.engine.report import FileProblem
from mdmemd.engine.state import RootView
from mdmemd.index.root_index import RootIndex
from mdmemd.model import (
    ChunkMode,
    Fingerprint,
    FloatMatrix,
    IndexedFile,
    ParsedDocument,
    Problem,
    RootId,
    RootSpec,
    UnembeddedPassage,
    VectorKey,
)
from mdmemd.ports import Clock, FileSystem
from mdmemd.sync.barrier import Ticket
from mdmemd.sync.reconcile import Plan, reconcile
from mdmemd.sync.scan import TOO_LARGE, Listing, scan
from mdmemd.sync.scope import FILE_BYTES_MAX, Scope

Parse = Callable[[bytes, str, ChunkMode], ParsedDocument]
"""Bytes, root-relative path and mode to a document; never raises on a document."""


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
        parse: Parse,
    ) -> None:
        self.root_id = root_id
        self.spec = spec
        self.index = index
        self._files = files
        self._clock = clock
        self._parse = parse
        self._scope = Scope(exclude=spec.exclude)
        self._pending: dict[str, Fingerprint] = {}
        self._tickets: list[Ticket] = []
        self._unsubmitted: list[UnembeddedPassage] = []
        self._awaited: set[VectorKey] = set()
        self._failed: set[VectorKey] = set()
        self._scan_problems: dict[str, Problem] = {}
        self._read_problems: dict[str, Problem] = {}
        self._document_problems: dict[str, tuple[Problem, ...]] = {}
        self._problems: tuple[FileProblem, ...] | None = ()
        self.scanned = False
        self._first_done = False
        self._scanned_at = float("-inf")
        self._scan_seconds = 0.0
        self._missing: str | None = None
        self._nested_in: str | None = None
        self._indexed_files = 0

    # --- what is to be done ---------------------------------------------------------------------------------

    @property
    def has_pending(self) -> bool:
        """Whether a file waits to be read."""
        return bool(self._pending)

    @property
    def is_urgent(self) -> bool:
        """Whether somebody waits for the files, or they are fresh edits rather than the first indexing."""
        return bool(self._tickets)

    def set_nesting(self, *, nested: Iterable[str], nested_in: str | None) -> bool:
        """Which folders inside are roots of their own, and which root this one lies in.

        Returns whether the scope changed.
        """
        scope = Scope(exclude=self.spec.exclude, nested=nested)
        changed = scope != self._scope
        self._scope = scope
        self._nested_in = nested_in
        return changed

    def look(self) -> None:
        """Walk the folder and note what differs."""
        started = self._clock.monotonic()
        listing = scan(self._files, self.spec.path, self._scope)
        plan = reconcile(self.index.known(), listing)
        self._scan_problems = listing.problems
        self._read_problems = {
            path: problem for path, problem in self._read_problems.items() if path in listing.files
        }
        self._problems = None
        self._adopt(plan, listing)
        self.scanned = True
        self._scanned_at = started
        self._scan_seconds = self._clock.monotonic() - started

    def expect(self, ticket: Ticket) -> None:
        """Release the ticket when no file waits to be read any more."""
        self._tickets.append(ticket)

    def _adopt(self, plan: Plan, listing: Listing) -> None:
        self._missing = plan.missing
        if plan.missing is not None:
            self._pending.clear()
            return
        for path in plan.gone:
            self._forget_problems(path)
        if plan.gone:
            self.index.apply(files=(), removed=plan.gone)
        self._pending = {path: listing.files[path] for path in plan.changed}

    def release_tickets(self, *, applied: bool) -> None:
        """Let the waiters go if nothing waits to be read any more (or, without ``applied``, in any case)."""
        if applied and self._pending:
            return
        for ticket in self._tickets:
            ticket.release(applied=applied)
        self._tickets.clear()

    # --- reading files --------------------------------------------------------------------------------------

    def index_batch(self, *, files_max: int, budget_seconds: float) -> None:
        """Read, parse and index the next files, as many as fit the budget; at least one."""
        deadline = self._clock.monotonic() + budget_seconds
        ready: list[IndexedFile] = []
        unreadable: list[str] = []
        look_again = False
        for _ in range(min(files_max, len(self._pending))):
            path = next(iter(self._pending))
            seen = self._pending.pop(path)
            try:
                self._read(path, seen, ready, unreadable)
            except FileNotFoundError:
                look_again = True
            self._indexed_files += 1
            if self._clock.monotonic() >= deadline:
                break
        if ready or unreadable:
            unembedded = self.index.apply(files=ready, removed=unreadable)
            self._unsubmitted.extend(unembedded)
            self._awaited.update(passage.key for passage in unembedded)
        if not self._pending:
            self._indexed_files = 0
        if look_again:
            # Whether a file was deleted or the whole disk has gone is for a walk to say: only that purges.
            self.look()

    def _read(self, path: str, seen: Fingerprint, ready: list[IndexedFile], unreadable: list[str]) -> None:
        """Read one file; ``FileNotFoundError`` where it is no longer the one that the walk has ``seen``.

        Only the walk knows that a file belongs to the root: what is there now may be a link out of it.
        """
        self._forget_problems(path)
        try:
            content, fingerprint = self._files.read(
                os.path.join(self.spec.path, path), bytes_max=FILE_BYTES_MAX
            )
        except FileNotFoundError:
            raise
        except OSError as error:
            unreadable.append(path)
            self._read_problems[path] = _read_problem(error)
            return
        if (fingerprint.inode, fingerprint.device) != (seen.inode, seen.device):
            raise FileNotFoundError(errno.ENOENT, "replaced since it was seen", path)
        content_hash = hashlib.blake2b(content, digest_size=16).digest()
        known = self.index.known().get(path)
        if known is not None and known[1] == content_hash:
            self.index.touch(path, fingerprint)
            return
        document = self._parse(content, path, self.spec.chunk_mode)
        if document.problems:
            self._document_problems[path] = document.problems
        ready.append(IndexedFile(path, fingerprint, content_hash, document))

    def _forget_problems(self, path: str) -> None:
        self._read_problems.pop(path, None)
        self._document_problems.pop(path, None)
        self._problems = None

    # --- vectors --------------------------------------------------------------------------------------------

    def take_unsubmitted(self) -> tuple[list[UnembeddedPassage], bool]:
        """The texts to embed, once no file waits.

        And whether they are fresh edits rather than the first indexing.
        """
        if self._pending or not self.scanned:
            return [], False
        fresh, self._first_done = self._first_done, True
        passages, self._unsubmitted = self._unsubmitted, []
        return passages, fresh

    def add_vectors(
        self, keys: Sequence[VectorKey], vectors: FloatMatrix, failed: Sequence[VectorKey]
    ) -> None:
        """Vectors that have come back, and the keys for which none will."""
        self.index.add_vectors(keys, vectors)
        self._awaited.difference_update(keys)
        self._awaited.difference_update(failed)
        self._failed.update(failed)

    # --- what others see ------------------------------------------------------------------------------------

    def view(self) -> RootView:
        """The present moment, frozen."""
        return RootView(
            spec=self.spec,
            snapshot=self.index.freeze(),
            scanned=self.scanned,
            pending_files=len(self._pending),
            indexed_files=self._indexed_files,
            awaited_vectors=len(self._awaited),
            failed_vectors=len(self._failed),
            problems=self._all_problems(),
            missing=self._missing,
            nested_in=self._nested_in,
            scan_seconds=self._scan_seconds,
            scanned_at=self._scanned_at,
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


def _read_problem(error: OSError) -> Problem:
    if error.errno == errno.EFBIG:
        return TOO_LARGE
    return Problem("unreadable", f"cannot be read: {error.strerror}")
