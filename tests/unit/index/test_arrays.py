"""Runs of consecutive numbers."""

from __future__ import annotations

import numpy as np

from mdmemd.index.arrays import run_members, run_starts


def test_runs_follow_each_other() -> None:
    assert run_starts([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert run_starts([]).tolist() == [0]


def test_members_of_runs_in_any_order_with_empty_ones() -> None:
    starts, stops = np.array([7, 3, 0]), np.array([9, 3, 2])
    assert run_members(starts, stops).tolist() == [7, 8, 0, 1]


def test_no_runs_have_no_members() -> None:
    none = np.zeros(0, np.int64)
    assert run_members(none, none).tolist() == []
