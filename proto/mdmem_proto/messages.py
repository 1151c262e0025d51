"""Parameters and results of every request as typed msgspec structs, and the table of methods.

Invariants, which make old and new builds able to talk (the rules of ``PROTOCOL.md``, "Evolution"):
new fields come last and have defaults; a field's meaning never changes; unknown fields are ignored.
They travel inside the envelope of ``mdmem_proto.envelope``.

Used by both programs, on any thread: values are frozen. Conversion to the daemon's own types happens in
``mdmemd.server.convert``; nothing below the server knows these types.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from mdmem_proto.limits import (
    PATH_CHARACTERS_MAX,
    QUERY_CHARACTERS_MAX,
    ROOT_NAME_CHARACTERS_MAX,
    ROOTS_PER_REQUEST_MAX,
    SEARCH_HITS_MAX,
)

# Types with a limit, which decoding checks (making a message does not).
QueryText = Annotated[str, Meta(max_length=QUERY_CHARACTERS_MAX)]
PathText = Annotated[str, Meta(max_length=PATH_CHARACTERS_MAX)]
RootName = Annotated[str, Meta(max_length=ROOT_NAME_CHARACTERS_MAX)]
RootNames = Annotated[tuple[RootName, ...], Meta(max_length=ROOTS_PER_REQUEST_MAX)]
HitLimit = Annotated[int, Meta(ge=1, le=SEARCH_HITS_MAX)]


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all wire structs: maps by field name; defaults are left out; unknown fields are ignored."""


# --- values -------------------------------------------------------------------------------------------------

Lines = tuple[int, int]
"""First and last line, 1-based, inclusive."""

Mode = Literal["hybrid", "keyword", "semantic"]
ChunkMode = Literal["auto", "header", "window"]
WaitUntil = Literal["keyword", "embedded"]


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


class AnswerState(Message, frozen=True, omit_defaults=False):
    """What an answer is worth: how it was made and how much of the searched roots stands behind it.

    ``mode`` is the one really used; ``degraded`` says why it is not the one asked for. ``fresh`` is true when
    every save that finished before the question is in the answer; else ``outstanding`` says what is not.
    ``coverage`` is ``complete``, ``partial`` (keywords or vectors still being indexed) or ``empty``.
    ``keyword_match`` is ``matched``, ``no_match`` (no section holds any term), ``filtered`` (some do, none
    well enough), ``no_terms`` or ``unavailable``. ``exact_sections`` counts the sections that hold every term
    of the question.
    """

    mode: str
    degraded: str | None
    fresh: bool
    pending_files: int
    documents: int
    sections: int
    passages: int
    embedded: int
    coverage: str
    keyword_match: str
    exact_sections: int
    took_ms: float
    outstanding: str | None = None


class OutlineNode(Message, frozen=True, omit_defaults=False):
    """One heading: ``parts`` counts those of an oversized section, ``lines`` and ``tokens`` span them all."""

    title: str
    level: int
    heading_path: tuple[str, ...]
    lines: Lines
    tokens: int
    parts: int
    children: tuple[OutlineNode, ...]


class DocumentRow(Message, frozen=True, omit_defaults=False):
    """One document of a listing; ``modified_at`` is unix seconds."""

    root: str
    path: str
    title: str
    sections: int
    tokens: int
    modified_at: float


class ProblemRow(Message, frozen=True, omit_defaults=False):
    """Something that a file or a folder suffers from; ``line`` is null where it concerns the whole file."""

    path: str
    kind: str
    line: int | None
    message: str


class RootInfo(Message, frozen=True, omit_defaults=False):
    """One registered root.

    ``state`` is ``indexing``, ``embedding``, ``ready``, ``empty``, ``missing`` or ``failed``.
    ``problems`` is the list that ``mdmemctl status`` shows, capped; ``problem_count`` is the whole number.
    """

    name: str
    path: str
    state: str
    documents: int
    sections: int
    passages: int
    embedded: int
    pending_files: int
    problems: tuple[ProblemRow, ...]
    problem_count: int
    chunk_mode: str
    detail: str | None


class DaemonInfo(Message, frozen=True, omit_defaults=False):
    """The daemon itself; ``started_at`` is unix seconds."""

    version: str
    pid: int
    started_at: float
    rss_bytes: int
    instance: str
    interpreter: str
    socket: str
    log: str | None


class ModelInfo(Message, frozen=True, omit_defaults=False):
    """The embedding model; ``state``: ``loading``, ``ready`` or ``failed`` (then ``detail`` says why)."""

    name: str
    state: str
    dimensions: int
    fingerprint: str
    detail: str | None
    computed: int = 0
    from_cache: int = 0
    queued: int = 0
    passages_per_second: float = 0.0


class PreviewSection(Message, frozen=True, omit_defaults=False):
    """A section, or a numbered part of one; level 0 without heading path before the first heading."""

    heading_path: tuple[str, ...]
    level: int
    part: int | None
    lines: Lines
    tokens: int


class PreviewPassage(Message, frozen=True, omit_defaults=False):
    """What is embedded by itself, in ``sections[section]``."""

    section: int
    lines: Lines
    text: str


class PreviewLink(Message, frozen=True, omit_defaults=False):
    """A link as written (``target``), and the file of the root and the heading that it means."""

    target: str
    path: str | None
    heading: str | None
    line: int
    embed: bool


