"""Single documents: reading, outline, preview, listing."""

from __future__ import annotations

from typing import Any

from mdmem_proto.messages.values import (
    Addresses,
    AnswerState,
    ChunkMode,
    Filter,
    FreshText,
    Lines,
    Message,
    PathText,
    ReadBytes,
    RootName,
    RootNames,
)


class OutlineNode(Message, frozen=True, omit_defaults=False):
    """One heading: ``parts`` counts those of an oversized section, ``lines`` and ``tokens`` span them all.

    ``id`` as in ``Hit``.
    """

    title: str
    level: int
    heading_path: tuple[str, ...]
    lines: Lines
    tokens: int
    parts: int
    children: tuple[OutlineNode, ...]
    id: str = ""


class DocumentRow(Message, frozen=True, omit_defaults=False):
    """One document of a listing.

    ``modified_at`` is unix seconds; ``date`` the ISO date that the document gives itself, by its front matter
    or its file's name: where there is one, filters by date go by it.
    """

    root: str
    path: str
    title: str
    sections: int
    tokens: int
    modified_at: float
    date: str | None = None


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


class ReadParams(Message, frozen=True):
    """``read``: one section verbatim, or a whole file where ``heading`` is empty.

    ``heading`` is a breadcrumb ``A > B`` or a trailing fragment of one. ``part`` picks one part of an
    oversized section. ``path`` may say it all: ``PATH#HEADING``, ``PATH:10-40`` for lines, or ``^ID`` as
    answers give it; ``heading`` may be a ``^ID`` too. ``fresh`` as in ``SearchParams``.
    """

    path: PathText
    heading: PathText = ""
    root: RootName = ""
    part: int | None = None
    include_subsections: bool = False
    fresh: FreshText = ""


class ReadResult(Message, frozen=True, omit_defaults=False):
    """The text of the file's own lines ``lines``, verbatim.

    ``id`` as in ``Hit``, null where a whole file or lines were asked for.
    """

    root: str
    path: str
    heading_path: tuple[str, ...]
    part: int | None
    lines: Lines
    tokens: int
    text: str
    id: str | None = None


class ReadManyParams(Message, frozen=True):
    """``read.many``: the text of each address, or of each place that a pattern matches.

    An address is ``PATH``, ``PATH#HEADING``, ``PATH#^ID``, ``PATH:10-40`` or ``^ID``. PATH may be a glob
    (``docs/**/*.md``), and ``*`` in HEADING stands for any text, in any case: of each document the sections
    whose title matches, or whose breadcrumb ends so. A document or heading of just that name comes first.
    ``max_bytes`` is for all texts together, in UTF-8; one that does not fit has a sentence instead, and the
    next may still fit. ``fresh`` as in ``SearchParams``.
    """

    addresses: Addresses
    root: RootName = ""
    include_subsections: bool = False
    max_bytes: ReadBytes = 262_144
    fresh: FreshText = ""


class ReadItem(Message, frozen=True, omit_defaults=False):
    """One place: its text, or the sentence why there is none; the other is null.

    ``code`` is that of the error (``too_large``: left out for ``max_bytes``); ``address`` reads the place by
    itself.
    """

    address: str
    section: ReadResult | None
    error: str | None
    code: str | None = None


class ReadManyResult(Message, frozen=True, omit_defaults=False):
    """The items in the order asked, the places of a pattern in path order."""

    items: tuple[ReadItem, ...]


class OutlineParams(Message, frozen=True):
    """``outline``: the heading tree of one document; ``fresh`` as in ``SearchParams``."""

    path: PathText
    root: RootName = ""
    fresh: FreshText = ""


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
    """``list``: documents in path order; ``prefix`` is a folder or file relative to the root.

    ``fresh`` as in ``SearchParams``.
    """

    roots: RootNames = ()
    prefix: PathText = ""
    fresh: FreshText = ""
    filter: Filter | None = None


class ListResult(Message, frozen=True, omit_defaults=False):
    """The documents, and the state of the roots that were asked."""

    documents: tuple[DocumentRow, ...]
    state: AnswerState
