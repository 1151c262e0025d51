"""A place in a document as one text."""

from __future__ import annotations

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.model import LineRange
from mdmemd.search.address import Address, is_glob, parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("a.md", Address("a.md")),
        ("docs/a.md:10-40", Address("docs/a.md", lines=LineRange(10, 40))),
        ("a.MDX:7", Address("a.MDX", lines=LineRange(7, 7))),
        ("a.md#Guide > Install", Address("a.md", heading="Guide > Install")),
        ("a.md#C#", Address("a.md", heading="C#")),
        ("a.md.md#x", Address("a.md.md", heading="x")),
        ("c#.md", Address("c#.md")),
        ("plain:10-40", Address("plain:10-40")),
        ("a.md:", Address("a.md:")),
        ("a.md:x", Address("a.md:x")),
    ],
)
def test_only_what_follows_a_markdown_name_is_taken_apart(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["a.md:0", "a.md:9-3", "a.md:0-4"])
def test_lines_that_are_none_are_an_error(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="names no lines"):
        parse_address(text)


def test_what_is_a_glob() -> None:
    assert is_glob("docs/*.md")
    assert is_glob("a?.md")
    assert not is_glob("docs/a.md")
