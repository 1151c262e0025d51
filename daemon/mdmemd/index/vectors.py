"""The vectors of one root: an exact scan of few, an HNSW graph beyond. The only importer of usearch.

A vector has a slot, counted up as vectors arrive and never reused; ``VectorRows`` holds it. Past
``EXACT_ROWS_MAX`` slots a graph is built over them, a few slots with each call of ``tidy``; the slots not yet
in the graph are scanned exactly, so vectors are found as soon as they are added. Nothing is ever removed from
a graph or replaced in it (that costs recall): dead slots stay until they are more than ``DEAD_SHARE`` of all,
then a successor with the living ones is built beside it, again a few with each ``tidy``, and takes its place.
Keys with a dead slot can come back to life until the successor has passed them over.

Which calls may overlap: the writer calls ``VectorStore``; any number of threads call ``VectorView``
meanwhile. usearch's binding (2.26.6) holds a mutex of the index in each ``add`` and ``search``, growing
included, and releases the interpreter lock; so a search waits for the add in progress, and adds are made in
batches of ``GRAPH_BATCH_ROWS``, under a millisecond each. The graph holds pointers into ``VectorRows``, whose
rows never move. What is saved are the rows and their keys (``store``), never the graph: after a restart all
slots are scanned exactly, while ``tidy`` builds the graph anew. usearch's own file format is not used.

Why an answer stays consistent with its snapshot: a view knows the number of slots at its moment (``count``)
and how many of these were in the graph (``graph_rows``). Rows are written once. Slots of later vectors are at
or above ``count`` and are left out wherever they turn up; a slot that entered the graph later is found by the
exact scan and left out of the graph's answer, which is asked for more then. A successor is another object; a
view keeps the one it was made from. Cosines are always computed from the rows, never taken from the graph. So
below ``EXACT_ROWS_MAX`` a view answers identically for ever; above, which vectors it may see and their
cosines are fixed, while which of them the approximate graph finds can vary as it grows.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import BoolArray, Int32Array, IntArray, ScoreArray
from mdmemd.index.slot_table import Slots, SlotTable
from mdmemd.index.vector_rows import HalfMatrix, RowsOrigin, VectorRows, unit_rows
from mdmemd.model import FloatVector

# usearch's Linux wheel exports the unique symbols of a C++ runtime of its own. Loaded first, they replace
# those of the shared one, and importing onnxruntime later ends the process (onnxruntime 1.32).
if sys.platform == "linux":
    with contextlib.suppress(OSError):
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)

from usearch.index import Index as UsearchIndex  # after the C++ runtime

EXACT_ROWS_MAX = 65_536
"""Measured at 384 dimensions on one core: the scan of so many takes 2.0 ms, about what a search of the graph
takes; but a graph is not exact and takes 10 s or more to build after each start.
"""

GRAPH_BATCH_ROWS = 2
"""At 0.2 ms a row a search waits 0.4 ms for an add; larger batches build hardly faster."""

EXPANSION_ADD = 64
EXPANSION_SEARCH = 384
"""usearch's defaults are 128 and 64. A search for n neighbours expands at least n.

