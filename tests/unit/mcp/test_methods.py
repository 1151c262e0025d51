"""What a session answers beside tools, by the official client in both eras: resources, prompts, completion,
progress, the client's folders, and notices."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mcp.types as types
import pytest
from mcp.shared.exceptions import MCPError

from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmem_testkit.mcp_client import CEILING_SECONDS, RawClient, sdk_client, talk
from mdmemd.engine.report import RootState
from mdmemd.mcp.methods import RESOURCE_NOT_FOUND
from mdmemd.mcp.resources import TEMPLATE

ERAS = ["legacy", "2026-07-28"]


@pytest.fixture
def library() -> FakeService:
    service = FakeService(
        section("docs", "guide.md", "Guide", text="# Guide\nHow to install.\n"),
        section("docs", "guide.md", "Guide", "Linux", text="## Linux\nRun it.\n"),
        roots=(root_status("docs", "/docs", documents=1),),
    )
    service.projects["/docs"] = ("docs", None)
    return service


@pytest.mark.parametrize("mode", ERAS)
def test_resources(library: FakeService, mode: str) -> None:
    async def main() -> None:
        async with sdk_client(library, mode=mode) as client:
            (row,) = (await client.list_resources()).resources
            assert (row.uri, row.name, row.mime_type) == (
                "mdmem://docs/guide.md",
                "guide.md",
                "text/markdown",
            )
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == TEMPLATE
            (contents,) = (await client.read_resource("mdmem://docs/guide.md#Linux")).contents
            assert isinstance(contents, types.TextResourceContents)
            assert contents.text == "## Linux\nRun it.\n"
            with pytest.raises(MCPError) as caught:
                await client.read_resource("mdmem://docs/none.md")
            assert caught.value.error.code == RESOURCE_NOT_FOUND
            with pytest.raises(MCPError) as caught:
                await client.read_resource("file:///etc/passwd")
            assert caught.value.error.code == types.INVALID_PARAMS

    asyncio.run(main())


@pytest.mark.parametrize("mode", ERAS)
def test_prompts_and_completion(library: FakeService, mode: str) -> None:
    async def main() -> None:
        async with sdk_client(library, mode=mode) as client:
            prompts = (await client.list_prompts()).prompts
            assert "answer-from-docs" in [prompt.name for prompt in prompts]
            got = await client.get_prompt("answer-from-docs", {"question": "How?", "root": "docs"})
            (message,) = got.messages
            assert isinstance(message.content, types.TextContent)
            assert 'root="docs"' in message.content.text
            with pytest.raises(MCPError, match="needs 'question'"):
                await client.get_prompt("answer-from-docs", {})
            ref = types.ResourceTemplateReference(uri=TEMPLATE)
            argument = {"name": "heading", "value": "lin"}
            context = {"root": "docs", "path": "guide.md"}
            found = await client.complete(ref, argument, context_arguments=context)
            assert found.completion.values == ["Guide > Linux"]
            assert found.completion.has_more is False

    asyncio.run(main())


def test_a_bug_costs_one_answer(library: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_arguments: Any) -> Any:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(library, "documents", fail)

    async def script(client: RawClient) -> tuple[dict[str, Any], dict[str, Any]]:
        await client.initialize()
        return await client.ask("resources/list"), await client.ask("ping")

    failed, pong = talk(library, script)
    assert failed["error"]["code"] == types.INTERNAL_ERROR
    assert "secret" not in failed["error"]["message"]
    assert pong["result"] == {}


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_that_waits_tells_progress_to_a_client_that_asked(library: FakeService, mode: str) -> None:
    ready = library.root_statuses[0]
    library.root_statuses = [replace(ready, state=RootState.INDEXING, pending_files=3)]
    told: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        library.root_statuses = [ready]
        library.publish()

    async def main() -> types.CallToolResult:
        async with sdk_client(library, mode=mode, project="/docs") as client:
            answer = await client.call_tool("search_docs", {"query": "x"}, progress_callback=on_progress)
            assert isinstance(answer, types.CallToolResult)
            return answer

    assert not asyncio.run(main()).is_error
    assert told == [(1.0, 4.0, "Reading docs: 3 files to go")]


def folders_script(*answers: dict[str, Any], calls: int = 1, is_changed_between: bool = False) -> Any:
    """A client with roots: calls a tool and answers what it is asked meanwhile."""

    async def script(client: RawClient) -> int:
        await client.initialize(roots={"listChanged": True})
        pending = list(answers)
        for number in range(calls):
            call = {"name": "search_docs", "arguments": {"query": "x"}}
            request_id = f"call-{number}"
            await client.send({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": call})
            while (message := await client.reply()).get("id") != request_id or "method" in message:
                assert message["method"] == "roots/list"
                await client.send({"jsonrpc": "2.0", "id": message["id"]} | pending.pop(0))
            if is_changed_between:
                await client.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
        return len(answers) - len(pending)

    return script


def test_a_client_with_roots_is_asked_where_the_project_is_a_guess(library: FakeService) -> None:
    library.projects["/elsewhere"] = ("elsewhere", None)
    answer = {"result": {"roots": [{"uri": "file:///elsewhere", "name": "E"}]}}
    assert talk(library, folders_script(answer, calls=2), project="/docs", is_guess=True) == 1
    assert library.asked("project_roots") == [("/elsewhere", "/elsewhere")]
    assert library.asked("search")[-1][1] == ("elsewhere",)


def test_a_named_project_needs_no_question(library: FakeService) -> None:
    assert talk(library, folders_script(calls=1), project="/docs") == 0
    assert library.asked("search")[-1][1] == ("docs",)


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32601, "message": "no"}},
        {"result": {"roots": [{"uri": "https://example.org"}]}},
        {"result": {"nonsense": 1}},
    ],
)
def test_a_client_that_answers_nonsense_leaves_the_guess(
    library: FakeService, answer: dict[str, Any]
) -> None:
    assert talk(library, folders_script(answer), project="/docs", is_guess=True) == 1
    assert library.asked("search")[-1][1] == ("docs",)


def test_folders_that_changed_are_asked_for_again(library: FakeService) -> None:
    library.projects["/b"] = ("b", None)
    answers = [{"result": {"roots": [{"uri": f"file://{folder}"}]}} for folder in ("/docs", "/b")]
    script = folders_script(*answers, calls=2, is_changed_between=True)
    assert talk(library, script, project="/cwd", is_guess=True) == 2
    assert [asked[1] for asked in library.asked("search")] == [("docs",), ("b",)]


def test_the_official_client_tells_its_roots(library: FakeService) -> None:
    async def list_roots(_context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///docs")])  # type: ignore[arg-type]

    async def main() -> None:
        async with sdk_client(
            library, mode="legacy", project="/cwd", is_guess=True, list_roots_callback=list_roots
        ) as client:
            await client.call_tool("search_docs", {"query": "install"})

    asyncio.run(main())
    assert library.asked("project_roots") == [("/docs", "/docs")]


def test_a_new_root_is_announced_to_a_client_that_listed_resources(library: FakeService) -> None:
    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        watching = asyncio.Event()
        library.on_subscribe = watching.set
        await client.ask("resources/list")
        await asyncio.wait_for(watching.wait(), CEILING_SECONDS)
        library.root_statuses.append(root_status("new", "/new"))
        library.publish()
        return await client.reply()

    assert talk(library, script)["method"] == "notifications/resources/list_changed"


def test_a_modern_client_is_neither_asked_nor_told_unasked(library: FakeService) -> None:
    heard: list[Any] = []

    async def list_roots(_context: Any) -> types.ListRootsResult:
        heard.append("roots/list")
        return types.ListRootsResult(roots=[])

    async def on_message(message: Any) -> None:
        heard.append(message)

    async def main() -> None:
        async with sdk_client(
            library,
            mode="2026-07-28",
            project="/docs",
            is_guess=True,
            list_roots_callback=list_roots,
            message_handler=on_message,
        ) as client:
            await client.list_resources()
            await client.call_tool("search_docs", {"query": "install"})
            assert library.listeners == 0, "nothing waits for a change of roots"

    asyncio.run(main())
    assert heard == []


def test_a_new_root_is_announced_to_a_client_that_listens(library: FakeService) -> None:
    async def main() -> None:
        watching = asyncio.Event()
        library.on_subscribe = watching.set
        async with (
            sdk_client(library, mode="2026-07-28") as client,
            client.listen(resources_list_changed=True) as changes,
        ):
            await asyncio.wait_for(watching.wait(), CEILING_SECONDS)
            library.root_statuses.append(root_status("new", "/new"))
            library.publish()
            await asyncio.wait_for(anext(changes), CEILING_SECONDS)

    asyncio.run(main())


@pytest.fixture(autouse=True)
def nobody_listens_any_more(library: FakeService) -> Iterator[None]:
    yield
    assert library.listeners == 0
