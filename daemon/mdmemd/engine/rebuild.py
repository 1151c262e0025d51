"""Second indexes of roots, made from their files beside those that answer.

The old index goes on as if nothing were: it is looked at, edited and asked. The new one is a root of the
writer like any other, only that nobody sees it. It takes the old one's place in one step, when it has read
every file, has its vectors (from the cache, where their texts are known), and has looked at the folder after
the last change of the old one, so that no answer goes back behind an earlier one. Touched by the writer's
thread only.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdmemd.engine.root_work import RootWork
from mdmemd.model import RootId
from mdmemd.ports import Clock


class Rebuild:
    """The two indexes of one root."""

    def __init__(self, old: RootWork, new: RootWork, *, clock: Clock) -> None:
        self.old = old
        self.new = new
        self._clock = clock
        self._seen = old.index.revision
        self._changed_at = clock.monotonic()

    @property
    def has_failed(self) -> bool:
        """Whether the new index cannot be made, since the folder is out of reach."""
        return self.new.view().missing is not None

    def is_complete(self, *, vectors_will_come: bool) -> bool:
        """Whether the new index may take over; has it look again where the old one has changed since."""
        revision = self.old.index.revision
        if revision != self._seen:
            self._seen = revision
            self._changed_at = self._clock.monotonic()
            self.new.require_walk()
        if not self.new.is_settled:
            return False
        has_vectors = not self.new.vectors.awaited or not vectors_will_come
        return has_vectors and self.new.view().scanned_at >= self._changed_at


class Rebuilds:
    """The rebuilds that go on, by the id of the root that answers.

    A new index begins under an id of its own, a negative one, which what is under way for it (texts at the
    embedder, files that are being parsed) bears for ever; ``resolve`` says which root that is.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_root: dict[RootId, Rebuild] = {}
        self._aliases: dict[RootId, RootId] = {}
        self._last_id = 0

    def __contains__(self, root_id: RootId) -> bool:
        return root_id in self._by_root

    def __iter__(self) -> Iterator[Rebuild]:
        return iter(tuple(self._by_root.values()))

    def next_id(self) -> RootId:
        """An id for a new index."""
        self._last_id -= 1
        return RootId(self._last_id)

    def begin(self, old: RootWork, new: RootWork) -> None:
        """The index ``new`` shall take the place of ``old``."""
        self._by_root[old.root_id] = Rebuild(old, new, clock=self._clock)

    def new_index(self, root_id: RootId) -> RootWork | None:
        """The new index of a root, if one is being made."""
        rebuild = self._by_root.get(root_id)
        return rebuild.new if rebuild else None

    def is_hidden(self, work: RootWork) -> bool:
        """Whether it is a new index that is not complete."""
        return any(rebuild.new is work for rebuild in self._by_root.values())

    def end(self, root_id: RootId) -> None:
        """The rebuild of a root is over, however it ended."""
        rebuild = self._by_root.pop(root_id, None)
        self._aliases = {alias: id_ for alias, id_ in self._aliases.items() if id_ != root_id}
        if rebuild is not None:
            self._aliases[rebuild.new.root_id] = root_id

    def resolve(self, root_id: RootId) -> RootId:
        """The id under which the writer has a root now."""
        return self._aliases.get(root_id, root_id)
