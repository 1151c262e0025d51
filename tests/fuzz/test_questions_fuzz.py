"""S4: whatever character a question has, and wherever it stands, it is a question with an answer."""

from __future__ import annotations

import sys

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.model import SearchMode
from mdmemd.search.query import TERMS_MAX

SHAPES = ("a{} {}b", '"{}"', '"{} b"', "-{} a", '-"{} b" a', "--{}", "{}=a", "{}(", "a.{}::b", "{")


@pytest.fixture(scope="module")
def world() -> SearchWorld:
    made = SearchWorld()
    made.add("a.md", "# A\n\na cache of b (UV_DIR) --locked\n")
    return made


def printable(stop: int) -> list[str]:
    return [each for each in map(chr, range(stop)) if each.isprintable() and not each.isspace()]


def test_every_printable_character_of_every_plane_can_be_asked_for_s4(world: SearchWorld) -> None:
    """So many at a time as one question looks up; the text around them is found all the same."""
    characters = printable(sys.maxunicode + 1)
    for start in range(0, len(characters), TERMS_MAX - 1):
        chosen = characters[start : start + TERMS_MAX - 1]
        page = world.search(" ".join(("locked", *chosen)), mode=SearchMode.KEYWORD)
        assert [hit.path for hit in page.hits] == ["a.md"], chosen


@pytest.mark.parametrize("shape", SHAPES)
def test_every_character_of_the_first_blocks_can_stand_anywhere_s4(world: SearchWorld, shape: str) -> None:
    for character in printable(0x180):
        page = world.search(f"{shape.replace('{}', character)} locked", mode=SearchMode.KEYWORD)
        assert page.mode is SearchMode.KEYWORD
