"""Numbers for the distinct embedded texts of a root, and which of them still lack a vector.

Invariants: a key means one text for ever and is never given to another, so a snapshot that holds old keys
cannot meet a stranger's vector; equal texts share a key however many passages hold it. A key that lost its
last passage is either forgotten or, while its vector is still stored, kept so that the same text finds it
again (a file that moves). A key is lost when it has neither a vector nor its text, as after a restart: it
lacks a vector, is never handed out, and its text gets another key when its file is read again. Costs 20 bytes
for each key ever given, plus a table entry for each known one. Writer only.
"""

from __future__ import annotations

from array import array

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array
from mdmemd.text.content_id import CONTENT_ID_BYTES, content_id


class PassageKeys:
    """Texts to keys, with the number of passages behind each key."""

    def __init__(self) -> None:
        self._keys: dict[bytes, int] = {}
        self._content_ids = bytearray()
        self._passages = array("i")
        self._waiting: dict[int, str] = {}
        self._lost: set[int] = set()

    @classmethod
    def restored(cls, keys: Int32Array, *, content_ids: ByteArray, has_vector: BoolArray) -> PassageKeys:
        """The keys of an index whose texts are not in memory.

        ``keys`` and ``content_ids`` are those of each live passage. ``has_vector`` is a mask over all keys
        ever given: its length is the next key.
        """
        restored = cls()
        identities = np.zeros((len(has_vector), CONTENT_ID_BYTES), np.uint8)
        identities[keys] = content_ids
        counts = np.bincount(keys, minlength=len(has_vector))
        restored._content_ids = bytearray(identities.tobytes())
        restored._passages = array("i", counts.astype(np.int32).tobytes())
        known = np.flatnonzero((counts > 0) & has_vector)
        packed = identities[known].tobytes()
        for position, key in enumerate(known.tolist()):
            restored._keys[packed[position * CONTENT_ID_BYTES : (position + 1) * CONTENT_ID_BYTES]] = key
        restored._lost.update(np.flatnonzero((counts > 0) & ~has_vector).tolist())
        return restored

    def lose_vectors(self) -> None:
        """All vectors are gone: keys that do not wait, and have passages, are lost; the others forgotten."""
        for identity, key in list(self._keys.items()):
            if key not in self._waiting:
                del self._keys[identity]
                if self._passages[key]:
                    self._lost.add(key)

    def acquire(self, text: str) -> int:
        """The key of a text, for one more passage; an unknown text gets a new key and waits for a vector."""
        identity = content_id(text)
        key = self._keys.get(identity)
        if key is None:
            key = len(self._passages)
            self._keys[identity] = key
            self._content_ids += identity
            self._passages.append(0)
            self._waiting[key] = text
        self._passages[key] += 1
        return key

    def release(self, key: int) -> bool:
        """One passage less; returns whether none is left."""
        self._passages[key] -= 1
        return self._passages[key] == 0

    def forget(self, key: int) -> None:
        """Drop a key without passages: the same text will get another."""
        start = key * CONTENT_ID_BYTES
        identity = bytes(self._content_ids[start : start + CONTENT_ID_BYTES])
        if self._keys.get(identity) == key:  # not of a lost key, and of no dead one after a restart
            del self._keys[identity]
        self._waiting.pop(key, None)
        self._lost.discard(key)

    def passages(self, key: int) -> int:
        """How many passages hold the key's text; 0 for a key never given."""
        return self._passages[key] if 0 <= key < len(self._passages) else 0

    def embedded(self, key: int) -> None:
        """The key has its vector now."""
        del self._waiting[key]

    def is_waiting(self, key: int) -> bool:
        """Whether the key waits for the vector of its text."""
        return key in self._waiting

    def lacks_vector(self, key: int) -> bool:
        """Whether the key waits for its vector or is lost."""
        return key in self._waiting or key in self._lost

    def lost(self) -> BoolArray:
        """Mask over all keys ever given of those that are lost."""
        mask = np.zeros(len(self._passages), np.bool_)
        mask[list(self._lost)] = True
        return mask

    def waiting(self, since: int = 0) -> list[tuple[int, str]]:
        """Keys without a vector and their texts, ascending, from key ``since`` on."""
        if since:
            candidates = range(since, len(self._passages))
            return [(key, self._waiting[key]) for key in candidates if key in self._waiting]
        return list(self._waiting.items())

    @property
    def next_key(self) -> int:
        """The key that the next new text will get."""
        return len(self._passages)
