"""The roots that one question searches, at one moment.

A root that is not in the scope costs nothing and takes no place in an answer. A filter applies inside the
search, so that a narrow one finds all that it lets through; statistics are those of the scope, filtered or
not, so that it leaves out hits and changes no score. A ``SectionRef`` counts the sections of the scope's
segments one after the other, dead ones included. Immutable; made and used on a query thread.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NewType

import numpy as np

from mdmemd.index.arrays import IntArray, ScoreArray
from mdmemd.index.bm25 import FieldStatistics
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.keyword import keyword_matches
from mdmemd.index.matches import KeywordMatches, PlaceKeys, VectorMatches, WeightedTerm
from mdmemd.index.near_terms import NearTerm, near_terms
from mdmemd.index.neighbours import RankedPassages, best_passage_of_each, nearest_passages
from mdmemd.index.searched_segment import SearchedSegment
from mdmemd.index.snapshot import DocumentRecord, PassageRecord, RootSnapshot, SectionRecord
from mdmemd.index.term_shares import term_shares
from mdmemd.index.text_arena import encoded
from mdmemd.model import FloatVector, VectorKey

SectionRef = NewType("SectionRef", int)
"""A section of a scope; means nothing in another scope."""


@dataclass(frozen=True)
class SectionHandle:
    """One section of a scope; cheap to make, its parts are read from the columns when asked for."""

    root: str
    document: DocumentRecord
    index: int
    """Position of the section in ``document.sections``."""

    @property
    def number(self) -> int:
        """The section's number in its segment."""
        return self.document.view.segment.sections_of(self.document.number).start + self.index

    @cached_property
    def record(self) -> SectionRecord:
        """``document.sections[index]``, without reading the others."""
        return self.document.view.section(self.number)

    @cached_property
    def passages(self) -> tuple[PassageRecord, ...]:
        """``document.passages(index)``."""
        return self.document.view.passages(self.number)


