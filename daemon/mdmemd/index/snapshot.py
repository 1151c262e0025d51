"""The frozen state of one root: what a question sees, however much the writer goes on.

Invariants: immutable to its readers; every answer of a snapshot stays the same for ever, also while the
writer deletes, merges and adds vectors (``vectors`` says how far that holds above the exact limit). Made by
``RootIndex.freeze`` on the writer thread, read by any thread. Masks are computed when first needed: threads
that race there compute the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mdmemd.index.arrays import BoolArray, run_members
from mdmemd.index.attributes import KINDS, NO_DAY
from mdmemd.index.deletions import FrozenDeletions
from mdmemd.index.document_columns import DocumentColumns, FrontMatter
from mdmemd.index.filters import DocumentFilter, Selection, Selections
from mdmemd.index.segment import PASSAGE_KINDS, Segment
from mdmemd.index.vectors import VectorView
from mdmemd.model import DocumentKind, Fingerprint, LineRange, Link, PassageKind, Problem

Revision = tuple[bytes, int]
"""Identity of an index, and how often it was changed."""


@dataclass(frozen=True, slots=True)
class SectionRecord:
    """One section of a document; the fields are those of ``model.Section`` without the text."""

    heading_path: tuple[str, ...]
    level: int
    part: int | None
    lines: LineRange
    tokens: int
    anchor: str


@dataclass(frozen=True, slots=True)
class PassageRecord:
    """One passage of a section; the fields are those of ``model.Passage`` without the text."""

    lines: LineRange
    block: LineRange
    kind: PassageKind


@dataclass(frozen=True, eq=False)
class SegmentView:
    """A segment with what was deleted from it and touched in it until one moment."""

    segment: Segment
    deletions: FrozenDeletions
    fingerprints: Mapping[int, Fingerprint]

    @cached_property
    def live_documents(self) -> BoolArray:
        """Mask over the segment's documents."""
        return self.deletions.live_documents(len(self.segment.documents))

    @cached_property
    def live_sections(self) -> BoolArray | None:
        """Mask over the segment's sections, ``None`` where all live."""
        if not self.deletions.sections:
            return None
        return self.deletions.live_sections(self.segment.section_count)

    @cached_property
    def _selections(self) -> Selections:
        return Selections()

    def selection(self, chosen: DocumentFilter) -> Selection:
        """The live sections that a filter lets through."""
        return self._selections.get(chosen, lambda: self._select(chosen))

    def documents(self, chosen: DocumentFilter) -> BoolArray:
        """Mask of the live documents that a filter lets through."""
        attributes = self.segment.attributes
        found = chosen.documents(attributes, modified_ns=attributes.modified_now(self.fingerprints))
        return found & self.live_documents

    def _select(self, chosen: DocumentFilter) -> Selection:
        starts = self.segment.section_starts
        documents = np.flatnonzero(self.documents(chosen))
        sections = np.zeros(self.segment.section_count, np.bool_)
        sections[run_members(starts[documents], starts[documents + 1])] = True
        return Selection(sections, int(np.count_nonzero(sections)))

    def find(self, path: str) -> int | None:
        """The number of the live document with this path."""
        number = self.segment.numbers_of_paths.get(path)
        return None if number is None or number in self.deletions.documents else number

    def coded(self, code: int) -> list[int]:
        """The numbers of the live documents with this ``section_id.path_code``."""
        found = self.segment.path_codes.documents(code)
        return [number for number in found if number not in self.deletions.documents]

    def section(self, section: int) -> SectionRecord:
        """The record of one section of the segment."""
        columns = self.segment.sections
        level, part, first, last, tokens = columns.numbers[section].tolist()
        return SectionRecord(
            heading_path=columns.heading_path(section),
            level=level,
            part=part or None,
            lines=LineRange(first, last),
            tokens=tokens,
            anchor=columns.anchors[section],
        )

    def passages(self, section: int) -> tuple[PassageRecord, ...]:
        """The records of one section's passages."""
        found = self.segment.passages_of(range(section, section + 1))
        columns = self.segment.passages
        numbers = columns.numbers[found.start : found.stop].tolist()
        kinds = columns.kinds[found.start : found.stop].tolist()
        return tuple(
            PassageRecord(LineRange(first, last), LineRange(block_first, block_last), PASSAGE_KINDS[kind])
            for (first, last, block_first, block_last), kind in zip(numbers, kinds, strict=True)
        )


