"""Plain values, and the properties that mdmem understands."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from mdmemd.text.properties import document_date, list_property, plain_mapping, text_property


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2**70, str(2**70)),
        (1.5, 1.5),
        (float("inf"), "inf"),
        (dt.date(2024, 5, 6), "2024-05-06"),
        ("a\0b\ud800", "a\ufffdb?"),
        (b"x", "b'x'"),
        ([1, {"a": (2,)}], [1, {"a": [2]}]),
    ],
)
def test_values_become_plain(value: Any, plain: Any) -> None:
    assert plain_mapping({"key": value}) == {"key": plain}


def test_an_integer_too_long_for_decimals_becomes_text() -> None:
    assert plain_mapping({"key": 2**20_000}) == {"key": hex(2**20_000)}


def test_keys_become_text() -> None:
    assert plain_mapping({1: 1, None: 2}) == {"1": 1, "None": 2}


def test_values_are_bounded_in_number_and_depth() -> None:
    assert len(plain_mapping({"a": list(range(50_000))})["a"]) < 10_001
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    text = repr(plain_mapping({"a": deep}))
    assert 10 < text.count("[") < 20


def test_text_property_takes_the_first_that_is_text() -> None:
    properties = {"Title": " a \n b ", "name": "n", "empty": " ", "list": ["x"], "flag": True, "n": 7}
    assert text_property(properties, "title", "name") == "a b"
    assert text_property(properties, "empty", "name") == "n"
    assert text_property(properties, "list", "flag", "missing") is None
    assert text_property(properties, "n") == "7"


def test_list_property_joins_lists_and_texts() -> None:
    properties = {"tags": ["a", "b ", 2024, None, ["x"], "a"], "tag": "c, d"}
    assert list_property(properties, "tags", "tag") == ("a", "b", "2024", "c", "d")


@pytest.mark.parametrize(
    ("properties", "path", "expected"),
    [
        ({"date": "2024-5-6T10:00:00Z"}, "x.md", "2024-05-06"),
        ({"created": "2020-01-01", "updated": "2021-02-02"}, "x.md", "2021-02-02"),
        ({"date": "tomorrow"}, "a/2023-12-31-notes.md", "2023-12-31"),
        ({}, "a/20231231.md", "2023-12-31"),
        ({}, "2023-13-31.md", None),
        ({}, "2023-01-01/notes.md", None),
        ({}, "ticket-123456789.md", None),
        ({"date": 20240506}, "x.md", None),
    ],
)
def test_document_date(properties: dict[str, Any], path: str, expected: str | None) -> None:
    assert document_date(properties, path=path) == expected
