"""What bringing the index up to date has changed: the documents before and after.

For systems whose tools report it. The listing before is made when the work begins, from the index as it
stands, so that a change which a search has already brought in is none any more. Query pool.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mdmemd.engine.indexing import Target
from mdmemd.mcp.service import Indexing, Service
from mdmemd.search.page import DocumentRow

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Begun(Target):
    """Work that has begun, when, and what was indexed and embedded before."""

    began_at: float = 0.0
    before: tuple[DocumentRow, ...] = ()
    embedded_before: int = 0


@dataclass(frozen=True, slots=True)
class IndexChanges:
    """Documents that are new or differ, those that are gone, and all that there are now.

    ``embedded`` is how many more passages have a vector than before, as far as embedding got.
    """

    renewed: tuple[DocumentRow, ...]
    gone: tuple[DocumentRow, ...]
    now: tuple[DocumentRow, ...]
    embedded: int
    seconds: float


def begin_roots(service: Service, indexing: Indexing, names: Iterable[str], *, force: bool) -> Begun:
    """Have these roots looked at (``force``: indexed anew)."""
    roots = tuple(names)
    began_at = time.monotonic()
    before = service.documents(roots=roots, fresh="off").documents if roots else ()
    embedded = _embedded(service, roots)
    for name in roots:
        indexing.index(name, path="", force=force)
    return Begun(roots, began_at=began_at, before=before, embedded_before=embedded)


def changes_since(service: Service, begun: Begun) -> IndexChanges:
    """What has changed since, as far as it has been read."""
    now = service.documents(roots=begun.roots, fresh="off").documents if begun.roots else ()
    old, new = _by_place(begun.before), _by_place(now)
    return IndexChanges(
        renewed=tuple(row for key, row in new.items() if old.get(key) != row),
        gone=tuple(row for key, row in old.items() if key not in new),
        now=now,
        embedded=max(0, _embedded(service, begun.roots) - begun.embedded_before),
        seconds=time.monotonic() - begun.began_at,
    )


def _embedded(service: Service, roots: tuple[str, ...]) -> int:
    return sum(status.embedded for status in service.roots() if status.name in roots)


def _by_place(rows: Iterable[DocumentRow]) -> Mapping[Key, DocumentRow]:
    return {(row.root, row.path): row for row in rows}
