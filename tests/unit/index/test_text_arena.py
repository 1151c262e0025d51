"""Texts as one run of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index import text_arena
from mdmemd.index.text_arena import TextArena

any_texts = st.lists(st.text(st.characters(codec=None), max_size=6), max_size=12)


@given(any_texts)
def test_texts_come_back(texts: list[str]) -> None:
    arena = TextArena.of(texts)
    assert list(arena) == texts
    assert len(arena) == len(texts)
    assert [arena[number] for number in range(len(texts))] == texts


@given(any_texts, st.data(), st.sampled_from([1, 5, 1 << 20]))
def test_taking_and_joining(texts: list[str], data: st.DataObject, taken_bytes: int) -> None:
    numbers = data.draw(st.lists(st.sampled_from(range(len(texts))), max_size=20)) if texts else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_arena, "TAKEN_BYTES", taken_bytes)
        taken = TextArena.of(texts).take(np.array(numbers, np.int64))
    assert list(taken) == [texts[number] for number in numbers]
    assert list(TextArena.joined([taken, TextArena.of(texts), TextArena.of(())])) == [*taken, *texts]


def test_no_arenas_join_to_none() -> None:
    assert list(TextArena.joined([])) == []


def test_offsets_are_wide_only_where_they_must(monkeypatch: pytest.MonkeyPatch) -> None:
    assert TextArena.of(["abc", "d"]).starts.dtype == np.int32
    monkeypatch.setattr(text_arena, "_OFFSET_MAX", 3)
    wide = TextArena.of(["abc", "d"])
    assert wide.starts.dtype == np.int64
    assert list(wide) == ["abc", "d"]
