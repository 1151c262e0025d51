"""Tags and properties as filters compare them, bounded."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from mdmemd.model import DocumentKind
from mdmemd.text.document import TOO_MANY_ATTRIBUTES, parse_document
from mdmemd.text.filter_attributes import (
    PROPERTIES_MAX,
    TAGS_MAX,
    VALUE_CHARACTERS_MAX,
    document_kind,
    filter_attributes,
)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"Status": " In  Progress "}, [("status", "in progress")]),
        ({"n": 2, "x": 2.5}, [("n", "2"), ("x", "2.5")]),
        ({"on": True, "gone": None}, [("on", "true"), ("gone", "null")]),
        ({"list": ["a", "B", "a"]}, [("list", "a"), ("list", "b")]),
        ({"a": {"b": {"C": 1}}, "l": [{"k": ["v", "w"]}]}, [("a.b.c", "1"), ("l.k", "v"), ("l.k", "w")]),
        ({"é": unicodedata.normalize("NFD", "É")}, [("é", "é")]),
        ({"": "x", "empty": "", "nothing": [], "long": "x" * (VALUE_CHARACTERS_MAX + 1)}, [("empty", "")]),
        (None, []),
    ],
)  # fmt: skip
def test_properties(properties: dict[str, Any] | None, expected: list[tuple[str, str]]) -> None:
    assert list(filter_attributes((), properties).properties) == expected


def test_tags_are_compared_without_case_and_count_once() -> None:
    assert filter_attributes(("Ops", "ops", "Ops/Deploy"), None).tags == ("ops", "ops/deploy")


def test_thousands_of_keys_and_tags_are_cut_and_told() -> None:
    keys = "".join(f"k{number}: [a, b, c]\n" for number in range(3_000))
    document = parse_document(f"---\n{keys}---\n# T\n\ntext\n".encode(), path="a.md")
    found = filter_attributes(document.tags, document.properties)
    assert (len(found.properties), found.is_cut) == (PROPERTIES_MAX, True)
    assert TOO_MANY_ATTRIBUTES in document.problems
    tagged = filter_attributes([f"t{number}" for number in range(TAGS_MAX + 1)], None)
    assert (len(tagged.tags), tagged.is_cut) == (TAGS_MAX, True)
    usual = parse_document(b"---\ntags: [a]\nk: v\n---\n# T\n", path="a.md")
    assert usual.problems == ()


def test_a_memory_is_known_by_its_front_matter() -> None:
    assert document_kind({"id": "x", "namespace": "n", "version": 1, "more": 1}) is DocumentKind.MEMORY
    assert document_kind({"id": "x", "version": "1.2"}) is DocumentKind.DOCUMENT
    assert document_kind(None) is DocumentKind.DOCUMENT
