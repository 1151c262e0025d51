"""Reading as a user and as an agent do it: by id, lines, breadcrumb and pattern, on every surface; and paging
and ``why``, which lead to what is read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.agent_session import agent, text_of
from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e

ROLLBACK = "## Rolling back a bad release\n"
SECTIONS = 23


@pytest.fixture
def docs(instance: Instance, documents: Path) -> Instance:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    return instance


@pytest.fixture
def many(instance: Instance, tmp_path: Path) -> Instance:
    """A root in which ``SECTIONS`` sections answer the same question."""
    words = ("amber", "basalt", "cobalt", "dahlia", "ember", "fjord", "garnet", "heron", "indigo", "kelp")
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(SECTIONS):
        first, second = words[number % 10], words[number // 10 + 5]
        text = f"# Part {number}\n\nThe turbine of {first} and {second} runs {number} hours a day.\n"
        (folder / f"n{number:02}.md").write_text(text)
    instance.ctl("root", "add", str(folder), "--name", "many")
    instance.ctl("sync", "--vectors")
    return instance


def _call(instance: Instance, project: Path, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    """What an agent in ``project`` is told: whether it is an error, and the text."""

    async def main() -> list[tuple[bool, str]]:
        async with agent(instance, project) as client:
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
            return [(bool(result.is_error), text_of(result)) for result in results]

    return asyncio.run(main())


def _nodes(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from _nodes(node["children"])


def test_an_id_is_the_same_on_every_surface_and_lasts(
    docs: Instance, documents: Path, tmp_path: Path
) -> None:
    """A5: copied from any answer it is taken by every reader, also after edits and a restart."""
    hit = docs.json("search", "shipctl undo")["hits"][0]
    wanted = hit["id"]
    outline = docs.json("outline", "deploy.md")["nodes"]
    assert wanted in [node["id"] for node in _nodes(outline)]
    assert wanted in docs.ctl("outline", "deploy.md").out
    assert docs.ctl("read", wanted).out.startswith(ROLLBACK)
    assert docs.ctl("read", f"deploy.md#{wanted}").err.splitlines()[0].endswith(f"docs  {wanted}")
    assert docs.json("read", "deploy.md", "Rolling back a bad release")["id"] == wanted
    assert docs.json("why", "undo a release", wanted)["place"]["id"] == wanted

    docs.ctl("stop")
    text = (documents / "guides/deploy.md").read_text()
    edited = text.replace("Run `shipctl undo", "First breathe. Run `shipctl undo").replace(
        "# Deploying\n", "# Deploying\n\n## New before it\n\nx\n", 1
    )
    (documents / "guides/deploy.md").write_text(edited)
    other = tmp_path / "other"
    (other / "guides").mkdir(parents=True)
    (other / "guides/deploy.md").write_text(text)
    docs.ctl("root", "add", str(other), "--wait")
    assert "First breathe." in docs.ctl("read", wanted).out

    found, read, several, resource = _agent_reads(docs, documents, wanted)
    assert found["results"][0]["id"] == wanted
    assert "First breathe." in read
    assert f", {wanted}: Deploying > Rolling back" in read.splitlines()[0]
    assert several.count("--- quoted file content") == 2
    assert resource.startswith(ROLLBACK)


def _agent_reads(instance: Instance, project: Path, wanted: str) -> tuple[Any, str, str, str]:
    """The same by an agent: a search, one read, a read of two, and the section as a resource."""

    async def main() -> tuple[Any, str, str, str]:
        async with agent(instance, project) as client:
            found = json.loads(
                text_of(await client.call_tool("search_docs", {"query": "shipctl undo", "root": "docs"}))
            )
            read = text_of(await client.call_tool("read_section", {"file_path": wanted}))
            several = text_of(
                await client.call_tool("read_section", {"file_path": f"{wanted}, setup.md#Editor"})
            )
            resource = await client.read_resource(f"mdmem://docs/guides/deploy.md#{wanted}")
            return found, read, several, resource.contents[0].text  # type: ignore[union-attr]

    return asyncio.run(main())


def test_a_stale_id_is_answered_with_the_sections_of_its_file(docs: Instance, documents: Path) -> None:
    wanted = docs.json("read", "cookbook.md#Lentil soup")["id"]
    path = documents / "cookbook.md"
    path.write_text(path.read_text().replace("## Lentil soup", "## Soup of lentils"))
    for place in (wanted, f"cookbook.md#{wanted}"):
        told = docs.ctl("read", place, check=False)
        assert told.code == 4
        assert wanted in told.err.splitlines()[0]
        assert "Cookbook > Soup of lentils" in told.err
        assert told.out == ""
    ((is_error, text),) = _call(docs, documents, ("read_section", {"id": wanted}))
    assert is_error
    assert "Cookbook > Soup of lentils" in text


def test_lines_breadcrumbs_and_subsections(docs: Instance, documents: Path) -> None:
    lines = (documents / "guides/deploy.md").read_text().splitlines(keepends=True)
    assert docs.ctl("read", "deploy.md:10").out == lines[9]
    assert docs.ctl("read", f"{documents}/guides/deploy.md:10-12").out == "".join(lines[9:12])
    assert docs.ctl("read", "guides/deploy.md", "Deploying > Required settings").out.startswith("## Required")
    assert docs.ctl("read", "guides/deploy.md#deploying  >  required settings").out.startswith("## Required")
    alone = docs.ctl("read", "deploy.md", "Deploying").out
    assert "shipctl" not in alone
    whole = docs.ctl("read", "deploy.md", "Deploying", "--include-subsections").out
    assert whole.startswith(alone)
    assert whole.endswith(lines[-1])
    told = docs.ctl("read", "deploy.md:999", check=False)
    assert (told.code, "and no line 999" in told.err) == (4, True)
    assert docs.ctl("read", "deploy.md:9-3", check=False).code == 2

    answers = _call(
        docs,
        documents,
        ("read_section", {"file_path": "deploy.md:10-12"}),
        (
            "read_section",
            {"file_path": "deploy.md", "heading_path": "Deploying", "include_subsections": True},
        ),
        ("read_section", {"file_path": "deploy.md", "heading_path": "Required setings"}),
        ("read_section", {"file_path": "deplyo.md"}),
    )
    assert "".join(lines[9:12]) in answers[0][1]
    assert "SHIP_TOKEN_FILE" in answers[1][1]
    assert (answers[2][0], 'Candidates: "Deploying > Required settings"' in answers[2][1]) == (True, True)
    assert (answers[3][0], 'Candidates: "guides/deploy.md"' in answers[3][1]) == (True, True)


def test_a_miss_names_what_is_near(docs: Instance) -> None:
    heading = docs.ctl("read", "deploy.md", "Required setings", check=False)
    assert (heading.code, heading.err.splitlines()[1]) == (4, "  Deploying > Required settings")
    document = docs.ctl("read", "deplyo.md", check=False)
    assert (document.code, document.err.splitlines()[1]) == (4, "  guides/deploy.md")


def test_several_places_patterns_and_the_limit_of_bytes(docs: Instance, documents: Path) -> None:
    """C5: what could not be read is named, and the exit code says whether it was all or some."""
    two = docs.json("read", "guides/*.md#*e*", "cookbook.md:1")["items"]
    assert [item["address"] for item in two] == [
        "guides/deploy.md#Deploying", "guides/deploy.md#Deploying > Rolling back a bad release",
        "guides/deploy.md#Deploying > Required settings", "guides/setup.md#Setting up a workstation",
        "guides/setup.md#Setting up a workstation > Editor",
        "guides/setup.md#Setting up a workstation > Keyboard", "cookbook.md:1",
    ]  # fmt: skip
    some = docs.ctl(
        "read", "cookbook.md#Lentil soup", "deploy.md", "gone.md", "--max-bytes", "100", check=False
    )
    assert some.code == 1
    assert "Simmer the lentils" in some.out
    assert "deploy.md: Left out: it has " in some.out
    assert some.err == "mdmemctl: 2 of 3 could not be read: deploy.md, gone.md\n"
    none = docs.ctl("read", "gone.md", "cookbook.md#Pizza", "--json", check=False)
    assert none.code == 4
    assert [item["code"] for item in none.json["items"]] == ["not_found", "not_found"]
    assert docs.ctl("read", "deploy.md", "setup.md", "--max-bytes", "9", check=False).code == 5

    (several, too_much) = _call(
        docs,
        documents,
        ("read_section", {"file_path": ["guides/*.md#Editor", "gone.md"]}),
        ("read_section", {"file_path": "guides/*.md", "max_bytes": 9}),
    )
    assert (several[0], "install-editor --with-plugins" in several[1]) == (False, True)
    assert several[1].splitlines()[-1].startswith("gone.md: No indexed document is named 'gone.md'.")
    assert too_much[0]
    assert "guides/deploy.md: Left out" in too_much[1]


def _pages(ask: Callable[[str], tuple[list[str], str | None]]) -> list[str]:
    """Names of the hits of all pages, one after the other."""
    names: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = ask(cursor)
        assert page
        names += page
    return names


@pytest.mark.parametrize("mode", ["hybrid", "exact"])
def test_a_cursor_leads_through_all_hits_once(many: Instance, mode: str) -> None:
    def by_command(cursor: str) -> tuple[list[str], str | None]:
        found = many.json(
            "search", "hours of the turbine", "--mode", mode, "--limit", "5", "--cursor", cursor
        )
        return [hit["id"] for hit in found["hits"]], found["cursor"]

    at_once = many.json("search", "hours of the turbine", "--mode", mode, "--limit", "50")
    assert at_once["cursor"] is None
    wanted = [hit["id"] for hit in at_once["hits"]]
    assert len(wanted) == SECTIONS
    assert _pages(by_command) == wanted


def test_an_agent_pages_to_the_end(many: Instance, tmp_path: Path) -> None:
    async def main() -> tuple[list[str], list[str]]:
        async with agent(many, tmp_path / "many") as client:
            asked = {"query": "hours of the turbine", "root": "many"}
            whole = json.loads(text_of(await client.call_tool("search_docs", asked | {"limit": 50})))
            names: list[str] = []
            cursor: dict[str, str] | None = {}
            while cursor is not None:
                page = json.loads(
                    text_of(await client.call_tool("search_docs", asked | {"limit": 7} | cursor))
                )
                names += [row["id"] for row in page["results"]]
                cursor = {"cursor": page["cursor"]} if "cursor" in page else None
            return names, [row["id"] for row in whole["results"]]

    names, at_once = asyncio.run(main())
    assert names == at_once
    assert len(set(names)) == SECTIONS


def test_why_tells_where_a_section_stands_among_the_answers(many: Instance) -> None:
    found = many.json("search", "hours of the turbine", "--limit", "50")["hits"]
    for rank in (1, 6, SECTIONS):
        hit = found[rank - 1]
        told = many.json("why", "hours of the turbine", f"{hit['path']}#{hit['id']}")
        assert (told["state"], told["rank"]) == ("shown" if rank <= 5 else "below", rank)
        assert told["score"] == pytest.approx(hit["score"], abs=2e-4)
        assert told["place"]["id"] == hit["id"]
    missing = many.ctl("why", "hours of the turbine", "n99.md", check=False)
    assert missing.code == 4
