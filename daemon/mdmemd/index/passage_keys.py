"""Numbers for the distinct embedded texts of a root, and which of them still lack a vector.

Invariants: a key means one text for ever and is never given to another, so a snapshot that holds old keys
cannot meet a stranger's vector; equal texts share a key however many passages hold it. A key that lost its
last passage is either forgotten or, while its vector is still stored, kept so that the same text finds it
again (a file that moves). A key is lost when it has neither a vector nor its text, as after a restart: it
lacks a vector, is never handed out, and its text gets another key when its file is read again.

Keys stand in pages of ``PAGE_KEYS``, 20 bytes a key plus a table entry for each known one; a page goes when
the last of its keys is forgotten, so memory follows what there is and not what ever was. Writer only.
"""

from __future__ import annotations

from array import array
from itertools import pairwise

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray
from mdmemd.text.content_id import CONTENT_ID_BYTES, content_id

PAGE_KEYS = 1_024

_UNUSED = -1


class _Page:
    """What is known of ``PAGE_KEYS`` keys in a row; ``passages`` is ``_UNUSED`` for those not in use."""

    __slots__ = ("content_ids", "passages", "used")

    def __init__(self) -> None:
        self.passages = array("i", [_UNUSED]) * PAGE_KEYS
        self.content_ids = bytearray(PAGE_KEYS * CONTENT_ID_BYTES)
        self.used = 0

    @classmethod
    def of(cls, offsets: Int32Array, passages: IntArray, content_ids: ByteArray) -> _Page:
        """A page with these keys in use."""
        page = cls()
        np.frombuffer(page.passages, np.int32)[offsets] = passages
        np.frombuffer(page.content_ids, np.uint8).reshape(-1, CONTENT_ID_BYTES)[offsets] = content_ids
        page.used = len(offsets)
        return page


class PassageKeys:
    """Texts to keys, with the number of passages behind each key."""

    def __init__(self) -> None:
        self._keys: dict[bytes, int] = {}
        self._pages: dict[int, _Page] = {}
        self._next = 0
        self._waiting: dict[int, str] = {}
        self._lost: set[int] = set()
        self._most = 0  # entries of _keys since it was last made anew

    @classmethod
    def restored(cls, keys: Int32Array, *, content_ids: ByteArray, has_vector: BoolArray) -> PassageKeys:
        """The keys of an index whose texts are not in memory.

        ``keys`` and ``content_ids`` are those of each live passage. ``has_vector`` is a mask over all keys
        ever given: its length is the next key.
        """
        restored = cls()
        restored._next = len(has_vector)
        used, first, counts = np.unique(keys, return_index=True, return_counts=True)
        identities = np.ascontiguousarray(content_ids[first])
        pages = used // PAGE_KEYS
        numbers, starts = np.unique(pages, return_index=True)
        runs = pairwise([*starts.tolist(), len(used)])
        for number, (start, stop) in zip(numbers.tolist(), runs, strict=True):
            restored._pages[number] = _Page.of(
                used[start:stop] % PAGE_KEYS, counts[start:stop], identities[start:stop]
            )
        known = has_vector[used]
        names = identities[known].view(f"V{CONTENT_ID_BYTES}").reshape(-1).tolist()
        restored._keys = dict(zip(names, used[known].tolist(), strict=True))
        restored._most = len(restored._keys)
        restored._lost = set(used[~known].tolist())
        return restored

    def lose_vectors(self) -> None:
        """All vectors are gone: keys that do not wait, and have passages, are lost; the others forgotten."""
        for key in [key for key in self._keys.values() if key not in self._waiting]:
            if self.passages(key):
                del self._keys[self._content_id(key)]
                self._lost.add(key)
            else:
                self.forget(key)

    def acquire(self, text: str) -> int:
        """The key of a text, for one more passage; an unknown text gets a new key and waits for a vector."""
        identity = content_id(text)
        key = self._keys.get(identity)
        if key is None:
            key = self._next
            self._next += 1
            self._keys[identity] = key
            self._use(key, identity, passages=0)
            self._waiting[key] = text
        self._pages[key // PAGE_KEYS].passages[key % PAGE_KEYS] += 1
        return key

    def release(self, key: int) -> bool:
        """One passage less; returns whether none is left."""
        passages = self._pages[key // PAGE_KEYS].passages
        passages[key % PAGE_KEYS] -= 1
        return passages[key % PAGE_KEYS] == 0

    def forget(self, key: int) -> None:
        """Drop a key without passages: the same text will get another. No key that is in use: nothing."""
        number, offset = divmod(key, PAGE_KEYS)
        page = self._pages.get(number)
        if page is None or page.passages[offset] == _UNUSED:
            return  # dead when it was restored
        identity = self._content_id(key)
        if self._keys.get(identity) == key:  # not of a lost key
            del self._keys[identity]
        self._waiting.pop(key, None)
        self._lost.discard(key)
        page.passages[offset] = _UNUSED
        page.used -= 1
        if not page.used:
            del self._pages[number]

    def shrink(self) -> None:
        """Give memory back after many were forgotten: a dict keeps the room of the most it ever held."""
        if self._most > 2 * len(self._keys) + PAGE_KEYS:
            self._keys = dict(self._keys.items())
            self._most = len(self._keys)
        if not self._waiting:
            self._waiting = {}

    def passages(self, key: int) -> int:
        """How many passages hold the key's text; 0 for a key not in use."""
        page = self._pages.get(key // PAGE_KEYS)
        return max(page.passages[key % PAGE_KEYS], 0) if page is not None else 0

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
        mask = np.zeros(self._next, np.bool_)
        mask[list(self._lost)] = True
        return mask

    def waiting(self, since: int = 0) -> list[tuple[int, str]]:
        """Keys without a vector and their texts, ascending, from key ``since`` on."""
        if since:
            candidates = range(since, self._next)
            return [(key, self._waiting[key]) for key in candidates if key in self._waiting]
        return list(self._waiting.items())

    @property
    def next_key(self) -> int:
        """The key that the next new text will get."""
        return self._next

    def _use(self, key: int, identity: bytes, *, passages: int) -> None:
        number, offset = divmod(key, PAGE_KEYS)
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = _Page()
        page.passages[offset] = passages
        page.content_ids[offset * CONTENT_ID_BYTES : (offset + 1) * CONTENT_ID_BYTES] = identity
        page.used += 1
        self._most = max(self._most, len(self._keys) + 1)

    def _content_id(self, key: int) -> bytes:
        number, offset = divmod(key, PAGE_KEYS)
        ids = self._pages[number].content_ids
        return bytes(ids[offset * CONTENT_ID_BYTES : (offset + 1) * CONTENT_ID_BYTES])
