"""What a question is and what comes back: the values of the search layer.

Invariants: frozen; plain values, no wire types (``server.convert`` makes those); lines are the file's own,
1-based and inclusive; ``path`` is relative to the root. Made by ``search`` on the query pool, read by
everybody above.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mdmemd.model import LineRange, SearchMode
from mdmemd.text.section_id import section_id


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may answer, as a caller wrote it down; ``search.filtering`` has the meaning.

    Conditions of different fields must all hold. Within ``groups`` and ``paths`` one is enough, of ``tags``
    all are needed, and of ``properties`` (``KEY=VALUE``, or ``KEY`` for any value) one value for each key.
    """

    groups: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    since: str = ""
    before: str = ""
    kind: str = ""
    links_to: str = ""
    linked_from: str = ""


NO_FILTER = Filter()

HITS_DEFAULT = 5
"""On a page whose caller says nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a set of roots.

    Attributes:
        limit: most hits, 1..50.
        max_tokens: what the page may cost its reader; 0: about ``assembly.PAGE_TOKENS``, and every hit of
            ``limit`` whatever it costs.
        expand: whole sections instead of excerpts, as far as the budget goes.
        cursor: what an earlier page of the same question ended with, empty for the first page.
        explain: whether each hit says what its score is made of.
    """

    query: str
    limit: int = HITS_DEFAULT
    mode: SearchMode = SearchMode.HYBRID
    filter: Filter = NO_FILTER
    max_tokens: int = 0
    expand: bool = False
    cursor: str = ""
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Verbatim lines of a file: whole blocks, or a part of one block, which ``cut`` then tells in words.

    The header of a table that was cut stands above its rows and is not among ``lines``.
    """

    lines: LineRange
    text: str
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class Contribution:
    """One term of the sum that a score is: ``what`` it stands for, in words."""

    what: str
    value: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where else the text of a hit stands."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: LineRange

    @property
    def id(self) -> str:
        """What reading takes in place of all this (``section_id``)."""
        return section_id(self.root, self.path, self.heading_path, part=self.part)


@dataclass(frozen=True, slots=True)
class Hit:
    """One section of an answer.

    ``excerpt`` is ``None`` on pointers; ``score`` falls from hit to hit; ``also_in`` are sections with the
    same text, which the page names only here; ``contributions`` add up to the score, where they were asked
    for; ``lowered_for`` is what the document is that took from its score (``standing``).
    """

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: LineRange
    tokens: int
    score: float
    excerpt: Excerpt | None
    matched_passage: str | None
    kind: str = "document"
    also_in: tuple[Place, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    lowered_for: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What reading takes to give this section, or this part of it (``section_id``)."""
        return section_id(self.root, self.path, self.heading_path, part=self.part)


@dataclass(frozen=True, slots=True)
class Respelling:
    """A word of the question that no section holds, and the nearest words that some do, as written there."""

    asked: str
    written: tuple[str, ...]


class KeywordMatch(StrEnum):
    """What became of the words of the question."""

    MATCHED = "matched"
    NO_MATCH = "no_match"
    FILTERED = "filtered"
    NO_TERMS = "no_terms"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class StaleFile:
    """A document that was found to differ from the file on disk while it was being quoted."""

    root: str
    path: str


@dataclass(frozen=True, slots=True)
class Page:
    """The hits for one question against one snapshot.

    ``mode`` is the one really used, ``degraded`` why it is not the one asked for. ``stale`` names the
    documents that had to be left out because the file on disk no longer is what was indexed: the engine
    re-reads them and asks again. ``filtered_sections`` is ``None`` where nothing was filtered, else how many
    sections the filter let through. ``exact_sections``, in ``exact_files`` files, hold every word and none
    that is left out, whatever the phrases. ``cursor`` leads to the next page, ``None`` where there is none.
    ``near_misses`` come nearest where nothing answers: they do not hold what was insisted on.
    ``did_you_mean`` is about words that may be mistyped.
    """

    hits: tuple[Hit, ...]
    mode: SearchMode
    degraded: str | None
    keyword_match: KeywordMatch
    exact_sections: int
    stale: tuple[StaleFile, ...] = ()
    filtered_sections: int | None = None
    exact_files: int = 0
    cursor: str | None = None
    near_misses: tuple[Hit, ...] = ()
    did_you_mean: tuple[Respelling, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text of the file's own lines ``lines``, verbatim; ``id`` is ``None`` where it is no section."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: LineRange
    tokens: int
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One heading.

    ``parts`` is 1 unless the section was cut; ``lines`` and ``tokens`` span all its parts, not its children;
    ``id`` is what reading takes (``section_id``).
    """

    title: str
    level: int
    heading_path: tuple[str, ...]
    lines: LineRange
    tokens: int
    parts: int
    id: str
    children: tuple[OutlineNode, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The heading tree of one document; a preamble is a first node of level 0."""

    root: str
    path: str
    title: str
    tokens: int
    nodes: tuple[OutlineNode, ...]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One document of a listing.

    ``modified_at`` is unix seconds; ``date`` the ISO date that the document gives itself, which filters go by
    where there is one.
    """

    root: str
    path: str
    title: str
    sections: int
    tokens: int
    modified_at: float
    date: str | None = None
