"""Numbers for the distinct embedded texts of a root, and which of them still lack a vector.

Invariants: a key means one text for ever and is never given to another, so a snapshot that holds old keys
cannot meet a stranger's vector; equal texts share a key however many passages hold it. A key that lost its
last passage is either forgotten or, while its vector is still stored, kept so that the same text finds it
again (a file that moves). Costs 20 bytes for each key ever given, plus a table entry for each known one.
Writer only.
"""

from __future__ import annotations

from array import array

from mdmemd.index.embedded_text import CONTENT_ID_BYTES, content_id


class PassageKeys:
    """Texts to keys, with the number of passages behind each key."""

    def __init__(self) -> None:
        self._keys: dict[bytes, int] = {}
        self._content_ids = bytearray()
        self._passages = array("i")
        self._waiting: dict[int, str] = {}

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
        del self._keys[bytes(self._content_ids[start : start + CONTENT_ID_BYTES])]
        self._waiting.pop(key, None)

    def passages(self, key: int) -> int:
        """How many passages hold the key's text; 0 for a key never given."""
        return self._passages[key] if 0 <= key < len(self._passages) else 0

    def embedded(self, key: int) -> None:
        """The key has its vector now."""
        del self._waiting[key]

    def is_waiting(self, key: int) -> bool:
        """Whether the key lacks a vector."""
        return key in self._waiting

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
