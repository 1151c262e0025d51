"""What is front matter, what it says, and what only looks like it (F4, P5)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from mdmemd.model import LineRange
from mdmemd.text.front_matter import FrontMatter, find_front_matter
from mdmemd.text.limits import DEFAULT_LIMITS, ParseLimits


def find(text: str, limits: ParseLimits = DEFAULT_LIMITS) -> FrontMatter | None:
    return find_front_matter(text.split("\n"), limits=limits)


def found(text: str) -> FrontMatter:
    front_matter = find(text)
    assert front_matter is not None
    return front_matter


@pytest.mark.parametrize(
    ("text", "last", "properties"),
    [
        ("---\ntitle: x\n---\nbody", 3, {"title": "x"}),
        ("---   \ntitle: x\n...\nbody", 3, {"title": "x"}),
        ("---\n---\n", 2, {}),
        ("---\n\n  \n---\n", 4, {}),
        ("---\n# comment\ntitle: x\n---\n", 4, {"title": "x"}),
        ("---\ntitle: x\n# comment\n\ntags: [a, b]\n---\n", 6, {"title": "x", "tags": ["a", "b"]}),
        (
            "---\nbody: |\n  text\n\n  # no heading\n\n  more\n---\n",
            8,
            {"body": "text\n\n# no heading\n\nmore\n"},
        ),
        (
            '---\n"quoted key": 1\nspaced key: 2\n日付: 3\n---\n',
            5,
            {"quoted key": 1, "spaced key": 2, "日付": 3},
        ),
        ("+++\ntitle = 'x'\n[a]\nb = 1\n+++\n", 5, {"title": "x", "a": {"b": 1}}),
        ('{\n  "title": "x"\n}\n\nbody', 3, {"title": "x"}),
        ('{"title": "x"}\n\nbody', 1, {"title": "x"}),
        ('{"title": "x"}', 1, {"title": "x"}),
    ],
)
def test_front_matter(text: str, last: int, properties: dict[str, Any]) -> None:
    front_matter = found(text)
    assert front_matter.lines == LineRange(1, last)
    assert front_matter.properties == properties
    assert front_matter.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        " ---\ntitle: x\n---",
        "---\ntitle: never closed\n\n# Heading\n",
        "---\n\nWelcome to the page.\n\n# Chapter one\n\ntext: here\n\n---\n",
        "---\n\n# Chapter one\n\ntext: here\n\n---\n",
        "---\nJust prose.\n---\n",
        "---\nNote: mind the gap\n---\n",
        "---\n2024: a year\n---\n",
        "---\n- a list\n---\n",
        "+++\ntitle = 1\n",
        '{\n  "title": "x"\n}\ntext right after',
        "{\n  not JSON\n}\n\nbody",
        "{{ page.title }}\n\nbody",
        "{% include x %}\n\nbody",
    ],
)
def test_no_front_matter(text: str) -> None:
    assert find(text) is None


@pytest.mark.parametrize(
    ("text", "last", "line"),
    [
        ("---\ntitle: [unclosed\ntags: x\n---\n# Body\n", 4, 3),
        ("---\ntitle: a: b\n---\n", 3, 2),
        ("---\nwhen: !!python/object x\n---\n", 3, 2),
        ("+++\ntitle = \n+++\n", 3, 1),
        ('{\n"title": ,\n}\n\nbody', 3, 1),
    ],
)
def test_malformed_front_matter_gives_one_problem_and_no_properties(text: str, last: int, line: int) -> None:
    front_matter = found(text)
    assert front_matter.lines == LineRange(1, last)
    assert front_matter.properties == {}
    assert [(problem.kind, problem.line) for problem in front_matter.problems] == [("front_matter", line)]


def test_dates_stay_as_they_are_written() -> None:
    assert found("---\na: 2024-05-06\nb: 2024-99-99\n---").properties == {
        "a": "2024-05-06",
        "b": "2024-99-99",
    }
    assert found("+++\na = 2024-05-06\n+++").properties == {"a": "2024-05-06"}


@pytest.mark.parametrize(
    "text",
    [
        "---\na: " + "[" * 100_000 + "\n---\n",
        *(f'---\na: !!{tag} "x"\n---\n' for tag in ("bool", "int", "float", "timestamp", "binary", "omap")),
        '---\na: !!int ""\n---\n',
        "+++\na = " + "[" * 100_000 + "\n+++\n",
        '{"a": ' + "[" * 100_000 + "}\n",
        "---\na: " + "9" * 5_000 + "\n---\n",
    ],
)
def test_hostile_values_are_malformed_values(text: str) -> None:
    assert [problem.kind for problem in found(text).problems] == ["front_matter"]


def test_aliases_do_not_explode() -> None:
    """Nine aliases of nine aliases of ...: 9 ** 10 values if they were copied."""
    names = "abcdefghijk"
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in pairwise(names)]
    merges = [f"m{new}: &m{new} {{<<: [{', '.join([f'*m{old}'] * 9)}]}}" for old, new in pairwise(names)]
    text = "\n".join(["---", "a: &a [x]", *lines, "ma: &ma {x: 1}", *merges, "---"])
    assert "b" in found(text).properties


def test_a_cycle_ends() -> None:
    assert found("---\na: &a [*a, 1]\n---").properties["a"]


def test_an_endless_block_is_not_searched_to_the_end() -> None:
    text = "---\n" + "a: 1\n" * 100 + "---\n"
    assert find(text) is not None
    assert find(text, ParseLimits(front_matter_characters_max=50)) is None
