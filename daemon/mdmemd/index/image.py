"""All of a root's index that cannot be made again from the rest: what is saved, and what is restored.

Invariants: frozen; the segments, what was deleted and touched in them, and the vectors by key. Texts are not
in it, nor tables and graphs that follow from it. Made by ``store`` from disk, taken by
``RootIndex.restored``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array
from mdmemd.index.snapshot import SegmentView
from mdmemd.index.vector_rows import HalfMatrix, RowsOrigin


@dataclass(frozen=True, slots=True, eq=False)
class SavedVectors:
    """Vectors in the order of their slots; each key at most once.

    Attributes:
        keys: shape ``(n,)``.
        rows: unit vectors in pieces, shape ``(n, dimensions)`` together.
        origin: where they were saved, if these are all that were.
    """

    keys: Int32Array
    rows: tuple[HalfMatrix, ...]
    origin: RowsOrigin | None

    @classmethod
    def none(cls) -> SavedVectors:
        """No vectors."""
        return cls(np.zeros(0, np.int32), (), None)


@dataclass(frozen=True, slots=True, eq=False)
class RootImage:
    """One root's index. A path is live in one segment at most."""

    segments: tuple[SegmentView, ...]
    vectors: SavedVectors
