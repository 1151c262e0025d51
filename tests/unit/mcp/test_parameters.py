"""What models send for parameters, and what is made of it (faults G2, G4)."""

from __future__ import annotations

from typing import Any

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.parameters import (
    Choice,
    Flag,
    Names,
    Parameter,
    Text,
    WholeNumber,
    input_schema,
    read_arguments,
)

PARAMETERS: tuple[Parameter, ...] = (
    Text(name="query", description="A question.", required=True, synonyms=("q",), joiner=" "),
    Text(name="file_path", synonyms=("path",)),
    WholeNumber(name="limit", default_number=5, maximum=50, synonyms=("top_k", "n_results")),
    WholeNumber(name="part"),
    Flag(name="deep"),
    Choice(name="mode", choices=("hybrid", "keyword")),
    Names(name="root", synonyms=("roots",)),
)


def read(**arguments: Any) -> dict[str, Any]:
    return read_arguments("find", PARAMETERS, arguments={"query": "x"} | arguments)


def test_defaults() -> None:
    assert read() == {
        "query": "x", "file_path": "", "limit": 5, "part": None, "deep": False, "mode": "hybrid", "root": (),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sent", "meant"),
    [
        ("query", 404, "404"),
        ("query", ["two", "words"], "two words"),
        ("file_path", ["a.md"], "a.md"),
        ("limit", "7", 7),
        ("limit", 7.0, 7),
        ("limit", " 7.0 ", 7),
        ("limit", "", 5),
        ("limit", None, 5),
        ("limit", 0, 1),
        ("limit", 9999, 50),
        ("part", "2", 2),
        ("deep", "true", True),
        ("deep", "No", False),
        ("deep", 1, True),
        ("deep", "", False),
        ("mode", "KEYWORD", "keyword"),
        ("mode", "", "hybrid"),
        ("root", "a", ("a",)),
        ("root", "a, b,,a", ("a", "b")),
        ("root", '["a", "b"]', ("a", "b")),
        ("root", ["a", " b "], ("a", "b")),
        ("root", "[draft", ("[draft",)),
        ("root", "", ()),
    ],
)
def test_g2_forms_are_taken_leniently(name: str, sent: Any, meant: Any) -> None:
    assert read(**{name: sent})[name] == meant


@pytest.mark.parametrize(
    ("name", "sent", "expected"),
    [
        ("query", True, "a string"),
        ("query", {"a": 1}, "a string"),
        ("file_path", ["a", "b"], "a string"),
        ("limit", "many", "a whole number"),
        ("limit", 2.5, "a whole number"),
        ("limit", True, "a whole number"),
        ("limit", [5], "a whole number"),
        ("limit", float("inf"), "a whole number"),
        ("limit", "nan", "a whole number"),
        ("deep", "maybe", "true or false"),
        ("deep", 2, "true or false"),
        ("mode", "fuzzy", "one of hybrid, keyword"),
        ("root", 5, "a name or a list of names"),
        ("root", '[1, "a"]', "a name or a list of names"),
    ],
)
def test_values_of_another_kind_are_refused(name: str, sent: Any, expected: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"'{name}' must be {expected}, not "):
        read(**{name: sent})


@pytest.mark.parametrize("alias", ["top_k", "topK", "TOP-K", "n_results", "nResults", "Limit"])
def test_g2_habitual_synonyms(alias: str) -> None:
    assert read(**{alias: 9})["limit"] == 9


def test_g4_an_unknown_parameter_names_the_nearest_valid_one() -> None:
    with pytest.raises(InvalidRequestError, match='find has no parameter "rot"') as caught:
        read(rot="a")
    assert caught.value.remedy == "Did you mean 'root'?"
    assert caught.value.candidates == tuple(parameter.name for parameter in PARAMETERS)


def test_g4_an_unknown_parameter_without_a_near_one() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read(zzzzzz=1)
    assert "Did you mean" not in caught.value.remedy


def test_a_parameter_given_twice_must_say_the_same() -> None:
    assert read(limit=3, top_k="3")["limit"] == 3
    with pytest.raises(InvalidRequestError, match="'limit' of find is given twice"):
        read(limit=3, top_k=4)


@pytest.mark.parametrize("arguments", [{}, {"query": None}, {"query": ""}])
def test_a_required_parameter_is_asked_for(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError, match="find needs 'query'"):
        read_arguments("find", PARAMETERS, arguments=arguments)


def test_a_long_wrong_value_is_shown_in_part() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read(deep="x" * 5000)
    assert len(str(caught.value)) < 150


def test_the_schema_names_no_synonyms() -> None:
    schema = input_schema(PARAMETERS)
    assert list(schema["properties"]) == [parameter.name for parameter in PARAMETERS]
    assert schema["required"] == ["query"]
    assert schema["properties"]["query"] == {"type": "string", "description": "A question."}
    assert schema["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 5}
    assert schema["properties"]["part"] == {"type": "integer", "minimum": 1}
    assert schema["properties"]["mode"] == {
        "type": "string",
        "enum": ["hybrid", "keyword"],
        "default": "hybrid",
    }
    assert schema["properties"]["deep"] == {"type": "boolean", "default": False}
    assert "required" not in input_schema(())
