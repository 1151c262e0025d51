"""Ids and frozen value types that all layers share.

Invariants: everything here is immutable, hashable where its fields are, and knows no file, thread or clock.
Lines are 1-based and inclusive, paths of documents are POSIX and relative to their root, times are
nanoseconds where a name ends in ``_ns``. Who creates a value is said at its class; everybody may read it on
any thread. Loads no numpy: the parse child imports this and shall start quickly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, NewType, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RootId = NewType("RootId", int)
"""Number of a registered root; never reused within a run of the daemon."""

VectorKey = NewType("VectorKey", int)
"""Number of one distinct embedded text within a root's index."""

Tick = NewType("Tick", int)
"""Count of the writer's published states; a larger tick contains everything of a smaller one."""

FloatVector: TypeAlias = "npt.NDArray[np.float32]"
"""One unit-length embedding, shape ``(dimensions,)``."""

FloatMatrix: TypeAlias = "npt.NDArray[np.float32]"
"""Unit-length embeddings, shape ``(n, dimensions)``."""


class LineRange(NamedTuple):
    """First and last line, 1-based, inclusive."""

    first: int
    last: int


class ChunkMode(StrEnum):
    """How the files of a root are cut into sections; ``auto`` decides per file."""

    AUTO = "auto"
    HEADER = "header"
    WINDOW = "window"


class WatchChoice(StrEnum):
    """How the user wants changes of a root to be noticed; ``auto`` leaves it to the kind of file system."""

    AUTO = "auto"
    EVENTS = "events"
    POLLING = "polling"


class DocumentKind(StrEnum):
    """What a document is by its front matter."""

    DOCUMENT = "document"
    MEMORY = "memory"


class ModelState(StrEnum):
    """Whether questions and passages can be embedded."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What an index has to know of the model of its vectors; ``fingerprint`` is that of its specification."""

    name: str
    fingerprint: str
    dimensions: int


class SearchMode(StrEnum):
    """Which evidence ranks an answer."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    EXACT = "exact"
    """Every section that holds all words, as a list: complete instead of ranked by meaning."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What ``stat`` says of a file.

    Equal fingerprints are taken as equal content, unequal ones are hashed.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a document or a folder that did not stop the work. ``line`` is of the file."""

    kind: str
    message: str
    line: int | None = None


# --- a parsed document: made by ``text`` --------------------------------------------------------------------


class PassageKind(StrEnum):
    """What a passage was in its document."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    QUOTE = "quote"
    HTML = "html"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Section:
    """One heading's own text up to the next heading, or one part or one line window of it.

    Attributes:
        heading_path: plain heading texts, outermost first, made unique within the document by `` [2]``
            suffixes; empty for the preamble.
        level: 1 to 6; 0 for the preamble and for windows before any heading.
        part: 1-based number where an oversized section was cut, else ``None``.
        lines: from the heading's line to the line before the next heading; a part's own lines.
        text: the decoded text of exactly these lines, line ends as in the file. Only where one line is longer
            than a part does a part hold a piece of its first or last line; the parts join to the whole text.
        tokens: estimated cost for a language model (``text.token_estimate``).
        anchor: explicit id of the heading (``{#id}``), else empty.
    """

    heading_path: tuple[str, ...]
    level: int
    part: int | None
    lines: LineRange
    text: str
    tokens: int
    anchor: str = ""

    @property
    def breadcrumb(self) -> str:
        """The heading path as one line, ``A > B > C``; empty for the preamble."""
        return " > ".join(self.heading_path)


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a section that is embedded by itself: a paragraph, a list item, a table row, a code block.

    Attributes:
        section: index into ``ParsedDocument.sections``.
        kind: what it was.
        lines: the lines that hold this passage.
        block: the lines of the whole top-level block around it (the list, the table, the quote), never cut in
            an excerpt.
        text: white space collapsed, markup of containers removed, at most 600 characters, never blank.
    """

    section: int
    kind: PassageKind
    lines: LineRange
    block: LineRange
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link out of a document.

    ``target`` is as written; ``path`` is root-relative where it points to a file.
    """

    target: str
    path: str | None
    heading: str | None
    line: int
    is_embed: bool = False


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """Everything that ``text`` found in one file.

    ``properties`` is the front matter as plain values (str, int, float, bool, None, lists and dicts of these;
    dates as ISO strings), ``None`` where the file has none. ``title`` is never empty (the file's stem at
    worst).
    """

    title: str
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]
    properties: Mapping[str, Any] | None = None
    front_matter_lines: LineRange | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str | None = None
    date: str | None = None
    links: tuple[Link, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """The index terms of a document's sections, counted out beforehand: made with the parse of a large file.

    Attributes:
        vocabulary: each distinct term once.
        terms: for title, path and body of the sections in order: positions in ``vocabulary``, with
            repetitions, as native 32-bit integers.
        lengths: for the same fields: how many terms each section has, as native 32-bit integers.
    """

    vocabulary: tuple[str, ...]
    terms: tuple[bytes, bytes, bytes]
    lengths: tuple[bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A parsed document; with its terms where they were taken out of it already, else the index does that."""

    document: ParsedDocument
    terms: DocumentTerms | None = None


# --- what enters the index: made by the writer and the reader of large files --------------------------------


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """One file's parsed content with what identifies its state on disk.

    ``content_hash`` is BLAKE2b-128 of its bytes; ``terms`` are those of ``ParsedFile``.
    """

    path: str
    fingerprint: Fingerprint
    content_hash: bytes
    document: ParsedDocument
    terms: DocumentTerms | None = None


@dataclass(frozen=True, slots=True)
class UnembeddedPassage:
    """A distinct embedded text of a root that has no vector yet."""

    key: VectorKey
    text: str


@dataclass(frozen=True, slots=True)
class RootSpec:
    """A registered root as the user asked for it: user data, kept by ``store.roots_file``.

    ``exclude`` and ``include`` are globs (``sync.globs``); no ``include`` means everything.
    """

    name: str
    path: str
    chunk_mode: ChunkMode = ChunkMode.AUTO
    exclude: tuple[str, ...] = field(default=())
    include: tuple[str, ...] = field(default=())
    watch: WatchChoice = WatchChoice.AUTO
