"""The documents of a segment by the code that the ids of their sections begin with (``text.section_id``).

Made when an id is first looked for in the segment, 1 µs a document, and kept as long as it, 6 bytes a
document; a segment never changes, so each path is hashed once however often ids are looked for. Threads that
race there make the same. Read by any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import Int32Array
from mdmemd.text.section_id import path_code


class PathCodes:
    """See the module; ``paths`` are those of the documents 0, 1, ..."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def documents(self, code: int) -> list[int]:
        """Numbers of the documents whose paths have this code, ascending."""
        codes, numbers = self._sorted
        first, last = np.searchsorted(codes, [code, code + 1]).tolist()
        found: list[int] = numbers[first:last].tolist()
        return found

    @cached_property
    def _sorted(self) -> tuple[npt.NDArray[np.uint16], Int32Array]:
        """The codes ascending, and the document of each."""
        codes = np.fromiter(map(path_code, self._paths), np.uint16, len(self._paths))
        order = np.argsort(codes, kind="stable").astype(np.int32)
        return codes[order], order
