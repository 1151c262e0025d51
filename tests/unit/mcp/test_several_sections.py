"""``read_section`` of several places, by ids and by patterns, against a real engine on fakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.mcp.answer_budget import ANSWER_TOKENS_MAX
from mdmemd.mcp.parameters import read_arguments
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.tools import get_document_outline, read_section, search_docs
from mdmemd.mcp.tools.places import PLACES_MAX, Places
from mdmemd.mcp.tools.several_sections import MISSING_SHOWN
from mdmemd.text.token_estimate import estimate_tokens

EVERYWHERE = Scope((), is_named=False, folder="")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path)
    made.files.write("/docs/guide.md", "# Guide\n\nintro\n\n## Install\n\ninstaller\n\n## Use\n\nusage\n")
    made.files.write("/docs/Tips, tricks.md", "# Tips\n\ntricky\n")
    made.files.write("/docs/api/client.md", "# Client\n\n## Install it\n\nclient installer\n")
    made.add("/docs")
    yield made
    made.close()


def _run(world: EngineWorld, tool: Tool, *, scope: Scope = EVERYWHERE, **arguments: Any) -> str:
    given = read_arguments(tool.name, tool.parameters, arguments=arguments)
    answer = tool.run(world.engine.service, Call(given, scope=scope, mark=lambda: "m"))
    assert isinstance(answer, str)
    return answer


def _read(world: EngineWorld, *, scope: Scope = EVERYWHERE, **arguments: Any) -> str:
    return _run(world, read_section.TOOL, scope=scope, **arguments)


def _sources(answer: str) -> list[str]:
    lines = answer.splitlines()
    return [
        lines[at - 1].rpartition(": ")[2] for at, line in enumerate(lines) if line.startswith("--- quoted")
    ]


@pytest.mark.parametrize(
    "places",
    [
        ["guide.md#Install", "Tips, tricks.md"],
        '["guide.md#Install", "Tips, tricks.md"]',
        ["guide.md#Install", " Tips, tricks.md ", ""],
    ],
)
def test_a_list_is_read_in_order(world: EngineWorld, places: object) -> None:
    answer = _read(world, file_paths=places)
    assert answer.index("installer") < answer.index("tricky")
    assert answer.count("--- end m ---") == 2
    assert "guide.md (root docs), lines 5-8, " in answer


def test_only_what_can_be_nothing_but_places_is_split_at_commas(world: EngineWorld) -> None:
    answer = _read(world, path="guide.md#Install, api/client.md:1")
    assert _sources(answer)[0] == "Guide > Install"
    assert "api/client.md (root docs), lines 1-1, " in answer
    assert "tricky" in _read(world, path="Tips, tricks.md")
    with pytest.raises(NotFoundError, match="'This, that'"):
        _read(world, path="guide.md#This, that")


def test_a_pattern_reads_what_it_matches(world: EngineWorld) -> None:
    assert _sources(_read(world, path="**/*.md#Install*")) == ["Client > Install it", "Guide > Install"]
    assert _sources(_read(world, path="*.md", heading="Use")) == ["Guide > Use"]
    answer = _read(world, path="api/*", include_subsections=True)
    assert answer.startswith("api/client.md (root docs), lines 1-5, ")


def test_ids_of_search_and_outline_are_read(world: EngineWorld) -> None:
    """A5: an id that any answer shows is taken by ``read_section``, whatever root the session is in."""
    hits = json.loads(_run(world, search_docs.TOOL, query="client installer"))["results"]
    rows = json.loads(_run(world, get_document_outline.TOOL, file_path=hits[0]["id"]))["sections"]
    assert hits[0]["id"] in [row["id"] for row in rows]
    elsewhere = Scope((), is_named=False, folder="/elsewhere")
    for place in (hits[0]["id"], f"client.md#{hits[0]['id']}"):
        answer = _read(world, id=place, scope=elsewhere)
        assert _sources(answer) == ["Client > Install it"]
        assert f", {hits[0]['id']}: " in answer.splitlines()[0]
    assert "client installer" in _read(world, path="client.md", heading=hits[0]["id"])
    both = _read(world, ids=[row["id"] for row in rows])
    assert _sources(both) == ["Client", "Client > Install it"]


def test_an_id_is_found_in_any_root_of_a_session(world: EngineWorld) -> None:
    world.files.write("/other/guide.md", "# Guide\n\n## Install\n\nanother\n")
    world.add("/other")
    wanted = world.engine.service.read("guide.md#Install", root="other").id
    for scope in (
        Scope(("docs", "other"), is_named=False, folder="/docs"),
        Scope(("docs", "other"), is_named=True, folder="/docs"),
        Scope(("docs",), is_named=False, folder="/docs"),
    ):
        assert "another" in _read(world, id=wanted, scope=scope)
    with pytest.raises(NotFoundError, match="No section has the id"):
        _read(world, id=wanted, scope=Scope(("docs",), is_named=True, folder="/docs"))


def test_what_is_not_there_is_told_below_the_rest(world: EngineWorld) -> None:
    answer = _read(world, path=["guide.md#Use", "guide.md#Usee", "nowhere.md"])
    assert _sources(answer) == ["Guide > Use"]
    first, second = answer.splitlines()[-2:]
    assert first.startswith("guide.md#Usee: guide.md has no section 'Usee'.")
    assert "Candidates: 'Guide > Use'" in first
    assert second.startswith("nowhere.md: No indexed document is named 'nowhere.md'.")


def test_only_where_nothing_could_be_read_it_is_an_error(world: EngineWorld) -> None:
    with pytest.raises(NotFoundError, match=r"'Usee'.*'nowhere\.md'"):
        _read(world, path=["guide.md#Usee", "nowhere.md"])
    with pytest.raises(NotFoundError, match="fits no document"):
        _read(world, path="nothing/*.md")


def test_parts_are_of_one_section(world: EngineWorld) -> None:
    with pytest.raises(InvalidRequestError, match="'part' is of one section"):
        _read(world, path="*.md", part=2)


def test_the_limit_of_the_caller_counts_bytes(world: EngineWorld) -> None:
    size = len("## Install\n\ninstaller\n\n")
    answer = _read(world, path=["guide.md#Install", "guide.md#Use"], max_bytes=size)
    assert _sources(answer) == ["Guide > Install"]
    assert answer.splitlines()[-1] == (
        "guide.md#Use: Left out: it has 14 bytes, and 0 were left of the limit. "
        "Read it by itself, or allow more bytes."
    )


def test_the_answer_is_bounded_however_much_a_pattern_matches(world: EngineWorld) -> None:
    many = "".join(f"# H{number}\n\n{'word ' * 40}\n\n" for number in range(900))
    world.files.write("/more/many.md", many)
    world.add("/more")
    answer = _read(world, path="many.md#H*")
    assert ANSWER_TOKENS_MAX * 0.9 < estimate_tokens(answer) < ANSWER_TOKENS_MAX * 1.2
    shown, lines = answer.count("--- end m ---"), answer.splitlines()
    assert lines[-1] == f"And {900 - shown - MISSING_SHOWN} more: narrow the pattern."
    assert lines[-2].startswith(f"many.md#H{shown + MISSING_SHOWN - 1}: Left out: ")


def test_what_is_no_list_of_places_is_refused() -> None:
    parameter = Places(name="file_path")
    for value in (7, [1], {"a": 1}, "[1]"):
        with pytest.raises(InvalidRequestError, match="a path or a list of paths"):
            parameter.read(value)
    with pytest.raises(InvalidRequestError, match="at most"):
        parameter.read([f"{number}.md" for number in range(PLACES_MAX + 1)])
    with pytest.raises(InvalidRequestError, match="at most"):
        parameter.read("x" * 5_000)
    assert parameter.read("[broken.md") == ("[broken.md",)
