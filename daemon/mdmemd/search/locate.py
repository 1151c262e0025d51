"""From what a caller typed to one indexed document: the only way by which a path from outside reaches a file.

Rules, first that decides: root-relative and exact; that after the root's name; absolute and below a root's
folder (links resolved if need be); the id of a section of it; the end of exactly one document's path, at a
folder boundary. Invariants: only indexed documents are found, so nothing outside a root can be named whatever
the spelling; names are literal, compared exactly and then in Unicode NFC; an id costs no look at documents
that it is not of. Called on the query pool.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mdmemd.errors import AmbiguousError, InvalidRequestError, NotFoundError, RefusedError
from mdmemd.index.snapshot import DocumentRecord, RootSnapshot
from mdmemd.ports import FileSystem
from mdmemd.search.listing import path_parts
from mdmemd.search.near_names import near_names
from mdmemd.text.section_id import SectionId, parse_section_id, section_id

CANDIDATES_MAX = 40
"""How many names an error lists."""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """An indexed document and the name of its root."""

    root: str
    document: DocumentRecord

    @property
    def heading_paths(self) -> tuple[tuple[str, ...], ...]:
        """Those of its sections in order, each once."""
        return tuple(dict.fromkeys(section.heading_path for section in self.document.sections))

    def id_of(self, heading_path: tuple[str, ...], *, part: int | None = None) -> str:
        """The id of one of its sections."""
        return section_id(self.root, self.document.path, heading_path, part=part)


def find_document(
    path: str, *, roots: Mapping[str, RootSnapshot], folders: Mapping[str, str], files: FileSystem
) -> FoundDocument:
    """The one document that ``path`` names among ``roots`` (``folders``: their absolute folders).

    Raises ``InvalidRequestError`` (no path at all, NUL, ``..``), ``RefusedError`` (absolute and outside the
    roots), ``AmbiguousError`` or ``NotFoundError``.
    """
    parts = path_parts(path)
    if os.path.isabs(path):
        return _by_absolute_path(path, roots=roots, folders=folders, files=files)
    if not parts:
        raise InvalidRequestError(
            "No path was given.", remedy="Give a path as an answer or a listing shows it."
        )
    asked_id = parse_section_id(path)
    if asked_id is not None:
        found = _by_id(asked_id, roots)
    else:
        found = _by_path(path, roots) or _by_root_name(parts, roots) or list(_by_suffix(parts, roots))
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousError(
            f"{path!r} names {len(found)} documents.",
            remedy="Give more of the path, or the root.",
            candidates=tuple(
                os.path.join(folders[each.root], each.document.path) for each in found[:CANDIDATES_MAX]
            ),
        )
    raise NotFoundError(
        f"No indexed document is named {path!r}.",
        remedy="Give a path as an answer or a listing shows it.",
        candidates=_near(parts, roots),
    )


def _by_id(asked: SectionId, roots: Mapping[str, RootSnapshot]) -> list[FoundDocument]:
    """The documents with a section of this id: one, but for a coincidence; none is a ``NotFoundError``."""
    coded = [
        FoundDocument(root, document)
        for root, snapshot in roots.items()
        for document in snapshot.coded_documents(asked.code)
    ]
    found = [each for each in coded if asked.name in map(each.id_of, each.heading_paths)]
    if found:
        return found
    if len(coded) != 1:
        raise NotFoundError(
            f"No section has the id {asked.name}.",
            remedy="An id lasts while its file and headings keep their names: search again.",
        )
    path = coded[0].document.path
    places = (f"{path}#{' > '.join(each)}" if each else path for each in coded[0].heading_paths)
    raise NotFoundError(
        f"No section has the id {asked.name}; it may be one of {path} whose heading was changed or removed.",
        remedy="Take one of its present sections.",
        candidates=tuple(places)[:CANDIDATES_MAX],
    )


def _by_path(path: str, roots: Mapping[str, RootSnapshot]) -> list[FoundDocument]:
    return [
        FoundDocument(root, document)
        for root, snapshot in roots.items()
        if (document := _exact(snapshot, path))
    ]


def _exact(snapshot: RootSnapshot, path: str) -> DocumentRecord | None:
    """The document of exactly this path, else of one of the two Unicode forms that systems store names in."""
    composed = "/".join(path_parts(path))
    spellings = (path, composed, unicodedata.normalize("NFD", composed))
    return next((found for each in spellings if (found := snapshot.document(each))), None)


def _by_root_name(parts: tuple[str, ...], roots: Mapping[str, RootSnapshot]) -> list[FoundDocument]:
    """``ROOT/PATH``, as people put together what an answer shows side by side."""
    if len(parts) < 2 or parts[0] not in roots:
        return []
    document = _exact(roots[parts[0]], "/".join(parts[1:]))
    return [FoundDocument(parts[0], document)] if document else []


def _by_absolute_path(
    path: str, *, roots: Mapping[str, RootSnapshot], folders: Mapping[str, str], files: FileSystem
) -> FoundDocument:
    inside = False
    for root, relative in paths_in_roots(path, folders=folders, files=files):
        inside = True
        if root in roots and (document := _exact(roots[root], relative)):
            return FoundDocument(root, document)
    if inside:
        raise NotFoundError(
            f"{path!r} is not an indexed document.",
            remedy="Only Markdown that the rules of its root keep is indexed: mdmemctl why PATH says more.",
            candidates=_near(path_parts(path), roots),
        )
    raise RefusedError(
        f"{path!r} is outside every searched root.",
        remedy="Register its folder as a root, or name one inside a root.",
    )


def paths_in_roots(path: str, *, folders: Mapping[str, str], files: FileSystem) -> Iterator[tuple[str, str]]:
    """Each root that holds the absolute ``path``, with the path below its folder.

    The path as given comes before the one with links resolved, an inner root before an outer one.
    """
    for spelling in _spellings(path, files):
        for root, folder in sorted(folders.items(), key=lambda item: -len(item[1])):
            below = folder.rstrip("/") + "/"
            if f"{spelling}/".startswith(below):
                yield root, spelling[len(below) :]


def _spellings(path: str, files: FileSystem) -> Iterator[str]:
    """The absolute path as given, then with links resolved."""
    yield os.path.normpath(path)
    try:
        yield files.real_path(path)
    except OSError:
        return


def _by_suffix(parts: tuple[str, ...], roots: Mapping[str, RootSnapshot]) -> Iterator[FoundDocument]:
    for root, snapshot in roots.items():
        for document in snapshot.iter_documents():
            if path_parts(document.path)[-len(parts) :] == parts:
                yield FoundDocument(root, document)


def _near(parts: tuple[str, ...], roots: Mapping[str, RootSnapshot]) -> tuple[str, ...]:
    """Paths of documents whose file name holds the stem asked for, in any case; else similar ones."""
    stem = _stem(parts[-1]) if parts else ""
    paths_of_stems: dict[str, list[str]] = {}
    for snapshot in roots.values():
        for document in snapshot.iter_documents():
            paths_of_stems.setdefault(_stem(document.path), []).append(document.path)
    holding = [each for each in paths_of_stems if stem and stem in each]
    chosen = holding or near_names(stem, paths_of_stems)
    return tuple(path for each in chosen for path in paths_of_stems[each])[:CANDIDATES_MAX]


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0].casefold()
