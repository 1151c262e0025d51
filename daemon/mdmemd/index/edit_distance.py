"""How many edits lead from one word to each of many, all computed at once.

An edit inserts, removes or replaces a character, or exchanges two neighbours; no character is edited twice
(optimal string alignment: Damerau 1964, "A technique for computer detection and correction of spelling
errors"; the recurrence is that of Wagner and Fischer 1974 with the exchange added). Only the cells of the
table that few edits can reach are computed. Pure; called on query threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mdmemd.index.arrays import ByteArray


def edit_distances(word: str, others: Sequence[str], *, most: int) -> ByteArray:
    """The edits from ``word`` to each of the others, uint8; ``most + 1`` means that or more."""
    far = most + 1
    lengths = np.fromiter(map(len, others), np.int64, len(others))
    width = max(len(word), int(lengths.max(initial=0))) + most + 1
    columns = np.array(others, f"<U{width}").view("<u4").reshape(len(others), width).T.copy()
    codes = [np.uint32(ord(each)) for each in word]
    before = last = np.full((len(columns) + 1, len(others)), far, np.uint8)
    row = last.copy()
    row[: most + 1] = np.arange(most + 1, dtype=np.uint8)[:, None]
    for i, code in enumerate(codes, start=1):
        before, last, row = last, row, np.full_like(row, far)
        if i <= most:
            row[0] = i
        for j in range(max(1, i - most), i + most + 1):
            cell = last[j - 1] + (columns[j - 1] != code)
            np.minimum(cell, last[j] + 1, out=cell)
            np.minimum(cell, row[j - 1] + 1, out=cell)
            if i > 1 and j > 1:
                is_exchanged = (columns[j - 1] == codes[i - 2]) & (columns[j - 2] == code)
                np.minimum(cell, np.where(is_exchanged, before[j - 2] + 1, far), out=cell)
            np.minimum(cell, far, out=row[j])
    distances: ByteArray = row[lengths, np.arange(len(others))]
    return distances
