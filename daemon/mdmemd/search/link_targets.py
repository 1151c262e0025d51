"""Which documents a link means, and which links mean a document.

Rules: a link means the document at its path; a wikilink for which there is none means, as in Obsidian, the
document whose path ends in its name, case aside: the one nearest to the root, then the shortest, then the
first by path. Costs as much as there are documents of that name. Called on the query pool.
"""

from __future__ import annotations

import posixpath

from mdmemd.index.attributes import composed, is_note_link, note_key
from mdmemd.index.snapshot import DocumentRecord, RootSnapshot


def linked_documents(snapshot: RootSnapshot, document: DocumentRecord) -> tuple[str, ...]:
    """Paths (NFC) of the other documents that this one links to, sorted."""
    own, found = composed(document.path), set[str]()
    for link in document.links:
        if link.path is None:
            continue
        path: str | None = composed(link.path)
        if path != own and not _exists(snapshot, path or ""):
            path = _note(snapshot, note_key(link.path)) if is_note_link(link) else None
        found |= {path} if path is not None else set()
    return tuple(sorted(found - {own}))


def names_of_note(snapshot: RootSnapshot, document: DocumentRecord) -> tuple[str, ...]:
    """The keys by which a wikilink means this document: ends of its path."""
    parts = note_key(document.path).split("/")
    keys = ["/".join(parts[start:]) for start in range(len(parts))]
    return tuple(key for key in keys if _note(snapshot, key) == composed(document.path))


def _exists(snapshot: RootSnapshot, path: str) -> bool:
    return any(view.live_documents[view.segment.attributes.at(path)].any() for view in snapshot.segments)


def _note(snapshot: RootSnapshot, key: str) -> str | None:
    """The path (NFC) of the document that a note's key means."""
    fitting = []
    for view in snapshot.segments:
        for number in view.segment.attributes.names.holders(posixpath.basename(key)).tolist():
            path = composed(view.segment.documents.paths[number])
            if view.live_documents[number] and f"/{note_key(path)}".endswith(f"/{key}"):
                fitting.append(path)
    return min(fitting, key=lambda path: (path.count("/"), len(path), path), default=None)
