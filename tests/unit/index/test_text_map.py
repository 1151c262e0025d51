"""The inverted map: lookups, and that a merge is the map of what is left."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index.text_map import TextMap, beginning_with

texts = st.lists(st.text("ab/é", min_size=1, max_size=3), max_size=3)
segments = st.lists(st.lists(st.tuples(texts, st.booleans()), max_size=5), min_size=1, max_size=3)


@given(st.lists(texts, max_size=6), st.text("ab/é", min_size=1, max_size=2))
def test_holders_are_those_of_a_scan(documents: list[list[str]], wanted: str) -> None:
    found = TextMap.of(documents)
    assert found.holders(wanted).tolist() == [n for n, each in enumerate(documents) if wanted in each]
    below = [n for n, each in enumerate(documents) if any(text.startswith(wanted) for text in each)]
    assert sorted(set(found.holders_below(wanted).tolist())) == below
    every = sorted({text for each in documents for text in each})
    assert found.texts_below(wanted) == tuple(text for text in every if text.startswith(wanted))


@given(segments)
def test_a_merge_is_the_map_of_what_lives(parts: list[list[tuple[list[str], bool]]]) -> None:
    merging, living = [], []
    for part in parts:
        numbers = []
        for own, lives in part:
            numbers.append(len(living) if lives else -1)
            living += [own] if lives else []
        merging.append((TextMap.of([own for own, _ in part]), np.array(numbers, np.int64)))
    merged, expected = TextMap.merged(merging), TextMap.of(living)
    assert merged.texts == expected.texts
    assert merged.starts.tolist() == expected.starts.tolist()
    assert merged.documents.tolist() == expected.documents.tolist()


def test_the_end_of_a_prefix() -> None:
    assert beginning_with(("a", "a/", "a/b", "a0", "b"), "a/") == range(1, 3)