class Scope:
    """Root names with their snapshots, searched as one.

    Attributes:
        roots: name and snapshot of each.
        documents: live documents, filtered or not; ``sections``, ``passages``, ``embedded`` likewise.
        filtered_sections: live sections that may be answers; ``None`` where nothing is filtered.
    """

    def __init__(
        self,
        roots: Sequence[tuple[str, RootSnapshot]],
        *,
        filters: Mapping[str, DocumentFilter] | None = None,
    ) -> None:
        """``filters`` by root; the other roots are searched whole."""
        self.roots = tuple(roots)
        snapshots = [snapshot for _, snapshot in self.roots]
        self.documents = sum(each.documents for each in snapshots)
        self.sections = sum(each.sections for each in snapshots)
        self.passages = sum(each.passages for each in snapshots)
        self.embedded = sum(each.embedded for each in snapshots)
        self._parts: list[SearchedSegment] = []
        self._ref_count = 0
        for root, (name, snapshot) in enumerate(self.roots):
            chosen = filters.get(name) if filters else None
            for view in snapshot.segments:
                self._parts.append(SearchedSegment.of(self._ref_count, root, view, chosen))
                self._ref_count += view.segment.section_count
        self.filtered_sections = sum(part.count for part in self._parts) if filters else None
        self._bases = [part.base for part in self._parts]
        title, path, body = (sum(each.total_lengths[field] for each in snapshots) for field in range(3))
        self._statistics = FieldStatistics.of(sections=self.sections, total_lengths=(title, path, body))

    @property
    def terms(self) -> int:
        """Terms of all segments, one that several have counted in each."""
        return sum(len(part.view.segment.postings.vocabulary) for part in self._parts)

    def keyword(self, terms: Sequence[WeightedTerm]) -> KeywordMatches:
        """The searched sections that hold at least one of the terms, with their BM25 scores."""
        return keyword_matches(self._parts, terms, ref_count=self._ref_count, statistics=self._statistics)

    def near_terms(self, word: str, *, edits: int) -> list[NearTerm]:
        """The terms of searched sections that differ from a folded word by few edits: see ``near_terms``."""
        return near_terms(self._parts, word, edits=edits)

    def nearest(self, vector: FloatVector, *, passages: int) -> VectorMatches:
        """The searched sections of the nearest ``passages`` passages, each with its best one, best first."""
        if passages < 1:
            raise ValueError(f"passages must be at least 1, not {passages}")
        found = [
            nearest_passages(
                snapshot,
                [part for part in self._parts if part.root == root],
                vector,
                count=passages,
                place_keys=self.place_keys,
            )
            for root, (_, snapshot) in enumerate(self.roots)
        ]
        best = RankedPassages.best_of(found, count=passages, place_keys=self.place_keys)
        return best.by_section()

    def best_passages(self, vector: FloatVector, refs: IntArray) -> VectorMatches:
        """The best passage of each of the sections ``refs`` by exact cosine, in the order given."""
        refs = np.asarray(refs, np.int64)
        cosines = np.full(len(refs), np.nan, np.float32)
        passages = np.full(len(refs), -1, np.int32)
        owners = np.searchsorted(self._bases, refs, side="right") - 1
        for owner in np.unique(owners).tolist():
            part = self._parts[owner]
            chosen = np.flatnonzero(owners == owner)
            snapshot = self.roots[part.root][1]
            cosines[chosen], passages[chosen] = best_passage_of_each(
                snapshot, part.view, refs[chosen] - part.base, vector
            )
        return VectorMatches(refs, cosines, passages)

    def passage_cosines(self, vector: FloatVector, section: SectionHandle) -> ScoreArray:
        """Cosine of each passage of a section, float32; NaN where one has no vector."""
        segment = section.document.view.segment
        found = segment.passages_of(range(section.number, section.number + 1))
        snapshot = next(each for name, each in self.roots if name == section.root)
        return snapshot.vectors.cosines(vector, segment.passages.keys[found.start : found.stop])

    def term_shares(self, section: SectionHandle, terms: Sequence[WeightedTerm]) -> ScoreArray:
        """What makes the BM25 score of a section: see ``term_shares``."""
        return term_shares(section.document.view.segment, section.number, terms, statistics=self._statistics)

    def refs_of(self, root: str, document: DocumentRecord) -> IntArray:
        """The sections of a document that are searched: none where a filter keeps it out."""
        for part in self._parts:
            if part.view is document.view and self.roots[part.root][0] == root:
                sections = part.view.segment.sections_of(document.number)
                numbers = np.arange(sections.start, sections.stop, dtype=np.int64)
                return part.base + (numbers if part.searched is None else numbers[part.searched[numbers]])
        return np.zeros(0, np.int64)

    def place_keys(self, refs: IntArray) -> PlaceKeys:
        """A number for each section that depends on its root, path and position in the document alone.

        Equal for different sections only where 32-bit hashes of their places collide.
        """
        keys = np.zeros(len(refs), np.uint64)
        owners = np.searchsorted(self._bases, refs, side="right") - 1
        for owner in np.unique(owners).tolist():
            part = self._parts[owner]
            segment = part.view.segment
            chosen = owners == owner
            numbers = refs[chosen] - part.base
            documents = np.searchsorted(segment.section_starts, numbers, side="right") - 1
            root = np.uint64(zlib.crc32(encoded(self.roots[part.root][0])))
            places = segment.path_hashes[documents] ^ root
            positions = (numbers - segment.section_starts[documents]).astype(np.uint64)
            keys[chosen] = (places << np.uint64(32)) | positions
        return keys

    def document_count(self, refs: IntArray) -> int:
        """How many documents the sections ``refs``, ascending, are of."""
        count = 0
        owners = np.searchsorted(self._bases, refs, side="right") - 1
        for owner in np.unique(owners).tolist():
            part = self._parts[owner]
            starts = part.view.segment.section_starts
            count += len(np.unique(np.searchsorted(starts, refs[owners == owner] - part.base, side="right")))
        return count

    def without_vector(
        self, refs: Sequence[int], *, count: int, of_section: int
    ) -> dict[str, list[VectorKey]]:
        """By root, the first texts without a vector of these sections, in order; ``count`` in all."""
        found: dict[str, list[VectorKey]] = {}
        for ref in refs:
            part = self._parts[bisect_right(self._bases, ref) - 1]
            name, snapshot = self.roots[part.root]
            passages = part.view.segment.passages_of(range(ref - part.base, ref - part.base + 1))
            keys = part.view.segment.passages.keys[passages.start : passages.stop]
            lacking = keys[~snapshot.vectors.has(keys)][: min(count, of_section)]
            if len(lacking):
                found.setdefault(name, []).extend(map(VectorKey, lacking.tolist()))
                count -= len(lacking)
        return found

    def section(self, ref: int) -> SectionHandle:
        """The section behind a ref; ``IndexError`` for a number that is none."""
        if not 0 <= ref < self._ref_count:
            raise IndexError(f"section ref {ref} is not of this scope")
        part = self._parts[bisect_right(self._bases, ref) - 1]
        number = int(ref) - part.base
        segment = part.view.segment
        document = segment.document_of(number)
        return SectionHandle(
            root=self.roots[part.root][0],
            document=DocumentRecord(part.view, document),
            index=number - segment.sections_of(document).start,
        )
