"""Keys of embedded texts."""

from __future__ import annotations

import tracemalloc

import numpy as np

from mdmemd.index.passage_keys import PAGE_KEYS, PassageKeys
from mdmemd.text.content_id import content_id


def test_equal_texts_share_a_key() -> None:
    keys = PassageKeys()
    assert keys.acquire("a") == keys.acquire("a")
    assert keys.acquire("b") != keys.acquire("a")
    assert keys.passages(keys.acquire("a")) == 4
    assert keys.waiting() == [(0, "a"), (1, "b")]


def test_a_key_is_never_given_to_another_text() -> None:
    keys = PassageKeys()
    first = keys.acquire("a")
    assert keys.release(first)
    keys.forget(first)
    assert keys.acquire("b") != first
    assert keys.acquire("a") != first
    assert not keys.is_waiting(first)
    assert keys.passages(first) == 0


def test_an_embedded_text_waits_no_more_and_keeps_its_key() -> None:
    keys = PassageKeys()
    key = keys.acquire("a")
    keys.embedded(key)
    assert keys.release(key)
    assert keys.acquire("a") == key
    assert keys.waiting() == []


def test_waiting_since() -> None:
    keys = PassageKeys()
    keys.acquire("a")
    since = keys.next_key
    keys.acquire("b")
    keys.acquire("a")
    assert keys.waiting(since) == [(1, "b")]


def test_a_key_never_given_has_no_passages() -> None:
    assert PassageKeys().passages(3) == 0
    assert PassageKeys().passages(-1) == 0


def test_memory_follows_what_is_there_and_not_what_ever_was() -> None:
    """T12: 24 bytes stayed for each key ever given."""
    keys = PassageKeys()
    tracemalloc.start()
    try:
        sizes = []
        for turn in range(8):
            given = [keys.acquire(f"{turn} {number}") for number in range(4_000)]
            for key in given:
                keys.embedded(key)
            for key in given[1:]:
                assert keys.release(key)
                keys.forget(key)
            keys.shrink()
            del given
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert keys.next_key == 8 * 4_000
    assert len(keys._pages) <= 8
    assert sizes[-1] - sizes[0] < 8 * 24 * PAGE_KEYS
    assert [keys.passages(4_000 * turn) for turn in range(8)] == [1] * 8


def test_restored_keys_are_found_by_their_texts_over_many_pages() -> None:
    texts = [f"text {number}" for number in range(3 * PAGE_KEYS)]
    numbers = np.arange(len(texts), dtype=np.int32) * 2
    has_vector = np.zeros(2 * len(texts), np.bool_)
    has_vector[numbers[1:]] = True
    ids = np.frombuffer(b"".join(map(content_id, texts)), np.uint8).reshape(-1, 16)
    twice = np.concatenate([numbers, numbers[5:6]])
    keys = PassageKeys.restored(twice, content_ids=np.concatenate([ids, ids[5:6]]), has_vector=has_vector)
    assert (keys.passages(0), keys.passages(10), keys.passages(1)) == (1, 2, 0)
    assert [keys.acquire(text) for text in texts[1:]] == numbers[1:].tolist()
    assert keys.lacks_vector(0)
    assert keys.acquire(texts[0]) == keys.next_key - 1
    keys.forget(1)
    assert keys.release(12) is False
    assert keys.release(12) is True
    keys.forget(12)
    assert keys.acquire(texts[6]) == keys.next_key - 1


def test_losing_vectors_forgets_what_no_passage_holds() -> None:
    keys = PassageKeys()
    held, gone, waits = keys.acquire("held"), keys.acquire("gone"), keys.acquire("waits")
    keys.embedded(held)
    keys.embedded(gone)
    keys.release(gone)
    keys.lose_vectors()
    assert keys.lacks_vector(held)
    assert not keys.is_waiting(held)
    assert keys.acquire("waits") == waits
    assert len({keys.acquire("held"), keys.acquire("gone"), held, gone, waits}) == 5
