"""Documents of some roots in path order, optionally below one folder.

Invariants: prefixes are literal (``_`` and ``%`` mean themselves, ``docs`` does not match ``docs2``) and
compared in Unicode NFC, so that a name typed on one system finds a name stored by another. Pure; called on
the query pool.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from mdmemd.errors import InvalidRequestError
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.snapshot import DocumentRecord, RootSnapshot
from mdmemd.search.page import DocumentRow


def list_documents(
    roots: Mapping[str, RootSnapshot],
    *,
    prefix: str = "",
    filters: Mapping[str, DocumentFilter] | None = None,
) -> tuple[DocumentRow, ...]:
    """Rows of the documents at or below the path ``prefix``, by root in the order given, then by path.

    ``filters`` by root leave out others. Raises ``InvalidRequestError`` where the prefix leaves the root.
    """
    wanted = path_parts(prefix)
    return tuple(
        _row(name, document)
        for name, snapshot in roots.items()
        for document in snapshot.iter_documents(filters.get(name) if filters else None)
        if not wanted or path_parts(document.path)[: len(wanted)] == wanted
    )


def path_parts(path: str) -> tuple[str, ...]:
    """The names along a root-relative path in NFC, without empty and ``.`` ones.

    Raises ``InvalidRequestError`` for ``..`` and NUL.
    """
    if "\0" in path:
        raise InvalidRequestError(
            "A path cannot hold a NUL character.", remedy="Give the path as an answer shows it."
        )
    parts = tuple(part for part in unicodedata.normalize("NFC", path).split("/") if part not in {"", "."})
    if ".." in parts:
        raise InvalidRequestError(
            f"The path {path!r} leaves its root by '..'.",
            remedy="Give a path relative to the root, or an absolute one.",
        )
    return parts


def _row(root: str, document: DocumentRecord) -> DocumentRow:
    return DocumentRow(
        root=root,
        path=document.path,
        title=document.title,
        sections=len(document.sections),
        tokens=sum(section.tokens for section in document.sections),
        modified_at=document.fingerprint.mtime_ns / 1e9,
        date=document.date,
    )
