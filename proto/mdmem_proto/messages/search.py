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
    PathText,
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


class Contribution(Message, frozen=True, omit_defaults=False):
    """One term of the sum that a score is; ``what`` it stands for, in words."""

    what: str
    value: float


class Place(Message, frozen=True, omit_defaults=False):
    """Where else the text of a hit stands; ``id`` as in ``Hit``."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: Lines
    id: str = ""


class Hit(Message, frozen=True, omit_defaults=False):
    """One section of an answer; ``excerpt`` is null on pointers, ``path`` is relative to the root.

    ``also_in`` are the sections with exactly this text, which are no hits of their own. ``contributions`` add
    up to ``score`` where ``explain`` was asked for. ``lowered_for`` says what the document is that took a
    little from the score: release notes, what its ``status`` says, old where the newest is asked for. ``id``
    is the section's name, or that of this part of it (``^k3f9a2c7``, ``^k3f9a2c7.2``): ``read`` takes it. It
    lasts while file and headings keep their names.
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
    contributions: tuple[Contribution, ...] = ()
    lowered_for: tuple[str, ...] = ()
    id: str = ""


class Respelling(Message, frozen=True, omit_defaults=False):
    """A word ``asked`` that no section holds, and the nearest words that some do, as ``written`` there."""

    asked: str
    written: tuple[str, ...]


class SearchParams(Message, frozen=True):
    """``search``: one question; no ``roots`` means all of them. ``limit`` 1..50.

    ``mode`` ``exact`` lists every section that holds all words, as pointers. ``fresh`` says how long to wait
    for changes on disk: empty for the daemon's budget, ``off``, ``wait`` or ``wait=SECONDS``. ``max_tokens``
    is what the page may cost its reader; 0 is about 500, and then no hit of ``limit`` is left out for it.
    ``expand`` quotes whole sections, as many as fit. ``cursor`` is that of an earlier page of the same
    question; it is refused (``invalid_request``) when the index has changed since. ``explain`` has each hit
    say what its score is made of.
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
    explain: bool = False


class SearchResult(Message, frozen=True, omit_defaults=False):
    """Hits, best first; ``cursor`` is null when there is nothing more.

    ``near_misses`` are the nearest sections where nothing answers: they lack what was insisted on.
    ``did_you_mean`` is about words of the question that may be mistyped; they changed nothing of the ranking.
    """

    query: str
    hits: tuple[Hit, ...]
    state: AnswerState
    cursor: str | None
    near_misses: tuple[Hit, ...] = ()
    did_you_mean: tuple[Respelling, ...] = ()


class WhyQueryParams(Message, frozen=True):
    """``why.query``: where the best section of a document stands among the answers to a question, and why.

    ``path`` and ``heading`` as in ``ReadParams``, the rest as in ``SearchParams``.
    """

    query: QueryText
    path: PathText
    heading: PathText = ""
    roots: RootNames = ()
    limit: HitLimit = 5
    mode: Mode = "hybrid"
    filter: Filter | None = None


class WhyQueryResult(Message, frozen=True, omit_defaults=False):
    """Where it stands; ``sentence`` says it in words.

    ``state`` is ``shown`` (on the first page), ``below`` (on a later one, or not at all for its rank),
    ``copy`` (its text is that of a hit, which names it), ``excluded`` (holds what the question leaves out),
    ``no_phrase``, ``unmatched`` (lacks words that must be there), ``stale`` (its file has changed),
    ``filtered``, ``no_answer`` (nothing answers the question) or ``not_indexed``. ``rank`` is that among all
    hits, from 1; ``last_score`` that of the last hit on the first page. ``place``, ``rank`` and the scores
    are null where there is none.
    """

    state: str
    sentence: str
    place: Place | None
    rank: int | None
    score: float | None
    last_score: float | None
    contributions: tuple[Contribution, ...]
