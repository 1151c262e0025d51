"""Changes of one root's documents: to its index, with what is told of each change.

Invariants: a change of the index and its entry in the journal go together; a document that brings out a bug
of the index costs only itself. A new document whose content is that of one whose file has gone is that
document, renamed: the old one leaves in the same step, so its passages keep their vectors. Touched by the
writer's thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from mdmemd.engine.journal import Change, ChangeKind, Journal
from mdmemd.engine.root_vectors import RootVectors
from mdmemd.index.root_index import RootIndex
from mdmemd.model import IndexedFile, Tick
from mdmemd.ports import Clock
from mdmemd.sync.vanished import Vanished

log = logging.getLogger(__name__)


class RootDocuments:
    """See the module. ``next_tick`` is that of the state which will have what is applied now."""

    def __init__(
        self,
        index: RootIndex,
        *,
        vectors: RootVectors,
        vanished: Vanished,
        journal: Journal,
        clock: Clock,
        next_tick: Callable[[], Tick],
    ) -> None:
        self._index = index
        self._vectors = vectors
        self._vanished = vanished
        self.journal = journal
        self._clock = clock
        self._next_tick = next_tick

    def apply(
        self, ready: Sequence[IndexedFile], removed: Sequence[str], *, fresh: bool
    ) -> tuple[IndexedFile, ...]:
        """Add or replace documents and remove others; returns the files that the index failed on."""
        known = self._index.known()
        moves: dict[str, str] = {}
        for file in ready:
            if file.path not in known and (before := self._vanished.moved(file.content_hash)) is not None:
                moves[file.path] = before
        leaving = [path for path in removed if path in known]
        changes = [self._change(file, is_known=file.path in known, moves=moves) for file in ready]
        changes += [self._change_of(ChangeKind.REMOVED, path) for path in leaving]
        failed = self._apply(ready, [*leaving, *moves.values()], fresh=fresh)
        lost = {file.path for file in failed}
        self.journal.add(change for change in changes if change.path not in lost)
        return failed

    def _apply(
        self, ready: Sequence[IndexedFile], removed: Sequence[str], *, fresh: bool
    ) -> tuple[IndexedFile, ...]:
        if not ready and not removed:
            return ()
        try:
            unembedded = self._index.apply(files=ready, removed=removed)
        except Exception:
            if len(ready) == 1 and not removed:
                log.exception("indexing %s failed", ready[0].path)
                return tuple(ready)
            if not ready:
                log.exception("removing %s failed", ", ".join(removed))
                return ()
            self._apply((), removed, fresh=fresh)
            return tuple(failed for file in ready for failed in self._apply((file,), (), fresh=fresh))
        self._vectors.want(unembedded, fresh=fresh)
        return ()

    def _change(self, file: IndexedFile, *, is_known: bool, moves: Mapping[str, str]) -> Change:
        if (before := moves.get(file.path)) is not None:
            return self._change_of(ChangeKind.RENAMED, file.path, before=before)
        return self._change_of(ChangeKind.CHANGED if is_known else ChangeKind.ADDED, file.path)

    def _change_of(self, kind: ChangeKind, path: str, *, before: str | None = None) -> Change:
        return Change(self._next_tick(), self._clock.time(), kind, path, before)
