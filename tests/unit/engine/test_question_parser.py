"""A question is taken apart once, and anew for another kind of model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mdmemd.engine.question_parser import QuestionParser
from mdmemd.errors import InvalidRequestError, ModelUnavailableError


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


def test_a_missing_dictionary_costs_the_borders_of_words_and_no_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def words(_: str) -> Sequence[Sequence[str]]:
        raise ModelUnavailableError("The Chinese dictionary is missing.", remedy="Install it again.")

    parsed = QuestionParser(words=words, is_multilingual=lambda: False).parse("钥匙轮换")
    assert [concept.text for concept in parsed.concepts] == ["钥匙", "匙轮", "轮换"]
    assert "The Chinese dictionary is missing. Install it again." in caplog.text
