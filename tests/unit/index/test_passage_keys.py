"""Keys of embedded texts."""

from __future__ import annotations

from mdmemd.index.passage_keys import PassageKeys


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
