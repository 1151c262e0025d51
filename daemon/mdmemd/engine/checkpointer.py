"""When the index of a root is saved, and the thread that does it.

Takes published states only: the writer is neither asked nor kept waiting. A root is saved when it has rested
for ``IDLE_SECONDS`` or has waited for ``DIRTY_SECONDS_MAX``, not more often than every ``PAUSE_SECONDS``, and
when the daemon stops. Never saved is what could destroy more than it keeps: a root that was not walked since
the start, one whose folder is missing, and one with less than half of the saved documents while files wait to
be read.

A save that fails leaves the saved index as it is, is told in ``message``, and is tried again after
``RETRY_SECONDS``. What a newer version saved is left alone.

Threads: ``step`` on the checkpointer's, ``close`` when that has ended, all else on any. This thread alone
writes the folders of saved indexes. No lock is held while it does.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass

from mdmemd.engine.state import RootView, State
from mdmemd.index.image import RootImage
from mdmemd.index.root_index import RootIndex
from mdmemd.index.snapshot import Revision
from mdmemd.model import ModelIdentity, RootSpec
from mdmemd.ports import CheckpointDisk, Clock
from mdmemd.store.checkpoint import commit, current_manifest
from mdmemd.store.collection import Freed, collect
from mdmemd.store.manifest import Making
from mdmemd.store.piece import NewerFormatError

log = logging.getLogger(__name__)

IDLE_SECONDS = 2.0
PAUSE_SECONDS = 30.0
DIRTY_SECONDS_MAX = 60.0
RETRY_SECONDS = 60.0


@dataclass(slots=True)
class _Root:
    """What is known of one root; times are monotonic."""

    saved: Revision | None = None
    seen: Revision | None = None
    dirty_at: float = math.inf
    changed_at: float = math.inf
    not_before: float = -math.inf
    message: str | None = None

    def note(self, revision: Revision, now: float) -> None:
        """Take in what is published."""
        if revision == self.seen:
            return
        self.seen = revision
        if revision[1] == 0 or revision == self.saved:
            self.dirty_at = self.changed_at = math.inf
            return
        self.changed_at = now
        self.dirty_at = min(self.dirty_at, now)

    @property
    def due_at(self) -> float:
        """When to save; infinite where there is nothing to."""
        return max(self.not_before, min(self.changed_at + IDLE_SECONDS, self.dirty_at + DIRTY_SECONDS_MAX))


class Checkpointer:
    """A ``workers.Stepper``. ``model`` tells the model in use.

    ``settled`` is told the name of a root that was saved, or that is no root any more.
    """

    def __init__(
        self,
        disk: CheckpointDisk,
        *,
        state: State,
        clock: Clock,
        model: Callable[[], ModelIdentity],
        settled: Callable[[str], None] = lambda _name: None,
    ) -> None:
        self._disk = disk
        self._state = state
        self._clock = clock
        self._model = model
        self._settled = settled
        self._roots: dict[str, _Root] = {}
        self._changed = threading.Condition()
        # Guarded by _changed.
        self._woken = False
        self._collections: list[tuple[Collection[str], Future[Freed]]] = []
        self._adoptions: list[tuple[RootSpec, RootImage, str, Future[None]]] = []
        self._unsubscribe = state.subscribe(self._published)

    # --- any thread -----------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Make a waiting ``step`` return."""
        with self._changed:
            self._woken = True
            self._changed.notify()

    def collect(self, roots: Collection[str]) -> Future[Freed]:
        """Save what has changed, then remove what the roots at these paths do not need.

        The saved index of another root goes even if a newer version saved it.
        """
        removed: Future[Freed] = Future()
        with self._changed:
            self._collections.append((roots, removed))
            self._changed.notify()
        return removed

    def adopt(self, spec: RootSpec, image: RootImage, vectors_by: str) -> Future[None]:
        """Save an index for a folder that is no root yet, so that it begins with it when it becomes one.

        The future raises what ``commit`` does, and ``ValueError`` where the index cannot be one.
        """
        adopted: Future[None] = Future()
        with self._changed:
            self._adoptions.append((spec, image, vectors_by, adopted))
            self._changed.notify()
        return adopted

    def is_saved(self, view: RootView) -> bool:
        """Whether the saved index is this very state, as far as this daemon saved or restored it."""
        root = self._roots.get(view.spec.name)
        revision = view.snapshot.revision
        return root is not None and (revision[1] == 0 or revision == root.saved)

    def message(self) -> str | None:
        """Which roots cannot be saved and why."""
        return " ".join(root.message for root in tuple(self._roots.values()) if root.message) or None

    def _published(self) -> None:
        """A listener of the state: wakes the thread if a root has changed since it last looked."""
        for name, view in self._state.current.roots.items():
            known = self._roots.get(name)
            if known is None or known.seen != view.snapshot.revision:
                self.wake()
                return

    # --- the checkpointer's thread --------------------------------------------------------------------------

    def step(self, *, timeout_seconds: float | None) -> bool:
        """Remove or save what is due, at most one root; waits only when there is nothing."""
        due = self._next()
        if due is None:
            with self._changed:
                self._changed.wait_for(self._has_reason_to_run, self._patience(timeout_seconds))
                self._woken = False
            due = self._next()
        with self._changed:
            collections, self._collections = self._collections, []
            adoptions, self._adoptions = self._adoptions, []
        for adoption in adoptions:
            self._adopt(*adoption)
        for roots, removed in collections:
            self._collect(roots, removed)
        if due is not None:
            self._save(due)
        return due is not None or bool(collections) or bool(adoptions)

    def close(self) -> None:
        """Save what has changed, due or not. The thread must have ended."""
        self._unsubscribe()
        with self._changed:
            collections, self._collections = self._collections, []
            adoptions, self._adoptions = self._adoptions, []
        for _, removed in collections:
            removed.cancel()
        for *_, adopted in adoptions:
            adopted.cancel()
        self._save_changed()

    def _save_changed(self) -> None:
        """Save what has changed, due or not."""
        self._note()
        for name, view in self._state.current.roots.items():
            root = self._roots.get(name)
            if root is not None and root.due_at < math.inf and self._may_be_saved(view):
                self._save(view)

    def _has_reason_to_run(self) -> bool:
        return self._woken or bool(self._collections) or bool(self._adoptions)

    def _patience(self, timeout_seconds: float | None) -> float | None:
        """How long to wait: until the next root is due, or a change where that may not be saved."""
        now = self._clock.monotonic()
        seconds = [root.due_at - now for root in self._roots.values() if now < root.due_at < math.inf]
        if timeout_seconds is not None:
            seconds.append(timeout_seconds)
        return min(seconds, default=None)

    def _note(self) -> None:
        now = self._clock.monotonic()
        views = self._state.current.roots
        for name in [name for name in self._roots if name not in views]:
            del self._roots[name]
            self._settled(name)
        for name, view in views.items():
            self._roots.setdefault(name, _Root()).note(view.snapshot.revision, now)

    def _next(self) -> RootView | None:
        """The root that has been due for longest."""
        self._note()
        now = self._clock.monotonic()
        due = [
            view
            for name, view in self._state.current.roots.items()
            if name in self._roots and self._roots[name].due_at <= now and self._may_be_saved(view)
        ]
        return min(due, key=lambda view: self._roots[view.spec.name].due_at, default=None)

    def _may_be_saved(self, view: RootView) -> bool:
        """Whether the state is worth more than the one that is saved (T6)."""
        if view.asleep or not view.scanned or view.missing is not None:
            return False
        if not view.pending_files:
            return True
        try:
            saved = current_manifest(self._disk, root=view.spec.path)
        except (OSError, NewerFormatError):
            return True  # the save itself will tell
        return saved is None or 2 * view.snapshot.documents >= saved.documents

    def _save(self, view: RootView) -> None:
        root = self._roots[view.spec.name]
        started = self._clock.monotonic()
        root.not_before = started + RETRY_SECONDS  # also if something unforeseen is raised
        model = self._model()
        making = Making.now(view.spec, model=model.fingerprint, dimensions=model.dimensions)
        try:
            done = commit(self._disk, view.snapshot, making=making, vectors_by=view.vectors_by)
        except NewerFormatError:
            root.not_before = math.inf
            root.message = (
                f"A newer mdmem has saved the index of {view.spec.name}; it is kept, and this version saves "
                "none. Install the newer version again, or delete the cache folder while the daemon is "
                "stopped."
            )
            log.warning("%s", root.message)
            return
        except OSError as error:
            root.message = (
                f"The index of {view.spec.name} cannot be saved ({error.strerror}); answers are not "
                "affected, but the next start has to make up for it. Free some space or repair the cache "
                "folder; it is tried again every minute."
            )
            log.warning("%s", root.message)
            return
        root.message = None
        self._settled(view.spec.name)
        root.not_before = started + PAUSE_SECONDS
        root.saved = view.snapshot.revision
        root.dirty_at = root.changed_at = math.inf
        log.info(
            "saved %s: generation %d, %d bytes written in %.2f s",
            view.spec.name,
            done.manifest.generation,
            done.bytes_written,
            self._clock.monotonic() - started,
        )

    def _adopt(self, spec: RootSpec, image: RootImage, vectors_by: str, adopted: Future[None]) -> None:
        if not adopted.set_running_or_notify_cancel():
            return
        model = self._model()
        making = Making.now(spec, model=model.fingerprint, dimensions=model.dimensions)
        try:
            index = RootIndex.restored(image, dimensions=model.dimensions)
            commit(self._disk, index.freeze(), making=making, vectors_by=vectors_by)
            adopted.set_result(None)
        except Exception as error:  # whoever asked must get an end in any case
            log.exception("an index could not be saved for %s", spec.path)
            adopted.set_exception(error)

    def _collect(self, roots: Collection[str], removed: Future[Freed]) -> None:
        if not removed.set_running_or_notify_cancel():
            return
        try:
            self._save_changed()
            removed.set_result(collect(self._disk, roots=roots))
        except Exception as error:  # whoever asked must get an end in any case
            log.exception("removing what no root needs failed")
            removed.set_exception(error)
