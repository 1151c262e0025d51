"""Vectors as rows that never move, and their cosines to a question. The only importer of numkong.

Format: float16 unit vectors in blocks of ``BLOCK_ROWS`` rows; row ``r`` is row ``r % BLOCK_ROWS`` of block
``r // BLOCK_ROWS``. Memory of a block is touched by the operating system only as far as rows are written.

Threads: the writer appends; any thread may read the rows below a count that it was given by ``len`` before,
since a row is written once, before it is counted, and blocks are never moved or freed while somebody holds
this object (the graph in ``vectors`` keeps bare pointers into them). numkong's dot products of float16 add up
in float32 and run without the interpreter lock. Measured on one core, 384 dimensions: 0.25 ms for 8,000 rows,
1.0 ms for 32,000; numpy's float32 product takes 3.1 ms for 32,000 at twice the memory, usearch's exact search
3.4 ms.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import numkong
import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import IntArray, ScoreArray
from mdmemd.model import FloatMatrix, FloatVector

HalfMatrix = npt.NDArray[np.float16]
"""Unit vectors as stored, shape ``(n, dimensions)``."""

BLOCK_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class RowsOrigin:
    """The saved rows that a matrix began with: their identity, and the generation they were read from."""

    identity: bytes
    generation: int


class VectorRows:
    """An append-only matrix of unit vectors.

    Attributes:
        identity: belongs to this matrix alone, also on disk: rows of equal identity and number are equal.
        origin: of a matrix that was read from disk and holds all rows that were saved there.
    """

    def __init__(self, *, dimensions: int, origin: RowsOrigin | None = None) -> None:
        self.dimensions = dimensions
        self.identity = secrets.token_bytes(8)
        self.origin = origin
        self._blocks: list[HalfMatrix] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, vectors: HalfMatrix) -> None:
        """Append rows, shape ``(n, dimensions)``."""
        done = 0
        while done < len(vectors):
            block, offset = divmod(self._count, BLOCK_ROWS)
            if block == len(self._blocks):
                self._blocks.append(np.empty((BLOCK_ROWS, self.dimensions), np.float16))
            taken = min(len(vectors) - done, BLOCK_ROWS - offset)
            self._blocks[block][offset : offset + taken] = vectors[done : done + taken]
            self._count += taken
            done += taken

    def runs(self, start: int, stop: int) -> Iterator[HalfMatrix]:
        """Rows ``start`` to ``stop`` in place, in as few contiguous pieces as there are blocks."""
        while start < stop:
            block, offset = divmod(start, BLOCK_ROWS)
            taken = min(stop - start, BLOCK_ROWS - offset)
            yield self._blocks[block][offset : offset + taken]
            start += taken

    def take(self, rows: IntArray) -> HalfMatrix:
        """A copy of these rows, in the order given."""
        if len(self._blocks) == 1:
            return self._blocks[0][rows]
        taken = np.empty((len(rows), self.dimensions), np.float16)
        blocks, offsets = np.divmod(rows, BLOCK_ROWS)
        for block in np.unique(blocks).tolist():
            chosen = blocks == block
            taken[chosen] = self._blocks[block][offsets[chosen]]
        return taken

    def cosines(self, query: HalfMatrix, start: int, stop: int) -> ScoreArray:
        """Cosine of rows ``start`` to ``stop`` to a question as ``unit_rows`` gives it."""
        parts = [_dot(query, run) for run in self.runs(start, stop)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def cosines_at(self, query: HalfMatrix, rows: IntArray) -> ScoreArray:
        """Cosine of these rows to a question as ``unit_rows`` gives it."""
        return _dot(query, self.take(rows)) if len(rows) else np.zeros(0, np.float32)


def unit_rows(vectors: FloatMatrix | FloatVector, *, dimensions: int) -> HalfMatrix:
    """Vectors scaled to length 1 and rounded, shape ``(n, dimensions)``; one vector gives one row.

    Raises:
        ValueError: another number of dimensions, or a row that holds NaN or an infinity or is zero.
    """
    matrix = np.atleast_2d(np.asarray(vectors, np.float32))
    if matrix.ndim != 2 or matrix.shape[1] != dimensions:
        raise ValueError(f"vectors of {dimensions} dimensions are expected, the shape is {np.shape(vectors)}")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths) & (lengths > 0)):
        raise ValueError("a vector holds NaN or an infinity or is zero")
    unit: HalfMatrix = (matrix / lengths).astype(np.float16)
    return unit


def _dot(query: HalfMatrix, rows: HalfMatrix) -> ScoreArray:
    products = np.asarray(numkong.cdist(query, rows, "dot", threads=1), np.float32).reshape(-1)
    return np.clip(products, -1, 1, out=products)
