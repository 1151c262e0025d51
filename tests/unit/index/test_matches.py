"""Choosing the best of the keyword matches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index.matches import KeywordMatches


def matches(scores: list[float]) -> KeywordMatches:
    count = len(scores)
    return KeywordMatches(
        refs=np.arange(count) * 3,
        scores=np.array(scores, np.float32),
        matched=np.ones(count, np.uint64),
        document_frequencies=(count,),
        found_frequencies=(count,),
        idf=np.ones(1, np.float32),
        idf_mass=1.0,
    )


@given(st.lists(st.sampled_from([0.25, 0.5, 1.0, 2.0]), max_size=30), st.integers(0, 40))
def test_top_is_the_head_of_the_full_order(scores: list[float], count: int) -> None:
    expected = sorted(range(len(scores)), key=lambda position: (-scores[position], position))
    assert matches(scores).top(count).tolist() == expected[:count]


@pytest.mark.parametrize("count", [-1, 0])
def test_none_wanted(count: int) -> None:
    assert matches([1.0]).top(count).tolist() == []
