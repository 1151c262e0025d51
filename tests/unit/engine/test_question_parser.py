"""A question is taken apart once, and anew for another kind of model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mdmemd.engine.question_parser import QuestionParser
from mdmemd.errors import InvalidRequestError


def test_a_question_is_taken_apart_once_a_kind_of_model() -> None:
    cut: list[str] = []
    knows_many = [False]

    def words(text: str) -> Sequence[Sequence[str]]:
        cut.append(text)
        return [["钥匙", "轮换"]]

    parser = QuestionParser(words=words, is_multilingual=lambda: knows_many[0])
    first = parser.parse("钥匙轮换")
    assert parser.parse("钥匙轮换") is first
    assert [concept.text for concept in first.concepts] == ["钥匙", "轮换"]
    knows_many[0] = True
    assert parser.parse("钥匙轮换").is_multilingual
    assert len(cut) == 2


def test_what_is_no_question_is_refused_each_time() -> None:
    parser = QuestionParser(words=lambda _: [], is_multilingual=lambda: False)
    for _ in range(2):
        with pytest.raises(InvalidRequestError, match="empty"):
            parser.parse(" ")
