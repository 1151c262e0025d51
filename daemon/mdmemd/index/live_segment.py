"""A segment as the writer sees it: what was deleted and touched since it was built.

``view()`` is remembered until something changes, so freezing an unchanged segment costs nothing; otherwise it
copies the deletions' bitmaps and the fingerprints touched in this segment since its last merge. Writer only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray
from mdmemd.index.deletions import Deletions
from mdmemd.index.merge import MergeInput
from mdmemd.index.segment import Segment
from mdmemd.index.snapshot import SegmentView
from mdmemd.model import Fingerprint


class LiveSegment:
    """One immutable segment with its growing deletions."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self._deletions = Deletions()
        self._fingerprints: dict[int, Fingerprint] = {}
        self._view: SegmentView | None = None

    @classmethod
    def restored(cls, view: SegmentView) -> LiveSegment:
        """A segment in the state of a view."""
        live = cls(view.segment)
        for document in view.deletions.documents:
            live.delete(document)
        live._fingerprints.update(view.fingerprints)
        live._view = view
        return live

    @property
    def documents(self) -> int:
        """Live documents."""
        return len(self.segment.documents) - self._deletions.documents

    @property
    def sections(self) -> int:
        """Live sections."""
        return self.segment.section_count - self._deletions.sections

    @property
    def deleted(self) -> int:
        """Deleted sections."""
        return self._deletions.sections

    def find(self, path: str) -> int | None:
        """The number of the live document with this path."""
        number = self.segment.numbers_of_paths.get(path)
        return None if number is None or self._deletions.holds(number) else number

    def paths(self) -> Iterator[str]:
        """Paths of the live documents."""
        for number, path in enumerate(self.segment.documents.paths):
            if not self._deletions.holds(number):
                yield path

    def fingerprint(self, document: int) -> Fingerprint:
        """The newest fingerprint of a document."""
        return self._fingerprints.get(document) or self.segment.documents.fingerprints[document]

    def live_lengths(self) -> IntArray:
        """Terms of all live sections per ``Field``, shape ``(3,)``."""
        lengths = self.segment.sections.lengths
        live = self.view().live_sections
        total: IntArray = (lengths if live is None else lengths[:, live]).sum(axis=1, dtype=np.int64)
        return total

    def live_passages(self) -> tuple[Int32Array, ByteArray]:
        """Keys and content ids of the passages of live sections."""
        passages = self.segment.passages
        live_sections = self.view().live_sections
        if live_sections is None:
            return passages.keys, passages.content_ids
        live = np.repeat(live_sections, np.diff(self.segment.sections.passage_starts))
        return passages.keys[live], passages.content_ids[live]

    def paths_with(self, keys: BoolArray) -> list[str]:
        """Paths of the live documents that hold a passage of these keys (a mask by key)."""
        paths = self.segment.documents.paths
        numbers = self.segment.documents_with(keys).tolist()
        return [paths[number] for number in numbers if not self._deletions.holds(number)]

    def delete(self, document: int) -> range:
        """Delete a live document; returns its sections."""
        sections = self.segment.sections_of(document)
        self._deletions.add(document, sections)
        self._view = None
        return sections

    def touch(self, document: int, fingerprint: Fingerprint) -> None:
        """Note a new fingerprint of a document."""
        self._fingerprints[document] = fingerprint
        self._view = None

    def view(self) -> SegmentView:
        """The state of now."""
        if self._view is None:
            self._view = SegmentView(self.segment, self._deletions.frozen(), dict(self._fingerprints))
        return self._view

    def merge_input(self) -> MergeInput:
        """What a merge needs to know."""
        deletions = self._deletions.frozen()
        return MergeInput(
            segment=self.segment,
            live_documents=deletions.live_documents(len(self.segment.documents)),
            live_sections=deletions.live_sections(self.segment.section_count),
            fingerprints=self._fingerprints,
        )
