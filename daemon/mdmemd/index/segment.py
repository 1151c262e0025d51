"""An immutable slice of a root: some documents with their sections, passages and postings, as columns.

Invariants: numbers of documents, sections and passages count from 0 within the segment, in the order
documents, their sections, their passages; nothing changes once built, except that a later merge replaces the
segment as a whole; ``identity`` belongs to this content for ever, also on disk. Everything is in columns and
arenas, and only a document has Python objects of its own (its path and fingerprint): a million passages must
fit. Built and merged by the writer, read by any thread.
"""

from __future__ import annotations

import secrets
import zlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray
from mdmemd.index.attributes import Attributes
from mdmemd.index.document_columns import DocumentColumns
from mdmemd.index.letter_sets import LetterSets, letter_sets
from mdmemd.index.path_codes import PathCodes
from mdmemd.index.postings import Postings
from mdmemd.index.text_arena import TextArena, encoded
from mdmemd.index.text_table import TextTable
from mdmemd.model import PassageKind

PASSAGE_KINDS = tuple(PassageKind)
"""A passage's kind is stored as its position here."""

IDENTITY_BYTES = 8


def new_identity() -> bytes:
    """Random, so that what different runs of the daemon build is never taken for the same."""
    return secrets.token_bytes(IDENTITY_BYTES)


@dataclass(frozen=True, slots=True)
class SectionColumns:
    """The sections of a segment, parallel columns of length ``sections``.

    Attributes:
        headings: the distinct texts of headings.
        heading_numbers: for one section after another, the numbers of its headings there, outermost first.
        heading_starts: run starts of each section's headings, length ``sections + 1``.
        anchors: explicit ids of headings, mostly empty.
        numbers: shape ``(sections, 5)``: level, part (0: not cut), first line, last line, tokens.
        lengths: shape ``(3, sections)``: number of terms per ``Field``.
        passage_starts: run starts of each section's passages, length ``sections + 1``.
    """

    headings: TextTable
    heading_numbers: Int32Array
    heading_starts: Int32Array
    anchors: TextArena
    numbers: Int32Array
    lengths: Int32Array
    passage_starts: IntArray

    def __len__(self) -> int:
        return len(self.numbers)

    def heading_path(self, section: int) -> tuple[str, ...]:
        """The texts of a section's headings, outermost first."""
        numbers = self.heading_numbers[self.heading_starts[section] : self.heading_starts[section + 1]]
        return tuple(map(self.headings.texts.__getitem__, numbers.tolist()))


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


@dataclass(frozen=True)
class Segment:
    """One immutable slice. ``section_starts`` are the run starts of each document's sections."""

    documents: DocumentColumns
    section_starts: IntArray
    sections: SectionColumns
    passages: PassageColumns
    postings: Postings
    attributes: Attributes
    identity: bytes = field(default_factory=new_identity)
    numbers_of_paths: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        numbers = {path: number for number, path in enumerate(self.documents.paths)}
        object.__setattr__(self, "numbers_of_paths", numbers)

    @cached_property
    def path_codes(self) -> PathCodes:
        """The documents by the code of their paths."""
        return PathCodes(self.documents.paths)

    @cached_property
    def path_hashes(self) -> npt.NDArray[np.uint64]:
        """CRC-32 of each document's path; made when a question first needs it."""
        return np.fromiter(map(zlib.crc32, map(encoded, self.documents.paths)), np.uint64)

    @cached_property
    def letter_sets(self) -> LetterSets:
        """Those of the terms; made when a question first needs it."""
        return letter_sets(self.postings.vocabulary.texts)

    @property
    def section_count(self) -> int:
        """Sections, dead ones included."""
        return len(self.sections)

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
