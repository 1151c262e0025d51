"""Means and percentiles."""

from __future__ import annotations

import pytest

from mdmemd.evaluate.figures import Figures, Judged, figures, percentile

ONE = Judged("1", "x", 1, 1.0)
FOURTH = Judged("2", "y", 4, 0.5)
MISS = Judged("3", "y", None, 0.0)


def test_a_row_for_all_and_one_for_each_kind() -> None:
    everything, x, y = figures("hybrid", [ONE, FOURTH, MISS])
    third = pytest.approx(1 / 3)
    assert everything == Figures(
        "hybrid",
        "all",
        3,
        pytest.approx(1.25 / 3),
        (third, third, pytest.approx(2 / 3), pytest.approx(2 / 3)),
        0.5,
    )
    assert (x.kind, x.questions, x.mrr, x.hits) == ("x", 1, 1.0, (1.0, 1.0, 1.0, 1.0))
    assert (y.kind, y.questions, y.mrr, y.hits) == ("y", 2, 0.125, (0.0, 0.0, 0.5, 0.5))


def test_one_kind_needs_no_row_of_its_own_and_nothing_gives_none() -> None:
    assert [row.kind for row in figures("s", [FOURTH, MISS])] == ["all"]
    assert figures("s", []) == ()


@pytest.mark.parametrize(("share", "value"), [(0.5, 2.0), (0.51, 3.0), (0.95, 4.0), (0.0, 1.0)])
def test_percentiles_are_values_that_occurred(share: float, value: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


def test_the_percentile_of_nothing_is_zero() -> None:
    assert percentile([], 0.5) == 0.0
