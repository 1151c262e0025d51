"""Array types of the index, and runs of consecutive numbers in them.

A column of runs is kept as ``starts``, shape ``(n + 1,)``: run ``i`` is ``starts[i]`` up to but not including
``starts[i + 1]``. Pure functions, called on any thread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
ByteArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]
ScoreArray = npt.NDArray[np.float32]


def run_starts(counts: IntArray | Int32Array | list[int]) -> IntArray:
    """Starts of runs of these lengths, shape ``(len(counts) + 1,)``."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def run_members(starts: IntArray, stops: IntArray) -> IntArray:
    """All numbers of the half-open runs ``[starts[i], stops[i])``, run after run."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)
