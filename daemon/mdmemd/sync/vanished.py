"""Documents whose files are gone, kept for a moment: an editor may be saving, or a file be moving.

Invariants: a document stays here until its file is back, a file with equal content is indexed elsewhere (then
it has moved), or its owner takes it out of the index, from ``due_at`` on or when somebody asks. Pure; the
writer's thread.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

GRACE_SECONDS = 0.5
"""Editors that move the old file away before they write the new one leave it absent for milliseconds."""


class Vanished:
    """See the module."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._hashes: dict[str, bytes] = {}
        self._by_hash: dict[bytes, dict[str, None]] = {}
        self._is_overdue = False

    def __bool__(self) -> bool:
        return bool(self._since)

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, path: object) -> bool:
        return path in self._since

    @property
    def paths(self) -> tuple[str, ...]:
        """The documents, those gone for longest first."""
        return tuple(self._since)

    @property
    def due_at(self) -> float:
        """When the first of them shall leave the index; infinite where there is none."""
        if self._is_overdue and self._since:
            return -math.inf
        return next(iter(self._since.values()), math.inf) + GRACE_SECONDS

    def note(self, path: str, *, content_hash: bytes, now: float, has_grace: bool = True) -> None:
        """A file is gone; again for one that is here does nothing, unless it shall leave without grace."""
        self._is_overdue |= not has_grace
        if path not in self._since:
            self._since[path] = now
            self._hashes[path] = content_hash
            self._by_hash.setdefault(content_hash, {})[path] = None

    def forget(self, paths: Iterable[str]) -> None:
        """Their files are back, or they have left the index."""
        for path in paths:
            if self._since.pop(path, None) is not None:
                content_hash = self._hashes.pop(path)
                same = self._by_hash[content_hash]
                del same[path]
                if not same:
                    del self._by_hash[content_hash]
        self._is_overdue = self._is_overdue and bool(self._since)

    def moved(self, content_hash: bytes) -> str | None:
        """A document with this very content, if any: it is taken out, since its file has moved."""
        path = next(iter(self._by_hash.get(content_hash, ())), None)
        if path is not None:
            self.forget((path,))
        return path

    def clear(self) -> None:
        """Forget all."""
        self._since.clear()
        self._hashes.clear()
        self._by_hash.clear()
        self._is_overdue = False