class PreviewProblem(Message, frozen=True, omit_defaults=False):
    """Something wrong with the file; ``line`` is null where it concerns the whole file."""

    kind: str
    line: int | None
    message: str


# --- requests and results -----------------------------------------------------------------------------------


class Empty(Message, frozen=True):
    """No parameters, or nothing to say."""


class SearchParams(Message, frozen=True):
    """``search``: one question; no ``roots`` means all of them. ``limit`` 1..50."""

    query: QueryText
    roots: RootNames = ()
    limit: HitLimit = 5
    mode: Mode = "hybrid"


class SearchResult(Message, frozen=True, omit_defaults=False):
    """Hits, best first; ``cursor`` is null when there is nothing more."""

    query: str
    hits: tuple[Hit, ...]
    state: AnswerState
    cursor: str | None


class ReadParams(Message, frozen=True):
    """``read``: one section verbatim, or a whole file where ``heading`` is empty.

    ``heading`` is a breadcrumb ``A > B`` or a trailing fragment of one. ``part`` picks one part of an
    oversized section.
    """

    path: PathText
    heading: PathText = ""
    root: RootName = ""
    part: int | None = None
    include_subsections: bool = False


class ReadResult(Message, frozen=True, omit_defaults=False):
    """The text of the file's own lines ``lines``, verbatim."""

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: Lines
    tokens: int
    text: str


class OutlineParams(Message, frozen=True):
    """``outline``: the heading tree of one document."""

    path: PathText
    root: RootName = ""


class OutlineResult(Message, frozen=True, omit_defaults=False):
    """The heading tree; a preamble is a first node of level 0."""

    root: str
    path: str
    title: str
    tokens: int
    nodes: tuple[OutlineNode, ...]


class PreviewParams(Message, frozen=True):
    """``preview``: any file by its absolute path. The default mode is its root's, elsewhere ``auto``."""

    path: PathText
    chunk_mode: ChunkMode | None = None


class PreviewResult(Message, frozen=True, omit_defaults=False):
    """Everything that is found in the file; ``front_matter`` is null where it has none."""

    front_matter: dict[str, Any] | None
    title: str
    sections: tuple[PreviewSection, ...]
    passages: tuple[PreviewPassage, ...]
    links: tuple[PreviewLink, ...]
    tags: tuple[str, ...]
    problems: tuple[PreviewProblem, ...]


class ListParams(Message, frozen=True):
    """``list``: documents in path order; ``prefix`` is a folder or file relative to the root."""

    roots: RootNames = ()
    prefix: PathText = ""


class ListResult(Message, frozen=True, omit_defaults=False):
    """The documents, and the state of the roots that were asked."""

    documents: tuple[DocumentRow, ...]
    state: AnswerState


class RootAddParams(Message, frozen=True):
    """``roots.add``: register the absolute folder ``path``, by its own name where ``name`` is empty."""

    path: PathText
    name: RootName = ""
    chunk_mode: ChunkMode = "auto"


class RootAddResult(Message, frozen=True, omit_defaults=False):
    """``created`` is false where the same folder was registered before."""

    root: RootInfo
    created: bool


class RootNameParams(Message, frozen=True):
    """``roots.remove``: forget the root ``name``; its files are not touched."""

    name: RootName


class RootListResult(Message, frozen=True, omit_defaults=False):
    """All registered roots by name."""

    roots: tuple[RootInfo, ...]


class RootWaitParams(Message, frozen=True):
    """``roots.wait``: end when the root is keyword-searchable, or has every passage embedded.

    ``progress`` events tell how far it is.
    """

    name: RootName
    until: WaitUntil = "embedded"


class ProgressEvent(Message, frozen=True, omit_defaults=False):
    """``progress`` event of ``roots.wait``: ``phase`` is ``index`` (files) or ``embed`` (passages)."""

    phase: str
    done: int
    total: int


class StatusResult(Message, frozen=True, omit_defaults=False):
    """The whole state of the daemon."""

    daemon: DaemonInfo
    model: ModelInfo
    roots: tuple[RootInfo, ...]
    messages: tuple[str, ...]


class McpOpenParams(Message, frozen=True):
    """``mcp.open``: turn this connection into a stream of MCP messages after the reply.

    ``project`` is the absolute folder that the session works in, empty where unknown.
    """

    project: PathText = ""
    client: str = ""


class Method(msgspec.Struct, frozen=True):
    """One row of the method table: what travels, and whether it may be sent again after a lost connection."""

    params: type[Message]
    result: type[Message]
    idempotent: bool


METHODS: dict[str, Method] = {
    "search": Method(SearchParams, SearchResult, idempotent=True),
    "read": Method(ReadParams, ReadResult, idempotent=True),
    "outline": Method(OutlineParams, OutlineResult, idempotent=True),
    "preview": Method(PreviewParams, PreviewResult, idempotent=True),
    "list": Method(ListParams, ListResult, idempotent=True),
    "roots.add": Method(RootAddParams, RootAddResult, idempotent=True),
    "roots.list": Method(Empty, RootListResult, idempotent=True),
    "roots.remove": Method(RootNameParams, Empty, idempotent=False),
    "roots.wait": Method(RootWaitParams, RootInfo, idempotent=True),
    "status": Method(Empty, StatusResult, idempotent=True),
    "stop": Method(Empty, Empty, idempotent=False),
    "mcp.open": Method(McpOpenParams, Empty, idempotent=False),
}
