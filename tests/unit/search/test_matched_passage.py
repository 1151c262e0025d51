"""The passage that answers: by the words it names and its nearness together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.matched_passage import PassageScores, QuestionWords, passage_scores
from mdmemd.search.query import parse_query
from mdmemd.search.weights import NEIGHBOUR_WEIGHT
from mdmemd.text.source import SourceText

TEXT = "# A\n\nnothing of it\n\nalpha alone\n\nalpha beta and UV_DIR\n\nuv dir apart\n\nalpha beta again\n"


def _scores(question: str, *, cosines: Sequence[float] = (), text: str = TEXT) -> PassageScores:
    world = SearchWorld()
    world.add("a.md", text)
    concepts = parse_query(question).concepts
    return passage_scores(
        SourceText.decode(text.encode()),
        world.document("a.md").passages(0),
        words=QuestionWords(concepts, [1.0] * len(concepts)),
        cosines=cosines,
    )


def test_the_first_passage_with_most_of_the_question_wins() -> None:
    assert _scores("alpha").best == 1
    assert _scores("alpha beta").best == 2
    assert _scores("UV_DIR").best == 2


def test_nothing_named_is_the_first_passage_or_the_nearest() -> None:
    assert _scores("omega").best == 0
    assert _scores("omega", cosines=[0.1, 0.1, math.nan, 0.4, 0.3]).best == 3


def test_words_and_nearness_count_together() -> None:
    assert _scores("alpha omega", cosines=[0.2, 0.2, 0.2, 0.2, 0.3]).best == 4
    assert _scores("alpha omega", cosines=[0.2, 0.2, 0.2, 0.6, 0.2]).best == 3
    assert _scores("alpha omega", cosines=[0.2, 0.3, 0.2, 0.4, 0.2]).best == 1


def test_a_block_is_worth_more_for_words_that_its_passages_share_between_them() -> None:
    table = "| Alpha | Beta |\n| --- | --- |\n| one | two |\n| three | four |\n"
    scores = _scores("three beta gamma", text=f"# A\n\nthree of them\n\n{table}\n")
    (_, prose), (_, rows) = scores.blocks
    assert max(scores.passages) == pytest.approx(1 / 3)
    assert rows > prose


def test_a_block_is_worth_more_beside_a_good_one() -> None:
    text = "# A\n\nplain\n\nplain\n\nalpha\n\nplain\n\nplain\n"
    values = [value for _, value in _scores("alpha", text=text).blocks]
    assert values[2] == max(values) == pytest.approx(1.0)
    assert values[1] == values[3] == pytest.approx(NEIGHBOUR_WEIGHT)
    assert values[0] == values[4] == 0.0
