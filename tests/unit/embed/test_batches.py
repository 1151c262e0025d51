from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mdmemd.embed.batches import plan_batches


@given(st.lists(st.integers(0, 600), max_size=60), st.integers(1, 9), st.integers(1, 800))
def test_groups_are_bounded_and_complete(lengths: list[int], rows_max: int, tokens_max: int) -> None:
    groups = plan_batches(lengths, rows_max=rows_max, tokens_max=tokens_max)
    assert sorted(position for group in groups for position in group) == list(range(len(lengths)))
    for group in groups:
        assert 1 <= len(group) <= rows_max
        assert len(group) == 1 or len(group) * max(lengths[position] for position in group) <= tokens_max


def test_long_text_does_not_pad_short_ones() -> None:
    """P9."""
    groups = plan_batches([5] * 31 + [256], rows_max=8, tokens_max=384)
    assert groups[-1] == [31]
    assert [len(group) for group in groups[:-1]] == [8, 8, 8, 7]
