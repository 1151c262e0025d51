"""Completion of what a person types into a client: roots, paths and headings.

Candidates that begin with the typed text come before those that contain it, in any case of letters. Query
pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mdmemd.errors import AmbiguousError, NotFoundError
from mdmemd.mcp.service import Service
from mdmemd.search.page import OutlineNode

VALUES_MAX = 100
"""The protocol allows no more."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The nearest candidates, and how many there are in all."""

    values: tuple[str, ...]
    total: int


def complete(service: Service, argument: str, *, typed: str, known: Mapping[str, str]) -> Completion:
    """Candidates for ``root``, ``path`` or ``heading``; none for any other argument.

    ``known`` has the arguments that are filled in already.
    """
    match argument:
        case "root":
            return _fitting((status.name for status in service.roots()), typed)
        case "path":
            return _fitting(_paths(service, known.get("root", "")), typed)
        case "heading" if known.get("path"):
            return _fitting(_headings(service, known["path"], root=known.get("root", "")), typed)
    return Completion((), 0)


def _paths(service: Service, root: str) -> list[str]:
    try:
        listing = service.documents(roots=(root,) if root else ())
    except NotFoundError:  # a root that is still being typed
        return []
    return [row.path for row in listing.documents]


def _headings(service: Service, path: str, *, root: str) -> list[str]:
    try:
        outline = service.outline(path, root=root)
    except (AmbiguousError, NotFoundError):
        return []
    return [" > ".join(node.heading_path) for node in _walk(outline.nodes) if node.heading_path]


def _walk(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _walk(node.children)


def _fitting(candidates: Iterable[str], typed: str) -> Completion:
    wanted = typed.casefold()
    found = [candidate for candidate in dict.fromkeys(candidates) if wanted in candidate.casefold()]
    found.sort(key=lambda candidate: not candidate.casefold().startswith(wanted))
    return Completion(tuple(found[:VALUES_MAX]), len(found))