The graph is built again at each start, so it is built cheaply and searched thoroughly. Over 30,000 clustered
vectors, on two busy cores: 0.30 ms a row, 2.8 ms a search and a recall of .93 of the best 100; with 128 and
128: 0.58 ms, 2.0 ms and .87.
"""

DEAD_SHARE = 0.25
DEAD_MIN = 1_024
COPY_ROWS = 4_096
"""Rows copied to a successor by one ``tidy`` where it needs no graph: about 2 ms."""


@dataclass(frozen=True, slots=True, eq=False)
class VectorView:
    """The vectors of a root at one moment; see the module for what stays fixed.

    Attributes:
        rows: shared with the writer; those below ``count`` are fixed.
        keys: key of each slot.
        slots: slot of each key.
        count: slots of this view.
        graph: over at least the first ``graph_rows`` slots.
        graph_rows: slots of this view that are searched through the graph.
    """

    rows: VectorRows
    keys: Int32Array
    slots: Slots
    count: int
    graph: UsearchIndex | None
    graph_rows: int

    def ranked(self, vector: FloatVector, *, count: int) -> Iterator[tuple[Int32Array, ScoreArray]]:
        """Keys and cosines, best first: ever longer rankings, each in place of the one before.

        The last one is complete. The first is about twice ``count`` long, for those that the caller cannot
        use. None ends between equal cosines (but where a graph was asked), which are in order of arrival.
        Where there are none, a question of any model is welcome.
        """
        if not self.count:
            yield np.zeros(0, np.int32), np.zeros(0, np.float32)
            return
        query = unit_rows(vector, dimensions=self.rows.dimensions)
        length = max(2 * count, 1)
        near = self._near(query, length)
        if near is not None:
            slots = np.concatenate([near, np.arange(self.graph_rows, self.count)])
            tail = self.rows.cosines(query, self.graph_rows, self.count)
            yield self._ranking(slots, np.concatenate([self.rows.cosines_at(query, near), tail]), length)
        cosines = self.rows.cosines(query, 0, self.count)
        every_slot = np.arange(self.count)
        while length < self.count:
            yield self._ranking(every_slot, cosines, length)
            length *= 4
        yield self._ranking(every_slot, cosines, self.count)

    def cosines(self, vector: FloatVector, keys: Int32Array) -> ScoreArray:
        """Cosine of each key's vector to the question, NaN where it has none."""
        cosines = np.full(len(keys), np.nan, np.float32)
        if not self.count:
            return cosines
        query = unit_rows(vector, dimensions=self.rows.dimensions)
        slots = self.slots.find(keys)
        visible = (slots >= 0) & (slots < self.count)
        cosines[visible] = self.rows.cosines_at(query, slots[visible].astype(np.int64))
        return cosines

    def has(self, keys: Int32Array) -> BoolArray:
        """Mask of the keys that have a vector."""
        slots = self.slots.find(keys)
        found: BoolArray = (slots >= 0) & (slots < self.count)
        return found

    def _near(self, query: HalfMatrix, length: int) -> IntArray | None:
        """The ``length`` slots that the graph finds nearest, of those it had at this view's moment.

        ``None`` where a scan of everything serves better: there is no graph, it holds hardly more than is
        wanted, or later vectors took most places.
        """
        if self.graph is None or length >= self.graph_rows:
            return None
        for wanted in (length, 4 * length):
            found = np.asarray(self.graph.search(query[0], wanted, threads=1).keys).astype(np.int64)
            found = found[found < self.graph_rows]
            if len(found) >= length:
                return found[:length]
        return None

    def _ranking(self, slots: IntArray, cosines: ScoreArray, length: int) -> tuple[Int32Array, ScoreArray]:
        if length < len(cosines):
            edge = np.partition(cosines, len(cosines) - length)[len(cosines) - length]
            chosen = np.flatnonzero(cosines >= edge)
            slots, cosines = slots[chosen], cosines[chosen]
        order = np.lexsort((slots, -cosines))
        return self.keys[slots[order]], cosines[order]


