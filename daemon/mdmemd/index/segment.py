"""An immutable slice of a root: some documents with their sections, passages and postings, as columns.

Invariants: numbers of documents, sections and passages count from 0 within the segment, in the order
documents, their sections, their passages; nothing changes once built, except that a later merge replaces the
segment as a whole; ``identity`` belongs to this content for ever, also on disk. What one document has many of
is in numpy columns (a million passages must fit); what it has one of is a ``DocumentFacts``. Built and merged
by the writer, read by any thread.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray
from mdmemd.index.attributes import Attributes
from mdmemd.index.postings import Postings
from mdmemd.model import Fingerprint, IndexedFile, LineRange, Link, PassageKind, Problem

PASSAGE_KINDS = tuple(PassageKind)
"""A passage's kind is stored as its position here."""

IDENTITY_BYTES = 8


def new_identity() -> bytes:
    """Random, so that what different runs of the daemon build is never taken for the same."""
    return secrets.token_bytes(IDENTITY_BYTES)


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is kept of a document besides its sections and passages."""

    path: str
    title: str
    fingerprint: Fingerprint
    content_hash: bytes
    properties: Mapping[str, Any] | None
    front_matter_lines: LineRange | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    status: str | None
    date: str | None
    links: tuple[Link, ...]
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, file: IndexedFile) -> DocumentFacts:
        """The facts of one parsed file."""
        document = file.document
        return cls(
            path=file.path,
            title=document.title,
            fingerprint=file.fingerprint,
            content_hash=file.content_hash,
            properties=document.properties,
            front_matter_lines=document.front_matter_lines,
            tags=document.tags,
            aliases=document.aliases,
            status=document.status,
            date=document.date,
            links=document.links,
            problems=document.problems,
        )


@dataclass(frozen=True, slots=True)
class SectionColumns:
    """The sections of a segment, parallel columns of length ``sections``.

    Attributes:
        heading_paths: heading texts, outermost first.
        anchors: explicit ids of headings, mostly empty.
        numbers: shape ``(sections, 5)``: level, part (0: not cut), first line, last line, tokens.
        lengths: shape ``(3, sections)``: number of terms per ``Field``.
        passage_starts: run starts of each section's passages, length ``sections + 1``.
    """

    heading_paths: tuple[tuple[str, ...], ...]
    anchors: tuple[str, ...]
    numbers: Int32Array
    lengths: Int32Array
    passage_starts: IntArray


@dataclass(frozen=True, slots=True)
class PassageColumns:
    """The passages of a segment, parallel columns of length ``passages``.

    Attributes:
        numbers: shape ``(passages, 4)``: first and last line, first and last line of the block around.
        kinds: positions in ``PASSAGE_KINDS``.
        keys: the ``VectorKey`` of each passage's embedded text.
        content_ids: shape ``(passages, CONTENT_ID_BYTES)``: what each embedded text is known by after a
            restart, when the texts themselves are no longer in memory.
        by_key: the passages sorted by key, then by number.
        sorted_keys: their keys, ascending.
    """

    numbers: Int32Array
    kinds: ByteArray
    keys: Int32Array
    content_ids: ByteArray
    by_key: Int32Array = field(init=False)
    sorted_keys: Int32Array = field(init=False)

    def __post_init__(self) -> None:
        order = np.argsort(self.keys, kind="stable").astype(np.int32)
        object.__setattr__(self, "by_key", order)
        object.__setattr__(self, "sorted_keys", self.keys[order])


@dataclass(frozen=True, slots=True)
class Segment:
    """One immutable slice. ``section_starts`` are the run starts of each document's sections."""

    documents: tuple[DocumentFacts, ...]
    section_starts: IntArray
    sections: SectionColumns
    passages: PassageColumns
    postings: Postings
    attributes: Attributes
    identity: bytes = field(default_factory=new_identity)
    numbers_of_paths: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        numbers = {facts.path: number for number, facts in enumerate(self.documents)}
        object.__setattr__(self, "numbers_of_paths", numbers)

    @property
    def section_count(self) -> int:
        """Sections, dead ones included."""
        return len(self.sections.heading_paths)

    def sections_of(self, document: int) -> range:
        """The run of a document's sections."""
        return range(int(self.section_starts[document]), int(self.section_starts[document + 1]))

    def passages_of(self, sections: range) -> range:
        """The run of passages of a run of sections."""
        starts = self.sections.passage_starts
        return range(int(starts[sections.start]), int(starts[sections.stop]))

    def document_of(self, section: int) -> int:
        """The document that a section belongs to."""
        return int(np.searchsorted(self.section_starts, section, side="right")) - 1

    def documents_with(self, keys: BoolArray) -> IntArray:
        """Numbers of the documents, dead ones included, that hold a passage of these keys (a mask by key)."""
        passages = np.flatnonzero(keys[self.passages.keys])
        sections = np.searchsorted(self.sections.passage_starts, passages, side="right") - 1
        return np.unique(np.searchsorted(self.section_starts, sections, side="right") - 1)
