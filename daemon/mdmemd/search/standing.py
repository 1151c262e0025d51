"""How a document stands by what it is: release notes, drafts, what has been superseded.

Gentle: a loss decides between sections that answer nearly as well and hides nothing. It falls away where the
question itself asks for such documents. Invariants: pure; a table of words, no clock: which of two releases
is newer is not known here. Called on the query pool for the sections that come up.
"""

from __future__ import annotations

import re

from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import (
    RELEASE_NOTES_LOSS,
    RELEASE_NOTES_LOSS_IDENTIFIERS,
    STATUS_LOSS,
)
from mdmemd.text.tokens import fold

_RELEASE_NOTES = re.compile(
    r"(?:^|/)(?:(?:changelogs?|release[-_ ]?notes)(?:/|\.[^/]*$)|(?:changes|history|releases)\.[^/.]*$)",
    re.IGNORECASE,
)

_ASKS_FOR_RELEASES = frozenset(
    {"changelog", "changelogs", "changed", "latest", "newest", "release", "released"}
)

_PASSED = frozenset(
    {"abandoned", "archived", "cancelled", "deprecated", "draft", "obsolete", "outdated", "rejected"}
    | {"retired", "superseded", "withdrawn"}
)
"""Values of ``status`` in front matter that say: this does not hold, or not yet."""


def losses(path: str, status: str | None, query: ParsedQuery) -> tuple[tuple[str, float], ...]:
    """What a section of the document loses, and for what: values above 0."""
    found: list[tuple[str, float]] = []
    if _RELEASE_NOTES.search(path) and not _words(query) & _ASKS_FOR_RELEASES:
        lost = RELEASE_NOTES_LOSS + RELEASE_NOTES_LOSS_IDENTIFIERS * query.identifier_share
        found.append(("release notes", lost))
    state = fold(status or "").strip()
    if state in _PASSED and state not in _words(query):
        found.append((f"status: {state}", STATUS_LOSS))
    return tuple(found)


def _words(query: ParsedQuery) -> set[str]:
    return {fold(concept.text) for concept in query.concepts}
