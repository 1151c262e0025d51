"""The cosines of one question to the vectors of one root, of which a scan of all is made at most once.

What is asked for one by one after a scan is looked up in it: the candidates of a question, then the passages
of its page. A row's cosine is the same whether it was computed in a scan or alone. Made for one question on
its query thread, and kept by its ``Scope`` as long as that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray, ScoreArray
from mdmemd.index.vector_rows import unit_rows
from mdmemd.index.vectors import VectorView
from mdmemd.model import FloatVector


class QuestionCosines:
    """The question's ``vector``, float32 ``(dimensions,)``, against a view.

    Where that has no vectors, a question of any model is welcome; else one of other dimensions is a
    ``ValueError``.
    """

    def __init__(self, view: VectorView, vector: FloatVector) -> None:
        self.vector = vector
        self._view = view
        self._query = unit_rows(vector, dimensions=view.rows.dimensions) if view.count else None
        self._scan: ScoreArray | None = None

    def ranked(self, *, count: int) -> Iterator[tuple[Int32Array, ScoreArray]]:
        """Keys and cosines, best first: ever longer rankings, each in place of the one before.

        The last one is complete. The first is about twice ``count`` long, for those that the caller cannot
        use. None ends between equal cosines (but where a graph was asked), which are in order of arrival.
        """
        view, query = self._view, self._query
        if query is None:
            yield np.zeros(0, np.int32), np.zeros(0, np.float32)
            return
        length = max(2 * count, 1)
        near = view.near(query, length)
        if near is not None:
            slots = np.concatenate([near, np.arange(view.graph_rows, view.count)])
            tail = view.rows.cosines(query, view.graph_rows, view.count)
            yield self._ranking(slots, np.concatenate([view.rows.cosines_at(query, near), tail]), length)
        if self._scan is None:
            self._scan = view.rows.cosines(query, 0, view.count)
        every_slot = np.arange(view.count)
        while length < view.count:
            yield self._ranking(every_slot, self._scan, length)
            length *= 4
        yield self._ranking(every_slot, self._scan, view.count)

    def of(self, keys: Int32Array) -> ScoreArray:
        """Cosine of each key's vector, float32, NaN where it has none."""
        cosines = np.full(len(keys), np.nan, np.float32)
        if self._query is None:
            return cosines
        slots = self._view.slots.find(keys)
        visible = (slots >= 0) & (slots < self._view.count)
        found = slots[visible].astype(np.int64)
        cosines[visible] = (
            self._view.rows.cosines_at(self._query, found) if self._scan is None else self._scan[found]
        )
        return cosines

    def _ranking(self, slots: IntArray, cosines: ScoreArray, length: int) -> tuple[Int32Array, ScoreArray]:
        if length < len(cosines):
            edge = np.partition(cosines, len(cosines) - length)[len(cosines) - length]
            chosen = np.flatnonzero(cosines >= edge)
            slots, cosines = slots[chosen], cosines[chosen]
        order = np.lexsort((slots, -cosines))
        return self._view.keys[slots[order]], cosines[order]
