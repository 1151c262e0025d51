"""Arrays and texts one after another: the body of a piece. Pure.

Format of a column, little-endian: 4 bytes numpy's name of the type, padded with spaces (one of ``TYPES``); 4
bytes number of axes; 8 bytes for each axis; the values in C order; zeros up to a multiple of 8 bytes. Texts
are two columns: the lengths in bytes (``<i4``), and all of them joined in UTF-8 (``|u1``; lone surrogates as
they come). A table of texts is its texts and their hashes (``<u8``), as ``index.text_table`` has them. A body
has no other structure: which columns it has is the codec's to know.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mdmemd.index.text_arena import TextArena
from mdmemd.index.text_table import TextTable
from mdmemd.ports import ReadableBuffer
from mdmemd.store.piece import PieceError

TYPES = ("|u1", "<i4", "<i8", "<u8", "<f2")
ALIGNMENT = 8

_HEAD = struct.Struct("<4sI")


class ColumnWriter:
    """Collects the parts of a body; arrays of the right byte order are not copied."""

    def __init__(self) -> None:
        self.parts: list[ReadableBuffer] = []

    def array(self, dtype: str, *pieces: npt.NDArray[Any]) -> None:
        """One array, or several that follow on each other along the first axis."""
        assert dtype in TYPES
        arrays = [np.ascontiguousarray(piece, dtype) for piece in pieces]
        shape = (sum(len(array) for array in arrays), *arrays[0].shape[1:])
        head = _HEAD.pack(dtype.encode().ljust(4), len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        self.parts.append(head)
        self.parts.extend(array.reshape(-1).view(np.uint8).data for array in arrays if array.size)
        self.parts.append(bytes(-sum(array.nbytes for array in arrays) % ALIGNMENT))

    def texts(self, texts: Sequence[str]) -> None:
        """Any texts."""
        self.arena(TextArena.of(texts))

    def arena(self, arena: TextArena) -> None:
        """Texts that stand in an arena."""
        self.array("<i4", arena.lengths)
        self.array("|u1", arena.data)

    def table(self, table: TextTable) -> None:
        """Distinct texts by number."""
        self.arena(table.texts)
        self.array("<u8", table.hashes)


class ColumnReader:
    """Takes the columns of a body in order. Raises ``PieceError`` where they are not as expected."""

    def __init__(self, body: memoryview) -> None:
        self._body = body
        self._offset = 0

    def array(self, dtype: str, *shape: int, copy: bool = True) -> npt.NDArray[Any]:
        """The next column in native byte order; -1 in ``shape`` is any length.

        Without ``copy`` it keeps the body in memory, for a caller that copies it anyway.
        """
        try:
            name, axes = _HEAD.unpack_from(self._body, self._offset)
            found = struct.unpack_from(f"<{axes}Q", self._body, self._offset + _HEAD.size)
        except struct.error as error:
            raise PieceError("a column is cut off") from error
        fits = len(found) == len(shape) and all(
            want in (-1, have) for want, have in zip(shape, found, strict=True)
        )
        if name.decode("ascii", "replace").rstrip() != dtype or not fits:
            raise PieceError("a column is not the one expected")
        start = self._offset + _HEAD.size + 8 * axes
        count = int(np.prod(found, dtype=np.int64))
        end = start + count * np.dtype(dtype).itemsize
        if end > len(self._body):
            raise PieceError("a column is cut off")
        self._offset = end + -(end - start) % ALIGNMENT
        values = np.frombuffer(self._body[start:end], dtype).reshape(found)
        return values.astype(np.dtype(dtype).newbyteorder("="), copy=copy)

    def texts(self) -> list[str]:
        """The next texts, each by itself."""
        return list(self.arena())

    def arena(self) -> TextArena:
        """The next texts."""
        lengths = self.array("<i4", -1)
        data = self.array("|u1", -1)
        if int(lengths.sum(dtype=np.int64)) != len(data) or (lengths < 0).any():
            raise PieceError("texts do not fit their lengths")
        return TextArena.of_lengths(data, lengths)

    def table(self) -> TextTable:
        """The next table of texts."""
        texts = self.arena()
        return TextTable(texts, self.array("<u8", len(texts)))

    def end(self) -> None:
        """Check that nothing is left."""
        if self._offset != len(self._body):
            raise PieceError("there is more in it than expected")
