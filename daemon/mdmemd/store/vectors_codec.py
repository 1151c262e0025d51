"""A run of vectors to the body of a piece and back, and which runs to write. Pure.

Columns: keys (``<i4``, n) and unit vectors (``<f2``, n x dimensions), in the order of their slots.

Rows are only ever appended to a matrix, so a run that was written stays true. A new run takes those before it
in that are no longer than what it holds by then: runs shorten towards the end, there are O(log n) of them,
and a vector is written O(log n) times.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmemd.index.arrays import Int32Array
from mdmemd.index.vector_rows import HalfMatrix
from mdmemd.index.vectors import VectorView
from mdmemd.ports import ReadableBuffer
from mdmemd.store.columns import ColumnReader, ColumnWriter

RUN_ROWS_MAX = 65_536
"""48 MiB at 384 dimensions: no longer run is made by joining."""


def plan_runs(saved: Sequence[range], count: int) -> list[range]:
    """The runs of a matrix of ``count`` rows, of which ``saved`` are on disk: some of them, and new ones."""
    runs = list(saved)
    start = runs[-1].stop if runs else 0
    if start == count:
        return runs
    while runs and len(runs[-1]) <= count - start and len(runs[-1]) + count - start <= RUN_ROWS_MAX:
        start = runs.pop().start
    runs.extend(range(first, min(first + RUN_ROWS_MAX, count)) for first in range(start, count, RUN_ROWS_MAX))
    return runs


def encode_vectors(view: VectorView, run: range) -> list[ReadableBuffer]:
    """The body of a run's piece; the rows are not copied."""
    writer = ColumnWriter()
    writer.array("<i4", view.keys[run.start : run.stop])
    writer.array("<f2", *view.rows.runs(run.start, run.stop))
    return writer.parts


def decode_vectors(body: memoryview, *, dimensions: int) -> tuple[Int32Array, HalfMatrix]:
    """Keys and unit vectors. Raises ``PieceError``."""
    reader = ColumnReader(body)
    keys = reader.array("<i4", -1)
    rows = reader.array("<f2", len(keys), dimensions, copy=False)
    reader.end()
    return keys, rows
