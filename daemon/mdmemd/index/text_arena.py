"""Many texts as one run of bytes: no Python object each.

Format: ``data`` is all texts in UTF-8 (lone surrogates as they come), text ``n`` is the bytes ``starts[n]``
up to ``starts[n + 1]``; the offsets are 32-bit where they fit. A text costs its bytes and 4 more. Frozen;
made by the writer, read by any thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import ByteArray, Int32Array, IntArray, run_members, run_starts

TAKEN_BYTES = 1 << 20
"""Bytes that are copied at once by ``take``, whose index of them is 8 times as large for a moment."""

_OFFSET_MAX = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class TextArena:
    """A sequence of texts."""

    data: ByteArray
    starts: Int32Array | IntArray

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextArena:
        """These texts."""
        return cls.of_bytes([encoded(text) for text in texts])

    @classmethod
    def of_bytes(cls, pieces: Sequence[bytes]) -> TextArena:
        """Texts that are encoded already."""
        lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
        return cls.of_lengths(np.frombuffer(b"".join(pieces), np.uint8), lengths)

    @classmethod
    def of_lengths(cls, data: ByteArray, lengths: IntArray | Int32Array) -> TextArena:
        """Texts of these lengths in bytes, one after another in ``data``."""
        starts = run_starts(lengths)
        return cls(data, starts.astype(np.int32) if starts[-1] <= _OFFSET_MAX else starts)

    @classmethod
    def joined(cls, arenas: Sequence[TextArena]) -> TextArena:
        """The texts of several, one after another."""
        data = np.concatenate([np.zeros(0, np.uint8), *(each.data for each in arenas)])
        return cls.of_lengths(data, np.concatenate([np.zeros(0, np.int64), *(a.lengths for a in arenas)]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return self.piece(number).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    @property
    def lengths(self) -> IntArray:
        """Bytes of each text."""
        return np.diff(self.starts).astype(np.int64)

    def piece(self, number: int) -> bytes:
        """One text, encoded."""
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes()

    def take(self, numbers: IntArray) -> TextArena:
        """These texts, in the order given."""
        lengths = self.lengths[numbers]
        ends = run_starts(lengths)
        data = np.empty(int(ends[-1]), np.uint8)
        first = 0
        while first < len(numbers):
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + TAKEN_BYTES)) - 1)
            chosen = numbers[first:last]
            starts = self.starts[chosen].astype(np.int64)
            members = run_members(starts, starts + lengths[first:last])
            data[ends[first] : ends[last]] = self.data[members]
            first = last
        return TextArena.of_lengths(data, lengths)


def encoded(text: str) -> bytes:
    """The bytes of a text as arenas hold it."""
    return text.encode("utf-8", "surrogatepass")
