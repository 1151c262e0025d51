"""How a document stands by what it is: release notes, drafts, what has been superseded, what is old.

Gentle: a loss decides between sections that answer nearly as well and hides nothing. It falls away where the
question itself asks for such documents. Invariants: pure; a table of words, no clock: a document is old
beside another, by the dates that they give themselves. Called on the query pool for the sections that come
up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mdmemd.search.query import ParsedQuery
from mdmemd.search.weights import (
    AGE_DAYS_OF_HALF_LOSS,
    AGE_LOSS,
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

_ASKS_FOR_THE_NEWEST = frozenset({"latest", "newest", "recent", "recently"})
"""Not ``current`` or ``now``, which seldom mean a date (the current directory)."""

_PASSED = frozenset(
    {"abandoned", "archived", "cancelled", "deprecated", "draft", "obsolete", "outdated", "rejected"}
    | {"retired", "superseded", "withdrawn"}
)
"""Values of ``status`` in front matter that say: this does not hold, or not yet."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What a section loses, above 0, and ``what`` it or its document is that it loses it for."""

    what: str
    value: float


def asks_for_the_newest(query: ParsedQuery) -> bool:
    """Whether the question is worded so that the newer of two answers is meant."""
    return bool(_words(query) & _ASKS_FOR_THE_NEWEST)


def losses(
    path: str, status: str | None, query: ParsedQuery, *, age_days: int | None = None
) -> tuple[Loss, ...]:
    """What a section of the document loses.

    ``age_days`` is how much older it is than the newest one, where that is asked for and both have a date.
    """
    words = _words(query)
    found: list[Loss] = []
    if _RELEASE_NOTES.search(path) and not words & _ASKS_FOR_RELEASES:
        lost = RELEASE_NOTES_LOSS + RELEASE_NOTES_LOSS_IDENTIFIERS * query.identifier_share
        found.append(Loss("release notes", lost))
    state = fold(status or "").strip()
    if state in _PASSED and state not in words:
        found.append(Loss(f"status: {state}", STATUS_LOSS))
    if age_days:
        lost = AGE_LOSS * age_days / (age_days + AGE_DAYS_OF_HALF_LOSS)
        found.append(Loss(f"{age_days:,} days older than the newest", lost))
    return tuple(found)


def _words(query: ParsedQuery) -> set[str]:
    return {fold(concept.text) for concept in query.concepts}
