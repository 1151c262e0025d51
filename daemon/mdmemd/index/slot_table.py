"""From keys to slots, for keys that count up for ever while those in use change.

Format: keys in pages of ``PAGE_KEYS``; ``rows`` says which row of ``pages`` holds a page, -1 for none. A page
is made when a key of it is first set, so a table made anew for the keys that are left costs what these take
(4 bytes a key and as much for its neighbours in a page), not what was ever given.

The writer sets; a view may be read by any thread meanwhile: a key is set once, and a table that outgrows its
arrays leaves those of its views behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import Int32Array

PAGE_BITS = 10
PAGE_KEYS = 1 << PAGE_BITS


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slots of a moment."""

    rows: Int32Array
    pages: npt.NDArray[np.int32]

    def find(self, keys: Int32Array) -> Int32Array:
        """The slot of each key, -1 where it has none."""
        found = np.full(len(keys), -1, np.int32)
        pages, offsets = keys >> PAGE_BITS, keys & (PAGE_KEYS - 1)  # a fifth of what ``divmod`` takes
        known = np.flatnonzero(pages < len(self.rows))
        rows = self.rows[pages[known]]
        # Pages that came after this moment may stand in ``rows`` already: it is shared until it is outgrown.
        is_page = (rows >= 0) & (rows < len(self.pages))
        known, rows = known[is_page], rows[is_page]
        found[known] = self.pages[rows, offsets[known]]
        return found


class SlotTable:
    """Grows; writer only."""

    def __init__(self) -> None:
        self._rows = np.zeros(0, np.int32)
        self._pages = np.zeros((0, PAGE_KEYS), np.int32)
        self._used = 0

    def set(self, keys: Int32Array, slots: Int32Array) -> None:
        """Give keys, of which none has one, their slots."""
        pages, offsets = np.divmod(keys, PAGE_KEYS)
        last = int(pages.max(initial=-1))
        if last >= len(self._rows):
            rows = np.full(max(last + 1, 2 * len(self._rows)), -1, np.int32)
            rows[: len(self._rows)] = self._rows
            self._rows = rows
        new = np.unique(pages[self._rows[pages] < 0])
        if self._used + len(new) > len(self._pages):
            grown = np.full((max(self._used + len(new), 2 * len(self._pages)), PAGE_KEYS), -1, np.int32)
            grown[: self._used] = self._pages[: self._used]
            self._pages = grown
        self._rows[new] = np.arange(self._used, self._used + len(new), dtype=np.int32)
        self._used += len(new)
        self._pages[self._rows[pages], offsets] = slots

    def slot(self, key: int) -> int:
        """The slot of a key, -1 where it has none."""
        page, offset = divmod(key, PAGE_KEYS)
        row = int(self._rows[page]) if page < len(self._rows) else -1
        return int(self._pages[row, offset]) if row >= 0 else -1

    def view(self) -> Slots:
        """The table of now, in which later keys may turn up."""
        return Slots(self._rows, self._pages)
