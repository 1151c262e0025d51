"""Two runs, question by question."""

from __future__ import annotations

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.comparison import Change, compare
from mdmemd.evaluate.figures import Judged


def run(*ranks: int | None) -> list[Judged]:
    return [Judged(str(number), "k", rank, 1.0 if rank else 0.0) for number, rank in enumerate(ranks)]


def test_equal_runs_differ_by_nothing() -> None:
    same = compare(run(1, 2, None), run(1, 2, None))
    assert same.changes == ()
    assert all((each.low, each.high) == (0.0, 0.0) for each in same.differences)
    assert all(each.before == each.after for each in same.differences)


def test_a_gain_everywhere_has_an_interval_above_zero() -> None:
    gain = compare(run(*[2] * 20), run(*[1] * 20))
    mrr = gain.differences[0]
    assert (mrr.measure, mrr.before, mrr.after, mrr.low, mrr.high) == ("MRR", 0.5, 1.0, 0.5, 0.5)


def test_a_mixed_change_has_an_interval_around_its_mean_and_the_same_each_time() -> None:
    before, after = run(*[1] * 10, *[2] * 10), run(*[2] * 5, *[1] * 5, *[1] * 10)
    first = compare(before, after)
    mrr = first.differences[0]
    assert mrr.low < mrr.after - mrr.before < mrr.high
    assert mrr.low < 0.25 < mrr.high
    assert compare(before, after) == first


def test_answers_are_compared_where_both_runs_had_their_section() -> None:
    def held(*values: bool | None) -> list[Judged]:
        return [Judged(str(number), "k", 1, 1.0, value) for number, value in enumerate(values)]

    found = compare(held(True, False, None, True), held(False, True, True, None)).differences[-1]
    assert (found.measure, found.before, found.after) == ("answer held", 0.5, 0.5)
    assert found.low < 0.0 < found.high
    assert compare(held(None), held(True)).differences[-1].measure == "nDCG@5"


def test_changes_stand_worst_first() -> None:
    changes = compare(run(1, 5, 3, 2), run(None, 1, 3, 1)).changes
    assert changes == (Change("0", 1, None), Change("3", 2, 1), Change("1", 5, 1))


def test_questions_of_one_run_are_counted_and_left_out() -> None:
    paired = compare(run(1, 1), [*run(1), Judged("new", "k", None, 0.0)])
    assert (paired.questions, paired.unpaired) == (1, 2)
    with pytest.raises(InvalidRequestError, match="no question in common"):
        compare(run(1), [Judged("new", "k", None, 0.0)])
