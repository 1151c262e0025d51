"""The files of one root that differ from its index: which, in which order, and how they are read.

Invariants: small files are read and parsed by the writer itself, larger ones handed over to be parsed beside
it; what comes of those counts only while no later look has found the file changed or gone. A file that cannot
be used is not read again until its fingerprint changes. Touched by the writer's thread only; changes no
index, which is what its owner does with the outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from mdmemd.engine.file_reading import FileToRead, Larger, Outcome, read_file
from mdmemd.engine.large_files import Deliver, LargeFiles
from mdmemd.model import Fingerprint, ParsedFile, RootSpec
from mdmemd.ports import Clock, FileSystem
from mdmemd.sync.racy_files import RacyFiles
from mdmemd.sync.read_queue import ReadQueue
from mdmemd.text.document import parse_document

INLINE_BYTES_MAX = 32 * 1024
"""Smaller files are parsed by the writer itself, larger ones beside it.

At this size ordinary Markdown takes about 10 ms and the worst that was found (nested lists, deep in every
line) 0.3 s; handing a file over and taking its document back costs 1 ms, and 0.2 s where the child that
parses must be started first. Of 11,675 files of eight public repositories 301 are larger.
"""

REPLACED_MAX = 3
"""How often in a row a file may be another one when it is read than the look saw."""

FRESH_MAX = 128
"""When one look at hinted files finds more that differ (a checkout, a copied folder), they are a backlog: an
edit must not wait behind them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What came of some files; ``fresh`` says that they had just been saved."""

    outcomes: tuple[Outcome, ...]
    fresh: bool


class RootReading:
    """See the module. ``known`` gives fingerprint and content hash of each indexed document."""

    def __init__(
        self,
        spec: RootSpec,
        *,
        files: FileSystem,
        clock: Clock,
        large: LargeFiles,
        deliver: Deliver,
        known: Callable[[], Mapping[str, tuple[Fingerprint, bytes]]],
    ) -> None:
        self._spec = spec
        self._files = files
        self._clock = clock
        self._large = large
        self._deliver = deliver
        self._known = known
        self._queue = ReadQueue()
        self._handed_over: dict[str, FileToRead] = {}
        self._fresh_over: set[str] = set()
        self._handed_at: dict[str, float] = {}
        self._rejected: dict[str, Fingerprint] = {}
        self._replaced: Counter[str] = Counter()
        self._racy = RacyFiles()
        self._forced: set[str] = set()

    @property
    def waiting(self) -> int:
        """How many files wait to be read by the writer."""
        return len(self._queue)

    @property
    def fresh(self) -> int:
        """How many files that were just saved wait to be read by the writer."""
        return self._queue.fresh

    @property
    def pending(self) -> int:
        """How many files are known to differ and not indexed yet."""
        return len(self._queue) + len(self._handed_over)

    @property
    def has_fresh(self) -> bool:
        """Whether a file that was just saved is not indexed yet."""
        return self._queue.fresh > 0 or bool(self._fresh_over)

    @property
    def may_have_moved(self) -> bool:
        """Whether files wait, and soon will not, that may be those which have gone from other places."""
        return self.has_fresh or 0 < len(self._queue) <= FRESH_MAX

    def tracked(self) -> Iterable[str]:
        """Paths that are remembered here, for which it matters that their file is gone."""
        return chain(self._queue.paths(), tuple(self._handed_over), tuple(self._rejected))

    # --- what looks found -----------------------------------------------------------------------------------

    def saw(self, seen: Mapping[str, Fingerprint], *, by_hint: bool) -> bool:
        """Documents as they are on disk now: those that differ shall be read; returns if that is news."""
        known, before = self._known(), self.pending
        changed: dict[str, Fingerprint] = {}
        for path, now in seen.items():
            indexed = known.get(path)
            if path in self._forced:
                changed[path] = now
            elif indexed is not None and indexed[0] == now and path not in self._racy:
                self.forget(path)
            elif self._is_handed_over(path, now):
                if by_hint:
                    self._fresh_over.add(path)
            elif self._rejected.get(path) != now:
                changed[path] = now
        self._take_back(path for path in changed if path in self._handed_over)
        self._queue.put(changed, fresh=by_hint and len(changed) <= FRESH_MAX)
        return bool(changed) or self.pending != before

    def sort(self) -> None:
        """Order the backlog by age."""
        self._queue.sort()

    def forget(self, path: str) -> None:
        """The file is gone, or is what is indexed."""
        self._queue.discard(path)
        self._take_back((path,))
        self._rejected.pop(path, None)
        self._forced.discard(path)

    def force(self, paths: Iterable[str]) -> None:
        """Parse these files anew when they are seen next, even where their content is what it was."""
        self._forced.update(paths)

    def clear(self) -> None:
        """Forget all, and let what comes of files that were handed over mean nothing."""
        self._queue.clear()
        self._take_back(tuple(self._handed_over))

    def reject(self, path: str, seen: Fingerprint) -> None:
        """Do not read this version of a file again."""
        self._rejected[path] = seen

    def replaced(self, path: str) -> bool:
        """A file was another one than was seen; returns whether to look again rather than give it up."""
        self._replaced[path] += 1
        return self._replaced[path] < REPLACED_MAX

    # --- reading --------------------------------------------------------------------------------------------

    def read_batch(self, *, files_max: int, budget_seconds: Callable[[], float], urgent: bool) -> Batch:
        """Read and parse the next files of one class, at least one, within the budget of the moment."""
        started = self._clock.monotonic()
        fresh = self._queue.fresh > 0
        outcomes: list[Outcome] = []
        while len(self._queue) and (self._queue.fresh > 0) == fresh and len(outcomes) < files_max:
            path, seen = self._queue.take()
            outcomes.append(self._read(path, seen, fresh=fresh, urgent=urgent or fresh))
            if self._clock.monotonic() - started >= budget_seconds():
                break
        return Batch(tuple(outcomes), fresh)

    def take(self, wanted: FileToRead, outcome: Outcome) -> Batch | None:
        """What came of a file that was handed over; ``None`` where a later look has taken it back."""
        if self._handed_over.get(wanted.path) != wanted:
            return None
        del self._handed_over[wanted.path]
        fresh = wanted.path in self._fresh_over
        self._fresh_over.discard(wanted.path)
        self._was_read(outcome, at=self._handed_at.pop(wanted.path))
        return Batch((outcome,), fresh)

    def _read(self, path: str, seen: Fingerprint, *, fresh: bool, urgent: bool) -> Outcome:
        """Read one file, or hand it over where it is ``Larger``."""
        self._take_back((path,))  # another version of it
        at = self._clock.time()
        known = None if path in self._forced else self._known().get(path)
        self._forced.discard(path)
        wanted = FileToRead(
            self._spec.path, path, seen, known[1] if known else None, chunk_mode=self._spec.chunk_mode
        )
        outcome: Outcome = Larger(path)
        if seen.size <= INLINE_BYTES_MAX:
            outcome = read_file(self._files, wanted, parse=_parse_inline, bytes_max=INLINE_BYTES_MAX)
        if isinstance(outcome, Larger):
            self._handed_over[path] = wanted
            self._handed_at[path] = at
            if fresh:
                self._fresh_over.add(path)
            self._large.submit(wanted, urgent=urgent, deliver=self._deliver)
        self._was_read(outcome, at=at)
        return outcome

    def _was_read(self, outcome: Outcome, *, at: float) -> None:
        fingerprint = getattr(outcome, "fingerprint", None)
        if isinstance(fingerprint, Fingerprint):
            self._racy.was_read(outcome.path, fingerprint, at=at)
            self._replaced.pop(outcome.path, None)

    def _is_handed_over(self, path: str, seen: Fingerprint) -> bool:
        """Whether exactly this version of a file is being parsed."""
        wanted = self._handed_over.get(path)
        return wanted is not None and wanted.seen == seen

    def _take_back(self, paths: Iterable[str]) -> None:
        for path in [path for path in paths if path in self._handed_over]:
            self._large.cancel(self._handed_over.pop(path))
            self._fresh_over.discard(path)
            del self._handed_at[path]


def _parse_inline(content: bytes, wanted: FileToRead) -> ParsedFile:
    return ParsedFile(parse_document(content, path=wanted.path, chunk_mode=wanted.chunk_mode))
