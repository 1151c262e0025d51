"""Which documents and sections of an immutable segment are gone. The only importer of pyroaring.

``Deletions`` belongs to the writer; ``frozen()`` gives the value that snapshots hold. A copy costs as much as
the bitmap has containers (one for each 65,536 numbers that hold a deletion), not as much as the segment has
sections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap, FrozenBitMap

from mdmemd.index.arrays import BoolArray, Int32Array


@dataclass(frozen=True, slots=True)
class FrozenDeletions:
    """The deletions of one segment at one moment."""

    documents: FrozenBitMap
    sections: FrozenBitMap

    def document_numbers(self) -> Int32Array:
        """The deleted documents, ascending."""
        return np.frombuffer(self.documents.to_array(), np.uint32).astype(np.int32)

    def live_documents(self, count: int) -> BoolArray:
        """Mask of the documents that are left, of ``count`` in all."""
        return _complement(self.documents, count)

    def live_sections(self, count: int) -> BoolArray:
        """Mask of the sections that are left, of ``count`` in all."""
        return _complement(self.sections, count)


class Deletions:
    """The deletions of one segment, growing; writer only."""

    def __init__(self) -> None:
        self._documents = BitMap()
        self._sections = BitMap()

    def add(self, document: int, sections: range) -> None:
        """Delete a document and its run of sections."""
        self._documents.add(document)
        self._sections.add_range(sections.start, sections.stop)

    def holds(self, document: int) -> bool:
        """Whether the document is deleted."""
        return document in self._documents

    @property
    def documents(self) -> int:
        """How many documents are deleted."""
        return len(self._documents)

    @property
    def sections(self) -> int:
        """How many sections are deleted."""
        return len(self._sections)

    def frozen(self) -> FrozenDeletions:
        """The state of now, unaffected by later deletions."""
        return FrozenDeletions(FrozenBitMap(self._documents), FrozenBitMap(self._sections))


def _complement(deleted: FrozenBitMap, count: int) -> BoolArray:
    live = np.ones(count, np.bool_)
    if deleted:
        live[np.frombuffer(deleted.to_array(), np.uint32)] = False
    return live