@dataclass(frozen=True)
class DocumentRecord:
    """One document of a snapshot; cheap to make, its sections are read from the columns when asked for."""

    view: SegmentView
    number: int

    @property
    def _columns(self) -> DocumentColumns:
        return self.view.segment.documents

    @property
    def path(self) -> str:
        """POSIX, relative to the root."""
        return self._columns.paths[self.number]

    @property
    def title(self) -> str:
        """Never empty."""
        return self._columns.titles[self.number]

    @property
    def fingerprint(self) -> Fingerprint:
        """What ``stat`` last said of the file with this content."""
        return self.view.fingerprints.get(self.number) or self._columns.fingerprints[self.number]

    @property
    def content_hash(self) -> bytes:
        """BLAKE2b-128 of the file's bytes."""
        return self._columns.content_hashes[self.number]

    @cached_property
    def front_matter(self) -> FrontMatter:
        """What the document says of itself."""
        return self._columns.front_matter_of(self.number)

    @property
    def properties(self) -> Mapping[str, Any] | None:
        """The front matter, ``None`` where the file has none."""
        return self.front_matter.properties

    @property
    def front_matter_lines(self) -> LineRange | None:
        """Where the front matter stands."""
        return self.front_matter.lines

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of the front matter and of the text."""
        return self.front_matter.tags

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that the document gives itself."""
        return self.front_matter.aliases

    @property
    def status(self) -> str | None:
        """Such as ``draft``, as the front matter has it."""
        return self.front_matter.status

    @property
    def date(self) -> str | None:
        """ISO date that the document gives itself."""
        return self.front_matter.date

    @property
    def day(self) -> int | None:
        """The same as ``date.toordinal()``."""
        day = int(self.view.segment.attributes.days[self.number])
        return None if day == NO_DAY else day

    @property
    def kind(self) -> DocumentKind:
        """Document or memory."""
        return KINDS[int(self.view.segment.attributes.kinds[self.number])]

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Links out of the document."""
        return self._columns.links_of(self.number)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the file."""
        return self._columns.problems_of(self.number)

    @cached_property
    def sections(self) -> tuple[SectionRecord, ...]:
        """All sections in document order."""
        return tuple(map(self.view.section, self.view.segment.sections_of(self.number)))

    def passages(self, section_index: int) -> tuple[PassageRecord, ...]:
        """The passages of ``sections[section_index]``; ``IndexError`` where there is no such section."""
        return self.view.passages(self.view.segment.sections_of(self.number)[section_index])


@dataclass(frozen=True, slots=True, eq=False)
class RootSnapshot:
    """One root at one moment.

    Attributes:
        documents: live documents.
        sections: live sections.
        passages: live passages.
        embedded: live passages whose text has a vector.
        total_lengths: terms of all live sections per ``Field``.
        segments: the slices of the root.
        vectors: the vectors of its passages.
        revision: snapshots of equal revision are equal; changes 0: of an index as it was saved, or empty.
    """

    documents: int
    sections: int
    passages: int
    embedded: int
    total_lengths: tuple[int, int, int]
    segments: tuple[SegmentView, ...]
    vectors: VectorView
    revision: Revision = (b"", 0)

    def document(self, path: str) -> DocumentRecord | None:
        """The document with exactly this path: no character of it is a wildcard and case counts."""
        for view in self.segments:
            number = view.find(path)
            if number is not None:
                return DocumentRecord(view, number)
        return None

    def coded_documents(self, code: int) -> Iterator[DocumentRecord]:
        """The documents that the ids which begin with ``code`` may be of: one, or few."""
        return (DocumentRecord(view, number) for view in self.segments for number in view.coded(code))

    def iter_documents(self, chosen: DocumentFilter | None = None) -> Iterator[DocumentRecord]:
        """All documents, or those that a filter lets through, sorted by the parts of their paths."""
        records = [
            DocumentRecord(view, int(number))
            for view in self.segments
            for number in (view.live_documents if chosen is None else view.documents(chosen)).nonzero()[0]
        ]
        records.sort(key=lambda record: record.path.split("/"))
        return iter(records)
