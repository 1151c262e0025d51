"""Edits between words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index.edit_distance import edit_distances

words = st.text("abé🎈_", max_size=7)


def one_by_one(word: str, other: str) -> int:
    """The same by the recurrence as it is written."""
    table = {(i, 0): i for i in range(len(word) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(word) + 1):
        for j in range(1, len(other) + 1):
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (word[i - 1] != other[j - 1]),
            )
            if i > 1 and j > 1 and word[i - 1] == other[j - 2] and word[i - 2] == other[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(word), len(other)]


@pytest.mark.parametrize(
    ("word", "other", "edits"),
    [
        ("uv_link_moed", "uv_link_mode", 1),
        ("--no-buld-isolation", "--no-build-isolation", 1),
        ("aply_secrets", "apply_secrets", 1),
        ("cofnigurtion", "configuration", 2),
        ("cache", "cache", 0),
    ],
)
def test_known_words(word: str, other: str, edits: int) -> None:
    assert edit_distances(word, [other, "something else"], most=2).tolist() == [edits, 3]


@given(word=words, others=st.lists(words, max_size=9), most=st.integers(1, 3))
def test_the_distances_are_those_of_the_recurrence(word: str, others: list[str], most: int) -> None:
    expected = [min(one_by_one(word, other), most + 1) for other in others]
    assert edit_distances(word, others, most=most).tolist() == expected
