"""The tools of other systems with a real daemon: searched, read on and indexed by their own names."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mdmem_testkit.agent_session import agent, text_of
from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e

QUESTION = "roll back a bad release"


def test_markdown_memory(instance: Instance, documents: Path) -> None:
    async def main() -> None:
        async with agent(instance, documents, tools="markdown-memory") as client:
            page = json.loads(text_of(await client.call_tool("search_docs", {"query": QUESTION})))
            best = page["results"][0]
            assert (best["file_path"], best["heading_path"]) == (
                "guides/deploy.md",
                "Deploying > Rolling back a bad release",
            )
            assert page["index_status"]["root"] == str(documents)
            found = {"file_path": best["file_path"], "heading_path": best["heading_path"]}
            read = text_of(await client.call_tool("read_section", found))
            assert read.startswith("## Rolling back a bad release\n\nRun `shipctl undo")
            blank = json.loads(text_of(await client.call_tool("search_docs", {"query": ""})))
            assert (blank["results"], blank["keyword_match"]) == ([], "no_terms")
            outline = json.loads(
                text_of(await client.call_tool("get_document_outline", {"file_path": "cookbook.md"}))
            )
            assert [node["title"] for node in outline[0]["children"]] == ["Sourdough bread", "Lentil soup"]
            (documents / "log.md").write_text("# Log\n\n" + "Nothing much.\n\n" * 400 + "Saw a kingfisher.\n")
            page = json.loads(text_of(await client.call_tool("search_docs", {"query": "kingfisher"})))
            name = page["results"][0]["heading_path"]
            assert name.startswith("Log (Part ")
            part = {"file_path": "log.md", "heading_path": name}
            whole = {"file_path": "log.md", "heading_path": "Log"}
            assert "kingfisher" in text_of(await client.call_tool("read_section", part))
            text = text_of(await client.call_tool("read_section", whole))
            assert text == (documents / "log.md").read_text()
            (documents / "tea.md").write_text("# Tea\n\nSteep it.\n")
            summary = text_of(await client.call_tool("index_directory", {}))
            assert summary.startswith(f"Indexed {documents} in ")
            assert "5 scanned" in summary

    asyncio.run(main())


def test_markdex(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "shelf", "--wait")

    async def main() -> None:
        async with agent(instance, documents, tools="markdex") as client:
            await client.list_tools()
            listed = await client.call_tool("list_collections", {})
            assert listed.structured_content is not None
            assert [row["name"] for row in listed.structured_content["collections"]] == ["shelf"]
            found = await client.call_tool("search", {"collection": "shelf", "query": QUESTION})
            assert found.structured_content is not None
            best = found.structured_content["results"][0]
            assert best["heading_path"] == "deploying/rolling-back-a-bad-release"
            assert "shipctl undo" in best["document"]
            headings = await client.call_tool("list_headings", {"collection": "shelf"})
            assert headings.structured_content is not None
            assert "cookbook/lentil-soup" in headings.structured_content["headings"]
            wrong = await client.call_tool("search", {"collection": "self", "query": QUESTION})
            assert wrong.is_error
            assert text_of(wrong).startswith("status 404: ")

    asyncio.run(main())


def test_docsearch_as_the_settings_say(instance: Instance, documents: Path) -> None:
    instance.home.mkdir(parents=True, exist_ok=True)
    (instance.home / "config").mkdir()
    (instance.home / "config" / "config.toml").write_text('[mcp]\ntools = "docsearch"\n')

    async def main() -> None:
        async with agent(instance, documents) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["search_docs", "reindex", "index_stats"]
            found = text_of(await client.call_tool("search_docs", {"query": QUESTION, "n_results": 1}))
            assert found.startswith("[1] guides/deploy.md (lines 10-14) [score: ")
            assert "\nSection: Deploying > Rolling back a bad release\n---\n## Rolling back" in found
            below = {"query": "sourdough", "path_prefix": "coo"}
            assert "[1] cookbook.md" in text_of(await client.call_tool("search_docs", below))
            elsewhere = {"query": "sourdough", "path_prefix": "nothing/"}
            assert text_of(await client.call_tool("search_docs", elsewhere)).startswith("No results found (")
            one = text_of(await client.call_tool("reindex", {"file_path": "cookbook.md"}))
            assert one.startswith("Re-indexed cookbook.md: 3 chunks\nTotal chunks: ")
            missing = await client.call_tool("reindex", {"file_path": "absent.md"})
            assert text_of(missing) == "File not found: absent.md"
            assert f"Corpus: {documents}\n" in text_of(await client.call_tool("index_stats", {}))

    asyncio.run(main())