class VectorStore:
    """The vectors of one root by key; writer only. A key is added once and means the same vector for ever."""

    def __init__(self, *, dimensions: int, origin: RowsOrigin | None = None) -> None:
        self._dimensions = dimensions
        self._current = _Generation(dimensions, origin)
        self._successor: _Generation | None = None
        self._copied = 0
        self._dead: set[int] = set()

    def add(self, keys: Int32Array, vectors: HalfMatrix) -> None:
        """Add vectors of keys that have none yet."""
        self._current.append(keys, vectors)

    def discard(self, key: int) -> None:
        """The key has no passages any more; its vector stays until ``tidy`` says that it is gone."""
        self._dead.add(key)

    def revive(self, key: int) -> None:
        """A discarded key, of which ``tidy`` has not said that it is gone, has passages again."""
        self._dead.remove(key)

    def tidy(self, *, rows: int) -> list[int]:
        """Put up to ``rows`` vectors into graphs, and go on with a successor where one is due.

        Returns the dead keys that a successor leaves behind: these may never be revived. A few at a time,
        since whoever knows them has work with each.
        """
        self._current.extend_graph(rows)
        if self._successor is None:
            if not self._is_worn:
                return []
            self._successor, self._copied = _Generation(self._dimensions), 0
        successor = self._successor
        copied = rows if len(self._current) > EXACT_ROWS_MAX else COPY_ROWS
        gone = self._copy(successor, min(self._copied + copied, len(self._current)))
        successor.extend_graph(rows)
        if self._copied == len(self._current) and successor.outside_graph <= EXACT_ROWS_MAX:
            self._current, self._successor = successor, None
            self._dead = set(self._dead)  # a set keeps the room of the most it ever held
        return gone

    @property
    def is_tidy(self) -> bool:
        """Whether ``tidy`` has nothing to do."""
        return self._successor is None and not self._is_worn and not self._current.lacks_graph_rows

    @property
    def _is_worn(self) -> bool:
        return len(self._dead) > max(DEAD_MIN, DEAD_SHARE * len(self._current))

    def view(self) -> VectorView:
        """The vectors of this moment."""
        return self._current.view()

    def _copy(self, successor: _Generation, stop: int) -> list[int]:
        """Take over the slots up to ``stop`` whose keys are alive; returns the other keys."""
        slots = np.arange(self._copied, stop)
        keys = self._current.keys_of(slots)
        gone = [key for key in keys.tolist() if key in self._dead]
        is_alive = np.isin(keys, gone, invert=True)
        successor.append(keys[is_alive], self._current.rows.take(slots[is_alive]))
        self._dead.difference_update(gone)
        self._copied = stop
        return gone


class _Generation:
    """Vectors by slot and, past ``EXACT_ROWS_MAX``, the graph over the first of them; writer only."""

    def __init__(self, dimensions: int, origin: RowsOrigin | None = None) -> None:
        self.rows = VectorRows(dimensions=dimensions, origin=origin)
        self._keys = np.zeros(0, np.int32)
        self._slots = SlotTable()
        self._graph: UsearchIndex | None = None
        self._graph_rows = 0

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def outside_graph(self) -> int:
        """Slots that are scanned exactly."""
        return len(self) - self._graph_rows

    @property
    def lacks_graph_rows(self) -> bool:
        """Whether ``extend_graph`` has something to do."""
        return self.outside_graph > (EXACT_ROWS_MAX if self._graph is None else 0)

    def slot(self, key: int) -> int:
        """The slot of a key, -1 where it has none."""
        return self._slots.slot(key)

    def keys_of(self, slots: IntArray) -> Int32Array:
        """The keys of these slots."""
        return self._keys[slots]

    def append(self, keys: Int32Array, vectors: HalfMatrix) -> None:
        """Give each key the next slot."""
        if not len(keys):
            return
        first = len(self)
        self._keys = _grown(self._keys, first + len(keys))
        self._keys[first : first + len(keys)] = keys
        self.rows.append(vectors)
        self._slots.set(keys, np.arange(first, first + len(keys), dtype=np.int32))

    def extend_graph(self, rows: int) -> None:
        """Put up to ``rows`` more slots into the graph, where there are enough slots for one."""
        if self._graph is None:
            if len(self) <= EXACT_ROWS_MAX:
                return
            self._graph = UsearchIndex(
                ndim=self.rows.dimensions,
                metric="cos",
                dtype="f16",
                expansion_add=EXPANSION_ADD,
                expansion_search=EXPANSION_SEARCH,
            )
        stop = min(self._graph_rows + rows, len(self))
        while self._graph_rows < stop:
            last = min(self._graph_rows + GRAPH_BATCH_ROWS, stop)
            run = next(self.rows.runs(self._graph_rows, last))
            slots = np.arange(self._graph_rows, self._graph_rows + len(run), dtype=np.uint64)
            self._graph.add(slots, run, copy=False, threads=1)
            self._graph_rows += len(run)

    def view(self) -> VectorView:
        """The state of now."""
        return VectorView(self.rows, self._keys, self._slots.view(), len(self), self._graph, self._graph_rows)


def _grown(column: Int32Array, size: int) -> Int32Array:
    """A column of at least ``size`` entries, new ones -1; views keep the old one."""
    if size <= len(column):
        return column
    grown = np.full(max(size, 2 * len(column), 1_024), -1, np.int32)
    grown[: len(column)] = column
    return grown
