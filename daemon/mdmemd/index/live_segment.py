"""A segment as the writer sees it: what was deleted and touched since it was built.

``view()`` is remembered until something changes, so freezing an unchanged segment costs nothing; otherwise it
copies the deletions' bitmaps and the fingerprints touched in this segment since its last merge. Writer only.
"""

from __future__ import annotations

from collections.abc import Iterator

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
        for number, facts in enumerate(self.segment.documents):
            if not self._deletions.holds(number):
                yield facts.path

    def fingerprint(self, document: int) -> Fingerprint:
        """The newest fingerprint of a document."""
        return self._fingerprints.get(document) or self.segment.documents[document].fingerprint

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
