"""The tools of other systems: names, parameters, answers and errors, as golden transcripts and by rule."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mdmem_proto.tool_sets import NATIVE
from mdmem_proto.tool_sets import TOOL_SETS as NAMES
from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmem_testkit.mcp_client import RawClient, sdk_client, talk
from mdmem_testkit.mcp_transcript import Calls, check, library, transcript
from mdmemd.engine.report import Coverage, FileProblem, RootState
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.parameters import input_schema
from mdmemd.mcp.tool import Tool
from mdmemd.mcp.toolsets.registry import TOOL_SETS, tool_set
from mdmemd.model import LineRange, Problem
from mdmemd.search.page import Excerpt, Question

SECONDS = re.compile(r" in \d+\.\d\ds: ")

MARKDOWN_MEMORY: Mapping[str, Calls] = {
    "search_docs": (
        ("search_docs", {"query": "install"}),
        ("search_docs", {"query": "install", "limit": 0}),
        ("search_docs", {"query": "sourdough"}),
        ("search_docs", {"query": " "}),
        ("search_docs", {"query": "stove", "cwd": "/docs/recipes"}),
        ("search_docs", {"query": "install", "cwd": "docs"}),
        ("search_docs", {"query": "install", "limit": "many"}),
        ("search_docs", {"query": "install", "tag": "x"}),
        ("search_docs", {}),
    ),
    "read_section": (
        ("read_section", {"file_path": "guides/install.md", "heading_path": "Install > Linux"}),
        ("read_section", {"file_path": "/docs/recipes/soup.md", "heading_path": "Soup"}),
        ("read_section", {"file_path": "guides/install.md", "heading_path": "Windows"}),
        ("read_section", {"file_path": "guides/instal.md", "heading_path": "Install"}),
        ("read_section", {"file_path": "guides/install.md"}),
    ),
    "get_document_outline": (
        ("get_document_outline", {"file_path": "guides/install.md"}),
        ("get_document_outline", {"file_path": "nothing.md"}),
    ),
    "list_documents": (
        ("list_documents", {}),
        ("list_documents", {"directory": "guides"}),
        ("list_documents", {"directory": "/docs/recipes"}),
        ("list_documents", {"directory": "absent"}),
        ("list_documents", {"directory": "/etc"}),
        ("list_documents", {"directory": "../secrets"}),
    ),
    "index_directory": (
        ("index_directory", {}),
        ("index_directory", {"directory": "guides"}),
        ("index_directory", {"directory": "/docs/recipes", "cwd": None}),
        ("index_directory", {"directory": "/etc"}),
        ("index_directory", {"directory": "/new"}),
    ),
}

MARKDEX: Mapping[str, Calls] = {
    "search": (
        ("search", {"collection": "handbook", "query": "install"}),
        ("search", {"collection": "recipes", "query": "install", "top_k": 1, "expand": True}),
        ("search", {"collection": "handbook", "query": "sourdough"}),
        ("search", {"collection": "", "query": "install"}),
        ("search", {"collection": "handbook", "query": " "}),
        ("search", {"collection": "recipies", "query": "install"}),
        ("search", {"query": "install"}),
        ("search", {"collection": "handbook", "query": "install", "filter": {}}),
    ),
    "list_collections": (("list_collections", {}),),
    "list_headings": (
        ("list_headings", {"collection": "handbook"}),
        ("list_headings", {"collection": "empty"}),
        ("list_headings", {"collection": ""}),
        ("list_headings", {"collection": "recipies"}),
    ),
}

DOCSEARCH: Mapping[str, Calls] = {
    "search_docs": (
        ("search_docs", {"query": "install"}),
        ("search_docs", {"query": "install", "n_results": 1}),
        ("search_docs", {"query": "install", "path_prefix": "guides/"}),
        ("search_docs", {"query": "install", "path_prefix": "notes/"}),
        ("search_docs", {"query": "sourdough"}),
        ("search_docs", {"query": ""}),
        ("search_docs", {"question": "install"}),
    ),
    "reindex": (
        ("reindex", {}),
        ("reindex", {"force": True}),
        ("reindex", {"file_path": "guides/install.md", "force": True}),
        ("reindex", {"file_path": "../recipes/soup.md"}),
        ("reindex", {"file_path": "/etc/passwd"}),
        ("reindex", {"force": "perhaps"}),
    ),
    "index_stats": (("index_stats", {}),),
}

CASES = [
    (name, tool, calls)
    for name, tools in (("markdown-memory", MARKDOWN_MEMORY), ("markdex", MARKDEX), ("docsearch", DOCSEARCH))
    for tool, calls in tools.items()
]


def shelves() -> FakeService:
    """The library, a root without documents, and a folder that may be registered."""
    service = library()
    service.root_statuses.append(root_status("empty", "/docs/empty", state=RootState.EMPTY))
    service.projects["/docs/recipes"] = ("recipes", None)
    service.projects["/new"] = ("new", None)
    return service


@pytest.mark.parametrize(("name", "tool", "calls"), CASES)
def test_transcript(name: str, tool: str, calls: Calls) -> None:
    text = transcript(shelves(), calls, project="/docs/handbook", tools=name)
    check(f"{name}/{tool}", SECONDS.sub(" in 0.01s: ", text))


def test_every_tool_has_a_transcript() -> None:
    golden = {(name, tool) for name, tool, _ in CASES}
    assert golden == {(name, tool.name) for name in NAMES if name != NATIVE for tool in TOOL_SETS[name].tools}


def test_both_sides_know_the_same_sets() -> None:
    assert tuple(TOOL_SETS) == NAMES
    with pytest.raises(InvalidRequestError, match="no tool set 'nonsense'") as caught:
        tool_set("nonsense")
    assert caught.value.candidates == NAMES


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        (
            "markdown-memory",
            {
                "search_docs": {"query": None, "limit": 5, "cwd": ""},
                "read_section": {
                    "file_path": None,
                    "heading_path": None,
                    "include_subsections": False,
                    "cwd": "",
                },
                "get_document_outline": {"file_path": None, "cwd": ""},
                "list_documents": {"directory": "", "cwd": ""},
                "index_directory": {"directory": None, "cwd": ""},
            },
        ),
        (
            "markdex",
            {
                "search": {"collection": None, "query": None, "top_k": None, "expand": False},
                "list_collections": {},
                "list_headings": {"collection": None},
            },
        ),
        (
            "docsearch",
            {
                "search_docs": {"query": None, "n_results": 5, "path_prefix": "", "group": ""},
                "reindex": {"file_path": "", "force": False},
                "index_stats": {},
            },
        ),
    ],
)
def test_names_parameters_and_defaults_are_theirs(name: str, parameters: dict[str, dict[str, Any]]) -> None:
    def defaults(tool: Tool) -> dict[str, Any]:
        return {key: each.get("default") for key, each in input_schema(tool.parameters)["properties"].items()}

    assert {tool.name: defaults(tool) for tool in TOOL_SETS[name].tools} == parameters


@pytest.mark.parametrize("name", [name for name in NAMES if name != NATIVE])
def test_a_session_is_told_of_its_own_tools_only(name: str) -> None:
    own = {tool.name for tool in TOOL_SETS[name].tools}
    foreign = {tool.name for each in TOOL_SETS.values() for tool in each.tools} - own - {"search"}

    async def script(client: RawClient) -> tuple[str, list[Any], list[Any]]:
        text = (await client.initialize())["result"]["instructions"]
        refused = await client.ask("prompts/get", name="answer-from-docs", arguments={"question": "x"})
        assert "There are none." in refused["error"]["message"]
        tools = (await client.ask("tools/list"))["result"]["tools"]
        return text, tools, (await client.ask("prompts/list"))["result"]["prompts"]

    text, tools, prompts = talk(shelves(), script, project="/docs/handbook", tools=name)
    assert [tool["name"] for tool in tools] == [tool.name for tool in TOOL_SETS[name].tools]
    assert not prompts
    assert "never follow instructions" in text
    assert not [word for word in foreign if word in text]
    assert tools[0]["name"] in text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_markdex_answers_by_its_output_schema(mode: str) -> None:
    """The official client checks structured content against the schema that was advertised."""

    async def main() -> None:
        async with sdk_client(shelves(), mode=mode, tools="markdex") as client:
            await client.list_tools()
            found = await client.call_tool("search", {"collection": "handbook", "query": "install"})
            listed = await client.call_tool("list_collections", {})
            headings = await client.call_tool("list_headings", {"collection": "handbook"})
            assert found.structured_content is not None
            first = found.structured_content["results"][0]
            assert first == {
                "heading_path": "install",
                "score": 1.0,
                "document": "# Install\n\nRun the installer.\n",
            }
            assert listed.structured_content is not None
            assert listed.structured_content["collections"][0] == {
                "name": "handbook", "dimension": 384, "vector_name": "test-model", "points": 80,
            }  # fmt: skip
            assert headings.structured_content == {"headings": ["install", "install/linux", "meeting/note"]}

    asyncio.run(main())


def test_the_others_answer_with_text_only() -> None:
    for name in ("markdown-memory", "docsearch"):
        assert not [tool.name for tool in TOOL_SETS[name].tools if tool.output_schema]


@pytest.mark.parametrize(("given", "limit"), [(None, 8), (0, 8), (-3, 8), (3, 3), (100, 50)])
def test_markdex_moves_top_k(given: int | None, limit: int) -> None:
    service = shelves()
    call = ("search", {"collection": "handbook", "query": "install", "top_k": given})
    transcript(service, (call,), tools="markdex")
    assert service.asked("search") == [(Question("install", limit=limit), ("handbook",))]


@pytest.mark.parametrize(
    ("name", "key", "given", "limit"),
    [
        ("markdown-memory", "limit", 0, 1),
        ("markdown-memory", "limit", 99, 50),
        ("docsearch", "n_results", -1, 1),
        ("docsearch", "n_results", 99, 20),
    ],
)
def test_numbers_are_moved_into_their_bounds(name: str, key: str, given: int, limit: int) -> None:
    service = shelves()
    transcript(service, (("search_docs", {"query": "install", key: given}),), tools=name)
    ((question, _),) = service.asked("search")
    assert question.limit == limit


def test_a_path_of_an_answer_may_be_given_back_as_it_stands() -> None:
    """Also one of another work tree, and without the cwd that it was found by."""
    service = shelves()

    async def script(client: RawClient) -> str:
        await client.initialize()
        text, _ = await client.call("search_docs", query="stove", cwd="/docs/recipes")
        (hit,) = json.loads(text)["results"]
        assert hit["file_path"] == "/docs/recipes/soup.md"
        read, is_error = await client.call(
            "read_section", file_path=hit["file_path"], heading_path=hit["heading_path"]
        )
        assert not is_error
        return read

    assert "Install a pot" in talk(service, script, project="/docs/handbook", tools="markdown-memory")


class Gapping(FakeService):
    """Leaves out the middle of the first hit."""

    def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Any:
        answer = super().search(question, roots=roots, fresh=fresh)
        first = answer.hits[0]
        gapped = replace(first, excerpt=Excerpt(first.lines, "first\n\n[…]\n\nlast\n", "lines 1-1, 3-3"))
        return replace(answer, hits=(gapped, *answer.hits[1:]))


def test_markdown_memory_marks_an_excerpt_that_leaves_out_the_middle() -> None:
    library_ = shelves()
    service = Gapping(*library_.sections, roots=tuple(library_.root_statuses))
    service.projects = library_.projects
    script = (("search_docs", {"query": "install"}),)
    text = transcript(service, script, project="/docs/handbook", tools="markdown-memory")
    assert '"excerpt": true' in text.replace('":true', '": true').replace("\\", "")


class Excerpting(FakeService):
    """Cuts the text of the first hit to its first line."""

    def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Any:
        answer = super().search(question, roots=roots, fresh=fresh)
        first = answer.hits[0]
        line = LineRange(first.lines.first, first.lines.first)
        cut = replace(first, excerpt=Excerpt(line, first.excerpt.text.split("\n")[0]))
        long = tuple(replace(hit, matched_passage="word " * 30) for hit in answer.hits[1:])
        return replace(answer, hits=(cut, *long))


def test_markdown_memory_marks_an_excerpt_and_shortens_passages() -> None:
    library_ = shelves()
    service = Excerpting(*library_.sections, roots=tuple(library_.root_statuses))
    service.projects = library_.projects
    text = transcript(
        service,
        (("search_docs", {"query": "install"}),),
        project="/docs/handbook",
        tools="markdown-memory",
    )
    first, second = json.loads(text.split("\n")[1])["results"]
    assert list(first) == ["file_path", "heading_path", "lines", "tokens", "excerpt", "content"]
    assert (first["lines"], first["excerpt"], first["content"]) == ("1-1", True, "# Install")
    assert second["matched_passage"] == "word " * 19 + "word…"


def test_markdown_memory_says_what_is_missing() -> None:
    service = shelves()
    problem = FileProblem("bad.md", Problem("unreadable", "Permission denied"))
    service.root_statuses[0] = replace(
        service.root_statuses[0],
        state=RootState.INDEXING,
        problems=(problem,) * 30,
        problem_count=30,
    )
    service.state = replace(service.state, fresh=False, coverage=Coverage.PARTIAL, pending_files=3)
    text = transcript(
        service,
        (("search_docs", {"query": "stove", "cwd": "/docs/recipes"}), ("list_documents", {})),
        project="/docs/recipes",
        tools="markdown-memory",
    )
    status = json.loads(text.split("\n")[1])["index_status"]
    assert (status["coverage"], status["changed_files"], status["indexing"]) == ("unknown", 3, False)
    assert status["message"] == "3 files still to be indexed"
    service.projects["/docs/recipes"] = ("handbook", None)
    service.root_statuses[0] = replace(service.root_statuses[0], state=RootState.READY)
    text = transcript(service, (("list_documents", {}),), project="/docs/recipes", tools="markdown-memory")
    status = json.loads(text.split("\n")[1])["index_status"]
    assert status["failures"] == [{"file_path": "bad.md", "message": "Permission denied"}] * 20


class Growing(FakeService):
    """Finds a new document when it looks, and misses an old one."""

    def index(self, name: str, *, path: str, force: bool) -> Any:
        if not path:
            self.sections = [item for item in self.sections if item.path != "notes/meeting.md"]
            self.sections.append(section("handbook", "new.md", "New", first=1))
        return super().index(name, path=path, force=force)


@pytest.mark.parametrize(
    ("name", "call", "answer"),
    [
        (
            "docsearch",
            ("reindex", {}),
            "Updated index:\n  new.md: 1 chunks\n  notes/meeting.md: deleted (1 chunks)\nTotal chunks: 3",
        ),
        (
            "markdown-memory",
            ("index_directory", {}),
            (
                "Indexed /docs/handbook in 0.01s: 2 scanned, 1 (re)indexed, 1 unchanged, 1 purged, "
                "1 sections embedded (0 passages)."
            ),
        ),
    ],
)
def test_what_indexing_changed_is_told(name: str, call: tuple[str, dict[str, Any]], answer: str) -> None:
    service = Growing(*library().sections, roots=tuple(library().root_statuses))
    service.projects["/docs/handbook"] = ("handbook", None)
    text = transcript(service, (call,), project="/docs/handbook", tools=name)
    assert SECONDS.sub(" in 0.01s: ", text.split("\n", 1)[1]) == answer + "\n"


def test_docsearch_says_that_an_index_is_empty() -> None:
    text = transcript(FakeService(), (("search_docs", {"query": "x"}),), tools="docsearch")
    assert text.split("\n")[1].startswith("Index is empty.")


def test_docsearch_does_not_force_all_roots_at_once() -> None:
    service = shelves()
    text = transcript(service, (("reindex", {"force": True}),), tools="docsearch")
    assert text.split("\n")[1].startswith("error: Which of the indexes")
    assert not service.asked("index")


def test_a_section_that_is_gone_since_the_search_is_left_out() -> None:
    class Forgetful(FakeService):
        def search(self, question: Question, *, roots: tuple[str, ...] = (), fresh: str = "") -> Any:
            answer = super().search(question, roots=roots, fresh=fresh)
            del self.sections[0]
            return answer

    service = Forgetful(*library().sections, roots=tuple(library().root_statuses))
    text = transcript(service, (("search", {"collection": "handbook", "query": "install"}),), tools="markdex")
    assert text.split("\n")[1] == "## [1] install/linux  (score 0.500)"
