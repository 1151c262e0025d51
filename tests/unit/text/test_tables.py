"""Rows of tables as labelled text."""

from __future__ import annotations

import pytest

from mdmemd.text.tables import labelled_rows, split_cells


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a|b", ["a", "b"]),
        ("| a \\| b | c |", ["a | b", "c"]),
        ("| a \\|", ["a |"]),
        ("||x|", ["", "x"]),
        ("| `a \\| b` |", ["`a | b`"]),
    ],
)
def test_split_cells(row: str, cells: list[str]) -> None:
    assert split_cells(row) == cells


def rows(*lines: str) -> list[tuple[int, str]]:
    return list(labelled_rows(lines))


def test_each_row_is_labelled_with_its_headers() -> None:
    assert rows("| Flag | Use |", "|--|--|", "| -a | all |", "| -b | |") == [
        (2, "Flag: -a; Use: all"),
        (3, "Flag: -b"),
    ]


def test_a_row_may_have_more_or_fewer_cells_than_the_header() -> None:
    assert rows("|A|B|", "|-|-|", "|1|", "|1|2|3|") == [(2, "A: 1"), (3, "A: 1; B: 2; 3")]


def test_a_table_without_filled_rows_gives_its_header() -> None:
    assert rows("| A | B |", "|-|-|") == [(0, "A; B")]
    assert rows("| A | B |", "|-|-|", "| | |") == [(0, "A; B")]
    assert rows("| | |", "|-|-|") == []


def test_a_break_splits_words() -> None:
    assert rows("|A|", "|-|", "|x<br>y<br/>z|") == [(2, "A: x y z")]
