"""The question and its page."""

from __future__ import annotations

from mdmem_proto.messages.values import (
    AnswerState,
    Filter,
    FreshText,
    HitLimit,
    Lines,
    Message,
    Mode,
    QueryText,
    RootNames,
)


class Excerpt(Message, frozen=True):
    """Verbatim lines of a file."""

    lines: Lines
    text: str


class Hit(Message, frozen=True, omit_defaults=False):
    """One section of an answer; ``excerpt`` is null on pointers, ``path`` is relative to the root."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: Lines
    tokens: int
    score: float
    kind: str
    excerpt: Excerpt | None
    matched_passage: str | None


class SearchParams(Message, frozen=True):
    """``search``: one question; no ``roots`` means all of them. ``limit`` 1..50.

    ``fresh`` says how long to wait for changes on disk: empty for the daemon's budget, ``off``, ``wait`` or
    ``wait=SECONDS``.
    """

    query: QueryText
    roots: RootNames = ()
    limit: HitLimit = 5
    mode: Mode = "hybrid"
    fresh: FreshText = ""
    filter: Filter | None = None


class SearchResult(Message, frozen=True, omit_defaults=False):
    """Hits, best first; ``cursor`` is null when there is nothing more."""

    query: str
    hits: tuple[Hit, ...]
    state: AnswerState
    cursor: str | None
