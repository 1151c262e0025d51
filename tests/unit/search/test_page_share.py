"""How much stands beside each pointer: by its distance from the first score, and by what is left."""

from __future__ import annotations

from mdmemd.search.page_share import POINTER_TOKENS, POINTER_TOKENS_MIN, SPREAD_TOKENS_MAX, pointer_rooms


def test_the_nearer_to_the_first_score_the_more() -> None:
    rooms = pointer_rooms([1.0, 1.0, 0.9, 0.5], quoted=400)
    assert rooms == [POINTER_TOKENS, 60, POINTER_TOKENS_MIN]
    assert pointer_rooms([10.0, 9.0], quoted=400) == [60]


def test_what_a_short_excerpt_leaves_is_spread() -> None:
    assert pointer_rooms([1.0, 0.1, 0.1, 0.1, 0.1], quoted=100) == [25] * 4
    assert pointer_rooms([1.0, 0.1], quoted=0) == [SPREAD_TOKENS_MAX]


def test_scores_of_nothing_share_alike() -> None:
    assert pointer_rooms([0.0, -0.1], quoted=400) == [POINTER_TOKENS_MIN]
    assert pointer_rooms([0.4], quoted=0) == []
    assert pointer_rooms([], quoted=0) == []
