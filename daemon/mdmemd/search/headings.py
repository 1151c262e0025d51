"""The headings of whole roots. Pure; called on the query pool."""

from __future__ import annotations

from collections.abc import Iterable

from mdmemd.index.snapshot import RootSnapshot


def heading_paths(roots: Iterable[RootSnapshot]) -> tuple[tuple[str, ...], ...]:
    """The heading paths of all sections, each once, sorted; a preamble has none.

    Looks at every section: for listings, never for a question.
    """
    found = {
        section.heading_path
        for snapshot in roots
        for document in snapshot.iter_documents()
        for section in document.sections
    }
    found.discard(())
    return tuple(sorted(found))
