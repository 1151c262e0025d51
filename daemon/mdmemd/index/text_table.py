"""Distinct texts with numbers: the term dictionary and the headings of a segment, as arrays.

Format: texts are numbered in the order of their hashes (64 bits of BLAKE2b), so a text is found by a binary
search of one column and a comparison of its bytes; texts of equal hash stand beside each other and are told
apart by their bytes. A text costs its bytes and 12 more, against some 130 in a dict. Numbers mean nothing
outside their table. Frozen; made by the writer, read by any thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import BoolArray, IntArray, run_members
from mdmemd.index.text_arena import TextArena, encoded

HASH_BYTES = 8

HashArray = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class TextTable:
    """A set of texts; ``hashes`` are theirs, ascending."""

    texts: TextArena
    hashes: HashArray

    @classmethod
    def of(cls, texts: Iterable[str]) -> tuple[TextTable, IntArray]:
        """The table of distinct texts, and the number of each of them in the order given."""
        pieces = [encoded(text) for text in texts]
        hashes = _hashes(pieces)
        order = np.argsort(hashes, kind="stable")
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.arange(len(order))
        return cls(TextArena.of_bytes(pieces).take(order), hashes[order]), numbers

    def __len__(self) -> int:
        return len(self.hashes)

    def find(self, text: str) -> int | None:
        """The number of a text, ``None`` where it is not in the table."""
        return self.find_each(HashedTexts.of([text]))[0]

    def find_each(self, wanted: HashedTexts) -> list[int | None]:
        """The number of each text, ``None`` where it is not in the table."""
        first = self.hashes.searchsorted(wanted.hashes, side="left")
        last = self.hashes.searchsorted(wanted.hashes, side="right")
        return [
            next((number for number in range(start, stop) if self.texts.piece(number) == piece), None)
            for piece, start, stop in zip(wanted.pieces, first.tolist(), last.tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True, eq=False)
class HashedTexts:
    """Texts to look up in several tables: their bytes and, uint64 ``(n,)``, the hashes of these."""

    pieces: tuple[bytes, ...]
    hashes: HashArray

    @classmethod
    def of(cls, texts: Iterable[str]) -> HashedTexts:
        """These texts."""
        pieces = tuple(map(encoded, texts))
        return cls(pieces, _hashes(pieces))


def _hashes(pieces: Iterable[bytes]) -> HashArray:
    return np.frombuffer(b"".join(map(text_hash, pieces)), "<u8").astype(np.uint64)


def text_hash(piece: bytes) -> bytes:
    """The hash of an encoded text, little-endian; part of the saved format."""
    return hashlib.blake2b(piece, digest_size=HASH_BYTES).digest()


def merge_tables(parts: Sequence[tuple[TextTable, BoolArray]]) -> tuple[TextTable, list[IntArray]]:
    """One table of the texts of several that their masks keep, and the new number of each kept text.

    Linear in texts and their bytes, and makes no Python object for a text: the hashes are runs in order,
    which a stable sort merges.
    """
    kept = [np.flatnonzero(mask) for _, mask in parts]
    hashes = np.concatenate(
        [np.zeros(0, np.uint64), *(table.hashes[each] for (table, _), each in zip(parts, kept, strict=True))]
    )
    texts = TextArena.joined([table.texts.take(each) for (table, _), each in zip(parts, kept, strict=True)])
    order = np.argsort(hashes, kind="stable")
    is_first = _differs_from_the_one_before(texts, hashes, order)
    if np.any(is_first[1:] & (hashes[order[1:]] == hashes[order[:-1]])):  # different texts of one hash
        order = np.array(sorted(range(len(hashes)), key=lambda n: (hashes[n], texts.piece(n))), np.int64)
        is_first = _differs_from_the_one_before(texts, hashes, order)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(is_first) - 1
    chosen = order[is_first]
    edges = np.cumsum([0, *map(len, kept)])
    merged = [numbers[start:stop] for start, stop in pairwise(edges.tolist())]
    return TextTable(texts.take(chosen), hashes[chosen]), merged


def _differs_from_the_one_before(texts: TextArena, hashes: HashArray, order: IntArray) -> BoolArray:
    """For each text in this order, whether it is another than the one before it."""
    differs = np.ones(len(order), np.bool_)
    left, right = order[:-1], order[1:]
    same = np.flatnonzero(hashes[left] == hashes[right])
    left, right = left[same], right[same]
    lengths = texts.lengths
    is_equal = lengths[left] == lengths[right]
    left, right, same = left[is_equal], right[is_equal], same[is_equal]
    counts = lengths[left]
    left_bytes = texts.data[run_members(texts.starts[left].astype(np.int64), texts.starts[left] + counts)]
    right_bytes = texts.data[run_members(texts.starts[right].astype(np.int64), texts.starts[right] + counts)]
    owners = np.repeat(np.arange(len(left)), counts)
    unequal = np.bincount(owners[left_bytes != right_bytes], minlength=len(left)) > 0
    differs[same[~unequal] + 1] = False
    return differs
