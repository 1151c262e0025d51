"""Rows of unit vectors and their cosines."""

from __future__ import annotations

import numpy as np
import pytest

from mdmemd.index import vector_rows
from mdmemd.index.vector_rows import VectorRows, unit_rows

DIMENSIONS = 8


def random_rows(count: int, *, seed: int = 0) -> vector_rows.HalfMatrix:
    return unit_rows(
        np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32),
        dimensions=DIMENSIONS,
    )


def exact(query: vector_rows.HalfMatrix, rows: vector_rows.HalfMatrix) -> list[float]:
    products = rows.astype(np.float64) @ query[0].astype(np.float64)
    return [float(each) for each in products]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_rows, "BLOCK_ROWS", 4)


def test_rows_are_found_again_across_blocks() -> None:
    expected = random_rows(11)
    rows = VectorRows(dimensions=DIMENSIONS)
    for start, stop in ((0, 3), (3, 3), (3, 10), (10, 11)):
        rows.append(expected[start:stop])
    assert len(rows) == 11
    assert np.array_equal(np.concatenate(list(rows.runs(0, 11))), expected)
    assert np.array_equal(np.concatenate(list(rows.runs(3, 9))), expected[3:9])
    wanted = np.array([10, 0, 5, 5, 4])
    assert np.array_equal(rows.take(wanted), expected[wanted])


def test_cosines_are_those_of_the_rows() -> None:
    expected = random_rows(11)
    query = random_rows(1, seed=1)
    rows = VectorRows(dimensions=DIMENSIONS)
    rows.append(expected)
    assert rows.cosines(query, 2, 10).tolist() == pytest.approx(exact(query, expected[2:10]), abs=1e-3)
    wanted = np.array([10, 3])
    assert rows.cosines_at(query, wanted).tolist() == pytest.approx(exact(query, expected[wanted]), abs=1e-3)


def test_nothing_to_compare() -> None:
    rows = VectorRows(dimensions=DIMENSIONS)
    query = random_rows(1)
    assert rows.cosines(query, 0, 0).tolist() == []
    assert rows.cosines_at(query, np.zeros(0, np.int64)).tolist() == []


def test_a_cosine_never_leaves_its_range() -> None:
    rows = VectorRows(dimensions=DIMENSIONS)
    ones = unit_rows(np.ones(DIMENSIONS, np.float32), dimensions=DIMENSIONS)
    rows.append(np.concatenate([ones, -ones]))
    cosines = rows.cosines(ones, 0, 2)
    assert cosines.tolist() == pytest.approx([1, -1], abs=2e-3)
    assert np.abs(cosines).max() <= 1


@pytest.mark.parametrize(
    "rows",
    [
        [[np.nan] * DIMENSIONS],
        [[np.inf] + [0.0] * (DIMENSIONS - 1)],
        [[0.0] * DIMENSIONS],
        [[1.0] * DIMENSIONS, [0.0] * DIMENSIONS],
        [[1.0] * (DIMENSIONS + 1)],
        [[[1.0] * DIMENSIONS]],
    ],
)
def test_vectors_without_a_direction_or_of_another_shape_are_refused(rows: list[list[float]]) -> None:
    """F11."""
    with pytest.raises(ValueError, match=r"vector"):
        unit_rows(np.array(rows, np.float32), dimensions=DIMENSIONS)


def test_huge_and_tiny_vectors_keep_their_direction() -> None:
    for scale in (1e18, 1e-18):
        row = unit_rows(np.full(DIMENSIONS, scale, np.float32), dimensions=DIMENSIONS)
        assert row[0].tolist() == pytest.approx([DIMENSIONS**-0.5] * DIMENSIONS, rel=1e-3)
