"""Looks of one root at its disk: at single files and trees that hints name, and walks of the whole.

Invariants: a look is bounded by a budget and goes on where it stopped; hints come before a walk; what is told
in ``Looked`` was true when its piece was looked at. Only a look says that a document is gone, and none does
while the root itself is out of reach. Walks have numbers, so that a waiter can tell one that began after it
asked. A kept folder is watched before it is listed. Touched by the writer's thread only; does no IO but
through the ``FileSystem`` and ``RootWatch`` ports, reads no file and changes no index.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from mdmemd.model import Fingerprint, Problem
from mdmemd.ports import Clock, FileSystem, Hint, RootWatch, WatchMode
from mdmemd.sync.exclusion import ScopeReport
from mdmemd.sync.pending import PendingSet
from mdmemd.sync.reconcile import gone, out_of_reach
from mdmemd.sync.rule_reading import RULE_FILES
from mdmemd.sync.scan import Walk, look_at_paths
from mdmemd.sync.scope import Scope

LINKS_MAX = 256
"""So many links are looked at with every question; what is written behind more is seen by walks only."""

PATHS_MAX = 256
"""Single files looked at in one piece: about 10 ms."""

RETRY_SECONDS = 10.0
"""When a root that is out of reach, or seems to have lost most documents, is walked again."""

POLLING_SECONDS_MIN = 10.0
POLLING_FACTOR = 20.0
"""A polled root is walked at least so seldom, and at most a twentieth of the time."""

PAUSE_FACTOR = 4.0
"""A walk that nobody waits for rests four times as long as each of its pieces took."""

WALKS_REMEMBERED = 3
"""The quickest of the last walks tells what a walk costs: the others were slowed by other work."""

EMPTY_CHECK_DOCUMENTS_MAX = 1000
"""In a root with more documents, losing a few is believed without a look at whether the root is empty: an
unmounted disk then shows as the loss of most."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What one piece of a look found.

    Attributes:
        seen: documents that are there, with their fingerprints.
        gone: documents of the index, and files that were about to be read, that are not there.
        by_hint: hints led here rather than a walk.
        ends_walk: the last piece of a walk of the whole root.
    """

    seen: Mapping[str, Fingerprint] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    by_hint: bool = False
    ends_walk: bool = False


@dataclass(slots=True)
class _Walking:
    """A walk under way; ``number`` is 0 for that of a tree."""

    walk: Walk
    number: int
    began_at: float
    tree: str = ""
    cost_seconds: float = 0.0
    told: int = 0
    seen_meanwhile: set[str] = field(default_factory=set)


class RootLooking:
    """See the module.

    ``known`` gives the documents of the index and ``tracked`` other paths that are to be told when they go;
    ``spread`` (0 to 1) tells roots apart, so that they are not all walked at once.
    """

    def __init__(
        self,
        folder: str,
        *,
        files: FileSystem,
        clock: Clock,
        watch: RootWatch,
        known: Callable[[], Mapping[str, object]],
        tracked: Callable[[], Iterable[str]],
        scope: Scope,
        reconcile_seconds: float,
        spread: float,
    ) -> None:
        self._folder = folder
        self._files = files
        self._clock = clock
        self.watch = watch
        self._known = known
        self._tracked = tracked
        self._scope = scope
        self._mode = watch.status().mode
        self._reconcile_seconds = reconcile_seconds
        self._spread = spread
        self._pending = PendingSet()
        self._tree: _Walking | None = None
        self._walk: _Walking | None = None
        self._begun = self._done = 0
        self._required = 1
        self._due_at = math.inf
        self._resume_at = -math.inf
        self._folders: set[str] = set()
        self._links: set[str] = set()
        self._scan_seconds: deque[float] = deque(maxlen=WALKS_REMEMBERED)
        self.problems: dict[str, Problem] = {}
        self.rules = ScopeReport()
        self.missing: str | None = None
        self.scanned = False
        self.scanned_at = -math.inf

    # --- what is wanted -------------------------------------------------------------------------------------

    @property
    def pending(self) -> int:
        """How many paths and trees wait to be looked at."""
        return len(self._pending) + (self._tree is not None)

    @property
    def is_caught_up(self) -> bool:
        """Whether nothing that was hinted or required is still to be looked at."""
        return not self._pending and self._tree is None and self._done >= self._required

    @property
    def walks_done(self) -> int:
        """Number of the newest walk that has ended."""
        return self._done

    @property
    def is_walking(self) -> bool:
        """Whether a walk of the whole root is under way, whose files are not all known yet."""
        return self._walk is not None

    @property
    def scan_seconds(self) -> float:
        """What a walk costs."""
        return min(self._scan_seconds, default=0.0)

    def use_scope(self, scope: Scope) -> bool:
        """Which files belong to the root from now on; returns whether that changed, and then walks anew."""
        if scope == self._scope:
            return False
        self._scope = scope
        self._walk = self._tree = None
        self.require_walk()
        return True

    def require_walk(self) -> int:
        """Have the whole root walked from its beginning; returns the number of that walk."""
        self._required = self._begun + 1
        self._resume_at = -math.inf
        return self._required

    def walk_again_at(self, monotonic: float) -> None:
        """Have it walked at a time, or earlier."""
        self._due_at = min(self._due_at, monotonic)

    def check_watch(self) -> None:
        """Walk the root where its watch has ended meanwhile: a limit was met, and hints may be missing."""
        mode, self._mode = self._mode, self.watch.status().mode
        if mode is WatchMode.EVENTS and self._mode is WatchMode.POLLING:
            self.require_walk()

    def note(self, pending: PendingSet) -> None:
        """Hints."""
        self._pending.update(pending)
        self._take_rules()

    def note_links(self) -> None:
        """Look at the documents that are links: writing to their targets gives no hint."""
        if self._links:
            self.note_paths(sorted(self._links)[:LINKS_MAX])

    def note_paths(self, paths: Iterable[str]) -> None:
        """Single files that somebody knows to differ."""
        for path in paths:
            self._pending.add(Hint(path, is_tree=False))
        self._take_rules()

    def _take_rules(self) -> None:
        """A changed rule can change everything in its folder; the tree of the root is a walk."""
        for path in self._pending.paths:
            folder, _, name = path.rpartition("/")
            if name in RULE_FILES:
                self._pending.add(Hint(folder, is_tree=True))
        if self._pending.trees == ("",):
            self._pending.clear()
            self.require_walk()

    def has_work(self, now: float) -> bool:
        """Whether ``look`` has something to do now."""
        return bool(self._pending) or self._tree is not None or self._wants_walk(now)

    @property
    def due_at(self) -> float:
        """When it will have, without anything happening meanwhile."""
        return self._resume_at if self._walk is not None else self._due_at

    def _wants_walk(self, now: float) -> bool:
        return self._done < self._required or now >= self.due_at

    # --- looking --------------------------------------------------------------------------------------------

    def look(self, *, budget_seconds: float) -> Looked:
        """Look for about so long at what comes next."""
        if paths := self._pending.take_paths(PATHS_MAX):
            return self._look_at(paths)
        if self._tree is None and (tree := self._pending.take_tree()) is not None:
            walk = Walk(self._files, self._folder, self._scope, on_folder=self.watch.add)
            walk.start_at(tree)
            self._tree = _Walking(walk, 0, self._clock.monotonic(), tree)
        if self._tree is not None:
            return self._go_on_in_tree(self._tree, budget_seconds)
        if self._walk is None:
            self._begun += 1
            walk = Walk(self._files, self._folder, self._scope, on_folder=self.watch.add)
            self._walk = _Walking(walk, self._begun, self._clock.monotonic())
        return self._go_on(self._walk, budget_seconds)

    def _look_at(self, paths: list[str]) -> Looked:
        listing = look_at_paths(self._files, self._folder, paths, self._scope)
        if listing.missing is not None:
            self.require_walk()
            return Looked()
        lost: list[str] = []
        self._links = (self._links - set(paths)) | listing.links
        for path in paths:
            self.problems.pop(path, None)
            if path in listing.files or path in listing.unlisted:
                continue
            if path in self._folders or self._files.is_directory(os.path.join(self._folder, path)):
                self._pending.add(Hint(path, is_tree=True))
            else:
                lost.append(path)
        self.problems |= listing.problems
        if self._is_empty(lost):
            self.require_walk()
            return Looked()
        self._saw(listing.files)
        return Looked(listing.files, tuple(lost), by_hint=True)

    def _go_on_in_tree(self, walking: _Walking, budget_seconds: float) -> Looked:
        seen, is_done = self._advance(walking, budget_seconds)
        self._saw(seen)
        if not is_done:
            return Looked(seen, by_hint=True)
        self._tree = None
        listing = walking.walk.listing
        if listing.missing is not None:
            self.require_walk()
            return Looked()
        tree, inside = walking.tree, f"{walking.tree}/"
        lost: tuple[str, ...] = ()
        known = self._known()
        if tree in self._folders or tree in known or not self.scanned:
            everything = chain(known, self._tracked())
            below = [path for path in everything if path == tree or path.startswith(inside)]
            lost = gone(below, listing, seen_meanwhile=walking.seen_meanwhile)
        for path in [path for path in self.problems if path == tree or path.startswith(inside)]:
            del self.problems[path]
        self.problems |= listing.problems
        self._links = {path for path in self._links if path != tree and not path.startswith(inside)}
        self._links |= listing.links
        before = {folder for folder in self._folders if folder == tree or folder.startswith(inside)}
        self._folders = (self._folders - before) | set(listing.folders) | set(listing.unlisted)
        if not before <= self._folders:
            self.watch.keep(self._folders)
        if self._is_empty(lost):
            self.require_walk()
            lost = ()
        return Looked(seen, lost, by_hint=True)

    def _go_on(self, walking: _Walking, budget_seconds: float) -> Looked:
        seen, is_done = self._advance(walking, budget_seconds)
        now = self._clock.monotonic()
        if not is_done:
            is_awaited = self._done < self._required
            self._resume_at = now + (0.0 if is_awaited else PAUSE_FACTOR * budget_seconds)
            return Looked(seen)
        self._walk = None
        self._done = walking.number
        # The first walk of a root is slower than any later one: nothing is in the caches yet.
        if self.scanned:
            self._scan_seconds.append(walking.cost_seconds)
        self.scanned, self.scanned_at = True, walking.began_at
        listing = walking.walk.listing
        known = self._known()
        self.missing = out_of_reach(listing, has_documents=len(known) > 0)
        self._due_at = now + self._interval_seconds()
        if self.missing is not None:
            return Looked(ends_walk=True)
        self.problems = listing.problems
        self.rules = listing.report()
        self._links = listing.links
        self._folders = {*listing.folders, *listing.unlisted}
        self.watch.keep(self._folders)
        everything = chain(known, self._tracked())
        lost = gone(everything, listing, seen_meanwhile=walking.seen_meanwhile)
        return Looked(seen, lost, ends_walk=True)

    def _advance(self, walking: _Walking, budget_seconds: float) -> tuple[dict[str, Fingerprint], bool]:
        """Walk on for a while; gives the documents found in this piece and whether it was the last."""
        started = now = self._clock.monotonic()
        has_more = True
        while has_more and now - started < budget_seconds:
            has_more = walking.walk.step()
            now = self._clock.monotonic()
        walking.cost_seconds += now - started
        found = walking.walk.listing.files
        new = len(found) - walking.told
        walking.told = len(found)
        return dict(islice(reversed(found.items()), new)), not has_more

    def _saw(self, seen: Iterable[str]) -> None:
        """Documents that the walks which are under way may have missed."""
        for walking in (self._walk, self._tree):
            if walking is not None:
                walking.seen_meanwhile.update(seen)

    def _is_empty(self, lost: Iterable[str]) -> bool:
        """Whether documents are lost and the root is empty, as where a disk is not mounted."""
        known = self._known()
        if len(known) > EMPTY_CHECK_DOCUMENTS_MAX or not any(path in known for path in lost):
            return False
        try:
            return not self._files.list_directory(self._folder)
        except OSError:
            return True

    def _interval_seconds(self) -> float:
        """Until the next walk that nobody asks for."""
        if self.missing is not None:
            return RETRY_SECONDS
        if self.watch.status().mode is WatchMode.POLLING:
            return max(POLLING_SECONDS_MIN, POLLING_FACTOR * self.scan_seconds)
        varied = (self._spread + self._done * 0.382) % 1.0
        return self._reconcile_seconds * (0.75 + 0.5 * varied)
