"""A session as an agent lives it: over the daemon's death, over its own folders, over work trees."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import mcp.types as types
import pytest

from mdmem_testkit.agent_session import agent, text_of
from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


async def ask(client: Any, tool: str, **arguments: Any) -> Any:
    """The JSON of an answer that is no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_walk_that_outlives_the_daemon(instance: Instance, documents: Path, mode: str) -> None:
    """Search, outline, read, edit, search again, reindex; resources, prompts; again after ``kill -9``."""

    def add_dish(dish: str) -> None:
        with open(documents / "cookbook.md", "a") as file:
            file.write(f"\n## {dish}\n\nBoil the {dish.lower()} gently.\n")

    async def walk(client: Any, dish: str) -> None:
        found = await ask(client, "search_docs", query="how do I roll back a release")
        best = found["results"][0]
        outline = await ask(client, "get_document_outline", file_path=best["path"])
        assert best["heading_path"] in [row["heading_path"] for row in outline["sections"]]
        read = await client.call_tool(
            "read_section", {"file_path": best["path"], "heading_path": best["heading_path"]}
        )
        assert "shipctl undo" in text_of(read)
        add_dish(dish)
        again = await ask(client, "search_docs", query=dish)
        assert again["results"][0]["heading_path"] == f"Cookbook > {dish}"
        done = await ask(client, "reindex", file="cookbook.md")
        assert (done["file"], done["roots"][0]["name"]) == ("cookbook.md", "documents")
        contents = (await client.read_resource(f"mdmem://documents/cookbook.md#{dish}")).contents
        assert contents[0].text.startswith(f"## {dish}\n")
        prompt = await client.get_prompt("answer-from-docs", {"question": dish})
        assert dish in prompt.messages[0].content.text

    async def main() -> None:
        async with agent(instance, documents, mode=mode) as client:
            await client.list_tools()
            assert [item.name for item in (await client.list_resources()).resources] == []
            await walk(client, "Artichoke")
            listed = (await client.list_resources()).resources
            assert [item.name for item in listed] == ["cookbook.md", "guides/deploy.md", "guides/setup.md"]
            os.kill(instance.pid(), signal.SIGKILL)
            await walk(client, "Parsnip")

    asyncio.run(main())


def test_folders_that_the_client_tells_count_more_than_where_it_was_started(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.md").write_text("# Elsewhere\n\nNothing about soup.\n")

    async def list_roots(_context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=documents.as_uri())])  # type: ignore[arg-type]

    async def main() -> None:
        session = agent(instance, elsewhere, mode="legacy", is_named=False, list_roots_callback=list_roots)
        async with session as client:
            found = await ask(client, "search_docs", query="lentil soup")
            assert found["root"] == "documents"
            status = await ask(client, "index_status")
            assert status["project"] == {"folder": str(documents), "root": "documents"}
            assert [row["name"] for row in status["roots"]] == ["documents"]

    asyncio.run(main())


def test_work_trees_are_told_apart_by_cwd(instance: Instance, documents: Path, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e")
        subprocess.run(["git", "-C", documents, *identity, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    inside = documents / "trees/feature"
    git("worktree", "add", "--quiet", str(inside))
    (inside / "cookbook.md").write_text("# Cookbook\n\n## Lentil soup\n\nUse red lentils here.\n")

    async def main() -> None:
        async with agent(instance, documents) as client:
            own = await ask(client, "search_docs", query="lentil soup")
            assert "with cumin" in own["results"][0]["content"]
            other = await ask(client, "search_docs", query="lentil soup", cwd=str(inside / "guides"))
            assert other["root"] != "documents"
            assert "red lentils" in other["results"][0]["content"]
            again = await ask(client, "search_docs", query="lentil soup")
            assert again["root"] == "documents"

    asyncio.run(main())


def test_the_configuration_names_the_roots_of_a_project(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "shop.md").write_text("# Shop\n\nSells soup.\n")
    config = Path(instance.environment["MDMEM_HOME"], "config")
    config.mkdir(parents=True)
    (config / "config.toml").write_text(f'[projects]\n"{shop}" = ["cooking"]\n')
    instance.ctl("root", "add", str(documents), "--name", "cooking", "--wait")

    async def main() -> None:
        async with agent(instance, shop) as client:
            assert client.instructions is not None
            assert "This project: root 'cooking', 3 documents" in client.instructions
            found = await ask(client, "search_docs", query="soup")
            assert found["root"] == "cooking"
            assert "note" not in found

    asyncio.run(main())
