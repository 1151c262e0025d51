"""The question and its page."""

from __future__ import annotations

from mdmem_proto.messages.values import (
    AnswerState,
    CursorText,
    Filter,
    FreshText,
    HitLimit,
    Lines,
    Message,
    Mode,
    PageTokens,
    QueryText,
    RootNames,
)


class Excerpt(Message, frozen=True):
    """Verbatim lines of a file: whole blocks, or a part of one, which ``cut`` then says in words.

    The header of a table that was cut stands above its rows and is not among ``lines``.
    """

    lines: Lines
    text: str
    cut: str | None = None


class Place(Message, frozen=True, omit_defaults=False):
    """Where else the text of a hit stands."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: Lines


class Hit(Message, frozen=True, omit_defaults=False):
    """One section of an answer; ``excerpt`` is null on pointers, ``path`` is relative to the root.

    ``also_in`` are the sections with exactly this text, which are no hits of their own.
    """

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
    also_in: tuple[Place, ...] = ()


class SearchParams(Message, frozen=True):
    """``search``: one question; no ``roots`` means all of them. ``limit`` 1..50.

    ``mode`` ``exact`` lists every section that holds all words, as pointers. ``fresh`` says how long to wait
    for changes on disk: empty for the daemon's budget, ``off``, ``wait`` or ``wait=SECONDS``. ``max_tokens``
    is what the page may cost its reader; 0 is about 500, and then no hit of ``limit`` is left out for it.
    ``expand`` quotes whole sections, as many as fit. ``cursor`` is that of an earlier page of the same
    question; it is refused (``invalid_request``) when the index has changed since.
    """

    query: QueryText
    roots: RootNames = ()
    limit: HitLimit = 5
    mode: Mode = "hybrid"
    fresh: FreshText = ""
    filter: Filter | None = None
    max_tokens: PageTokens = 0
    expand: bool = False
    cursor: CursorText = ""


class SearchResult(Message, frozen=True, omit_defaults=False):
    """Hits, best first; ``cursor`` is null when there is nothing more.

    ``near_misses`` are the nearest sections where nothing answers: they lack what was insisted on.
    """

    query: str
    hits: tuple[Hit, ...]
    state: AnswerState
    cursor: str | None
    near_misses: tuple[Hit, ...] = ()
