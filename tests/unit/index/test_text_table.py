"""Distinct texts by number, found by their hashes."""

from __future__ import annotations

import hashlib
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index import text_table
from mdmemd.index.text_table import TextTable, merge_tables, text_hash

distinct = st.lists(st.text(st.characters(codec=None), max_size=4), max_size=12, unique=True)


def weak_hash(piece: bytes) -> bytes:
    """One that has three values."""
    return bytes([sum(piece) % 3, *bytes(7)])


@pytest.fixture(params=["blake2b", "weak"], scope="module")
def hashes(request: pytest.FixtureRequest) -> Iterator[None]:
    """The real hash, and one under which most texts collide."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "weak":
            patch.setattr(text_table, "text_hash", weak_hash)
        yield


@pytest.mark.usefixtures("hashes")
@given(distinct, distinct)
def test_a_text_has_its_number_and_others_have_none(texts: list[str], others: list[str]) -> None:
    table, numbers = TextTable.of(texts)
    assert sorted(numbers.tolist()) == list(range(len(texts)))
    for text, number in zip(texts, numbers.tolist(), strict=True):
        assert table.find(text) == number
        assert table.texts[number] == text
    for text in others:
        assert (table.find(text) is not None) == (text in texts)


@pytest.mark.usefixtures("hashes")
@given(st.lists(distinct, max_size=4), st.data())
def test_merged_tables_hold_what_the_masks_keep(parts: list[list[str]], data: st.DataObject) -> None:
    tables, kept_texts = [], []
    for texts in parts:
        table, _ = TextTable.of(texts)
        bits = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
        mask = np.array(bits, np.bool_)
        tables.append((table, mask))
        kept_texts.append([table.texts[number] for number in np.flatnonzero(mask).tolist()])
    merged, numbers = merge_tables(tables)
    assert (np.diff(merged.hashes.astype(object)) >= 0).all()
    assert sorted(merged.texts) == sorted({text for texts in kept_texts for text in texts})
    for texts, found in zip(kept_texts, numbers, strict=True):
        assert [merged.texts[number] for number in found.tolist()] == texts
        assert [merged.find(text) for text in texts] == found.tolist()


def test_no_python_object_for_a_text() -> None:
    """A dict took about 130 bytes a term (string, number, entry); here it is the bytes and 12 more."""
    texts = [f"term{number}" for number in range(20_000)]
    tracemalloc.start()
    try:
        table, _ = TextTable.of(texts)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(table) == len(texts)
    assert after < 30 * len(texts)


def test_the_hash_is_part_of_the_saved_format() -> None:
    assert text_hash(b"term") == hashlib.blake2b(b"term", digest_size=8).digest()
