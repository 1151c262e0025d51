"""Keys to slots."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.index.slot_table import PAGE_KEYS, SlotTable

keys_in_batches = st.lists(
    st.lists(st.one_of(st.integers(0, 40), st.integers(0, 40 * PAGE_KEYS)), max_size=8, unique=True),
    max_size=8,
)


@given(keys_in_batches)
def test_each_key_has_the_slot_it_was_given_and_others_none(batches: list[list[int]]) -> None:
    table = SlotTable()
    expected: dict[int, int] = {}
    for batch in batches:
        keys = [key for key in batch if key not in expected]
        slots = range(len(expected), len(expected) + len(keys))
        table.set(np.array(keys, np.int32), np.array(slots, np.int32))
        expected.update(zip(keys, slots, strict=True))
        view = table.view()
        asked = [*expected, 7, 41 * PAGE_KEYS, 2**31 - 1]
        wanted = [expected.get(key, -1) for key in asked]
        assert view.find(np.array(asked, np.int32)).tolist() == wanted
        assert [table.slot(key) for key in asked] == wanted


def test_a_table_costs_what_its_keys_take_and_not_what_was_ever_given() -> None:
    table = SlotTable()
    table.set(np.array([10**9], np.int32), np.array([0], np.int32))
    view = table.view()
    assert view.pages.nbytes == 4 * PAGE_KEYS
    assert view.find(np.array([10**9, 10**9 + 1], np.int32)).tolist() == [0, -1]


def test_a_view_stands_pages_that_came_later() -> None:
    """Keys come in any order, so the pages may grow while the table of pages does not."""
    table = SlotTable()
    table.set(np.array([8 * PAGE_KEYS], np.int32), np.array([0], np.int32))
    view = table.view()
    table.set(np.array([PAGE_KEYS], np.int32), np.array([1], np.int32))
    assert view.find(np.array([PAGE_KEYS, 8 * PAGE_KEYS], np.int32)).tolist() == [-1, 0]
    assert table.view().find(np.array([PAGE_KEYS], np.int32)).tolist() == [1]
