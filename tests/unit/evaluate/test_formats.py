"""Golden sets of every known format become the one form, and what is wrong is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.formats import QUESTIONS_MAX, parse_golden
from mdmemd.evaluate.golden import GoldenAnswer, GoldenQuestion, Label, Naming


def only(document: Any) -> GoldenQuestion:
    (question,) = parse_golden(json.dumps(document)).questions
    return question


def test_the_own_format() -> None:
    question = only(
        [
            {
                "id": "a-1",
                "query": "why",
                "kind": "paraphrase",
                "relevant": [{"path": "a.md", "heading_path": ["A", "B"], "lines": [1, 2]}],
                "partial": [{"path": "c.md"}],
                "answer": "because",
            }
        ]
    )
    assert question == GoldenQuestion(
        "a-1",
        "why",
        "paraphrase",
        (Label(Naming.HEADING, 3, "a.md", "A > B"), Label(Naming.DOCUMENT, 1, "c.md")),
        GoldenAnswer((("because",),)),
    )


@pytest.mark.parametrize(
    "question",
    [
        {"relevant": [{"path": "a.md"}]},
        {"expected": "a.md::A"},
        {"relevant_heading_contains": ["a"]},
        {"expected_substring": "a.md"},
    ],
)
def test_every_format_may_say_what_must_be_quoted(question: dict[str, Any]) -> None:
    entry = {"query": "why", **question, "answer": ["so", ["one", "two"]]}
    shapes = {"relevant": [entry], "expected": {"dev": {"k": [entry]}}}
    found = only(shapes.get(next(iter(question)), {"queries": [entry]}))
    assert found.answer == GoldenAnswer((("so",), ("one", "two")))
    assert found.answer.is_held_by("it is  so")
    assert found.answer.is_held_by("two,\none")
    assert not found.answer.is_held_by("one")


@pytest.mark.parametrize("answer", [2, "", [""], [["one", 2]]])
def test_an_answer_that_is_no_text_is_named(answer: object) -> None:
    with pytest.raises(InvalidRequestError, match="answer of 1"):
        only([{"query": "why", "relevant": [{"path": "a.md"}], "answer": answer}])


def test_a_question_without_an_answer() -> None:
    entry = {"query": "X_Y", "kind": "identifier", "no_answer": True}
    question = only({"about": "words", "questions": [entry]})
    assert question == GoldenQuestion("1", "X_Y", "identifier", (), is_identifier=True)
    assert not only([{"query": "why", "no_answer": True}]).is_identifier


def test_markdown_memory() -> None:
    document = {
        "_about": "words",
        "dev": {
            "paraphrase": [
                {"query": "why", "expected": "A > B", "also_valid": {"g/a.md::[Overview / Preamble]": 2}}
            ],
            "no_answer": [
                {"query": "X_Y", "shape": "identifier"},
                {"query": "what of it", "shape": "question"},
            ],
        },
    }
    why, identifier, question = parse_golden(json.dumps(document)).questions
    assert (why.name, why.kind) == ("dev/paraphrase/1", "paraphrase")
    assert why.labels == (Label(Naming.HEADING, 3, "", "A > B"), Label(Naming.HEADING, 2, "g/a.md", ""))
    assert (identifier.is_answerable, identifier.is_identifier) == (False, True)
    assert (question.is_answerable, question.is_identifier) == (False, False)


def test_several_splits_are_several_kinds() -> None:
    entry = {"query": "why", "expected": "A"}
    golden = parse_golden(json.dumps({"dev": {"p": [entry]}, "held": {"p": [entry]}}))
    assert [question.kind for question in golden.questions] == ["dev/p", "held/p"]


def test_markdex() -> None:
    entry = {"query": "names", "relevant_heading_contains": ["Naming", "style"]}
    question = only({"collection": "x", "queries": [entry]})
    assert question.labels == (
        Label(Naming.SLUG, 3, heading="naming"),
        Label(Naming.SLUG, 3, heading="style"),
    )


def test_qmd() -> None:
    entry = {"query": "q", "expected_file": "api.md", "expected_substring": "ap", "difficulty": "hard"}
    assert only({"queries": [entry]}) == GoldenQuestion(
        "1", "q", "hard", (Label(Naming.DOCUMENT, 3, path="ap"),)
    )


def test_proposals_are_left_out_until_somebody_has_checked_them() -> None:
    checked = {"query": "a", "relevant": [{"path": "a.md"}], "checked": True}
    golden = parse_golden(json.dumps([checked, checked | {"checked": False}]))
    assert (len(golden.questions), golden.unchecked) == (1, 1)
    with pytest.raises(InvalidRequestError, match="All 1 questions of the golden set are proposals"):
        parse_golden(json.dumps([checked | {"checked": False}]))


RELEVANT = {"relevant": [{"path": "a.md"}]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is no JSON"),
        ("[]", "has no questions"),
        ("{}", "has no questions"),
        ("7", "none of the known shapes"),
        ('["why"]', "none of the known shapes"),
        ('[{"relevant": [{"path": "a.md"}]}]', "none of the known shapes"),
        ('{"queries": [{"query": "a"}]}', "none of the known shapes"),
        ('[{"query": "a"}]', 'needs either "relevant" sections or "no_answer"'),
        ('{"queries": [{"query": "a", "relevant_heading_contains": []}]}', "no relevant headings"),
        (json.dumps([{"query": "  "} | RELEVANT]), "query of 1 must be a text"),
        (json.dumps([{"query": 7} | RELEVANT]), "query of 1 must be a text"),
        (json.dumps([{"query": "a", "relevant": [{"path": ""}]}]), "path of a label of 1 must be a text"),
        (
            json.dumps([{"id": "x", "query": "a"} | RELEVANT] * 2),
            "Two questions of the golden set have the id x",
        ),
        (json.dumps([{"query": "a"} | RELEVANT] * (QUESTIONS_MAX + 1)), "5,001 questions; at most 5,000"),
    ],
)
def test_what_is_wrong_is_named(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_golden(text)
    assert sentence in str(caught.value)
    assert caught.value.remedy
