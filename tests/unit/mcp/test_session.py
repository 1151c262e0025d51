"""A session: the official client in both eras, and raw messages of every bad kind (faults G5, G9, M7)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import mcp.types as types
import pytest

import mdmemd.mcp.session
from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmem_testkit.mcp_client import CEILING_SECONDS, RawClient, run_blocking, sdk_client, talk
from mdmemd.mcp.methods import listing
from mdmemd.mcp.session import McpSession, warm_up
from mdmemd.mcp.tools.catalogue import TOOLS
from mdmemd.mcp.toolsets.registry import TOOL_SETS

LISTING_BYTES_MAX = 6000


@pytest.fixture
def library() -> FakeService:
    service = FakeService(
        section("work", "guide.md", "Guide", text="# Guide\nHow to install.\n"),
        roots=(root_status("work", "/work", documents=1),),
    )
    service.projects["/work"] = ("work", None)
    return service


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client_in_both_eras(library: FakeService, mode: str) -> None:
    async def main() -> None:
        async with sdk_client(library, mode=mode, project="/work") as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
            found = await client.call_tool("search_docs", {"query": "install"})
            assert not found.is_error
            assert json.loads(text_of(found))["results"][0]["path"] == "guide.md"
            assert found.structured_content is None
            read = await client.call_tool("read_section", {"file_path": "guide.md", "heading_path": "Guide"})
            assert "How to install." in text_of(read)
            wrong = await client.call_tool("search_docs", {"query": "x", "limt": 3})
            assert wrong.is_error
            assert "Did you mean 'limit'?" in text_of(wrong)

    asyncio.run(main())


def test_the_handshake_gives_name_version_and_instructions(library: FakeService) -> None:
    async def script(client: RawClient) -> dict[str, Any]:
        return await client.initialize()

    result = talk(library, script, project="/work")["result"]
    assert result["serverInfo"]["name"] == "mdmem"
    assert result["serverInfo"]["version"]
    assert "This project: root 'work', 1 document" in result["instructions"]
    assert result["capabilities"] == {
        "tools": {"listChanged": False},
        "resources": {"subscribe": False, "listChanged": True},
        "prompts": {"listChanged": False},
        "completions": {},
    }
    assert library.asked("project_roots") == [], "a handshake alone registers nothing"


def test_g9_the_listing_is_small_and_says_what_each_tool_does() -> None:
    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        return await client.ask("tools/list")

    tools = talk(FakeService(), script)["result"]["tools"]
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) < LISTING_BYTES_MAX
    assert {tool["name"] for tool in tools if not tool["annotations"]["readOnlyHint"]} == {"reindex"}
    for tool in tools:
        hints = (
            {} if tool["annotations"]["readOnlyHint"] else {"destructiveHint": False, "idempotentHint": True}
        )
        assert tool["annotations"] == hints | {
            "readOnlyHint": not hints, "openWorldHint": False,
        }  # fmt: skip
        assert "outputSchema" not in tool
        assert tool["title"]
        assert 60 < len(tool["description"]) < 1000


@pytest.mark.parametrize(
    ("message", "code", "reply_id"),
    [
        (b"{", types.PARSE_ERROR, None),
        (b"", types.PARSE_ERROR, None),
        (b"\xff\xfe", types.PARSE_ERROR, None),
        (b"[" * 100_000, types.PARSE_ERROR, None),
        (b"[]", types.INVALID_REQUEST, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', types.INVALID_REQUEST, None),
        (b"7", types.INVALID_REQUEST, None),
        (b'{"id":5,"method":"ping"}', types.INVALID_REQUEST, 5),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', types.INVALID_REQUEST, "x"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}', types.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[]}', types.INVALID_REQUEST, 6),
        (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', types.METHOD_NOT_FOUND, 7),
        (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{}}', types.INVALID_PARAMS, 8),
        (
            b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"serch_docs"}}',
            types.INVALID_PARAMS,
            9,
        ),
    ],
)
@pytest.mark.parametrize("is_initialized", [True, False])
def test_g5_a_bad_message_gets_an_error_and_the_session_goes_on(
    message: bytes, code: int, reply_id: object, *, is_initialized: bool
) -> None:
    async def script(client: RawClient) -> tuple[dict[str, Any], dict[str, Any]]:
        if is_initialized:
            await client.initialize()
        await client.send(message)
        return await client.reply(), await client.ask("ping")

    error, pong = talk(FakeService(), script)
    if is_initialized or code in {types.PARSE_ERROR, types.INVALID_REQUEST}:
        assert (error["error"]["code"], error["id"]) == (code, reply_id)
    assert pong["result"] == {}


def test_g5_an_id_that_is_used_twice_at_once_ends_nothing(library: FakeService) -> None:
    async def script(client: RawClient) -> list[object]:
        await client.initialize()
        call = {"name": "index_status", "arguments": {}}
        for _ in range(2):
            await client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": call})
        replies = [await client.reply(), await client.reply()]
        assert (await client.ask("ping"))["result"] == {}
        return [reply["id"] for reply in replies]

    assert talk(library, script) == ["same", "same"]


def test_an_unknown_tool_names_the_nearest(library: FakeService) -> None:
    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        return await client.ask("tools/call", name="serch_docs", arguments={})

    assert "did you mean search_docs?" in talk(library, script)["error"]["message"]


def test_arguments_may_be_left_out(library: FakeService) -> None:
    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        return await client.ask("tools/call", name="index_status")

    assert talk(library, script)["result"].get("isError", False) is False


def test_g5_a_5_mb_message_is_only_a_message(library: FakeService) -> None:
    async def script(client: RawClient) -> tuple[str, bool]:
        await client.initialize()
        return await client.call("search_docs", query="install " + "x" * 5_000_000)

    assert talk(library, script) == (
        "'query' has 5000008 characters; 8192 are allowed. Give the part that matters.",
        True,
    )


def test_a_cancelled_call_is_not_answered_and_the_next_one_is(library: FakeService) -> None:
    started, go_on = threading.Event(), threading.Event()

    def on_call() -> None:
        if library.calls[-1][0] == "search" and len(library.asked("search")) == 1:
            started.set()
            assert go_on.wait(CEILING_SECONDS)

    library.on_call = on_call

    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        call = {"name": "search_docs", "arguments": {"query": "install"}}
        await client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
        await asyncio.to_thread(started.wait, CEILING_SECONDS)
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}}
        await client.send(cancelled)
        reply = await client.ask("tools/call", **call)
        go_on.set()
        return reply

    assert talk(library, script)["id"] != "slow"


def test_m7_the_handshake_does_not_wait_for_a_busy_query_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmemd.mcp.session, "ROOTS_TIMEOUT_SECONDS", 0.01)
    go_on = threading.Event()

    class BusyService(FakeService):
        def roots(self) -> Any:
            assert go_on.wait(CEILING_SECONDS)
            return ()

    async def script(client: RawClient) -> dict[str, Any]:
        reply = await client.initialize()
        go_on.set()
        return reply

    assert "search_docs" in talk(BusyService(), script)["result"]["instructions"]


def session_with(send: Callable[[bytes], Awaitable[None]]) -> McpSession:
    service = FakeService()
    return McpSession(
        service,
        run_blocking,
        indexing=service,
        state_changes=service.state_changes,
        project="",
        client="",
        send=send,
    )


def test_close_before_and_after_everything_is_harmless() -> None:
    async def main() -> None:
        async def send(_payload: bytes) -> None:
            return

        session = session_with(send)
        await session.close()
        await asyncio.wait_for(session.run(), CEILING_SECONDS)
        await session.close()
        await asyncio.wait_for(session.receive(b"{}"), CEILING_SECONDS)

    asyncio.run(main())


def test_a_client_that_is_gone_ends_the_session() -> None:
    async def main() -> None:
        async def send(_payload: bytes) -> None:
            raise ConnectionResetError

        session = session_with(send)
        serving = asyncio.create_task(session.run())
        await session.receive(b"no JSON")
        await asyncio.wait_for(serving, CEILING_SECONDS)
        for _ in range(3):
            await asyncio.wait_for(session.receive(b"{}"), CEILING_SECONDS)
        await asyncio.wait_for(session.close(), CEILING_SECONDS)

    asyncio.run(main())


def test_a_session_can_be_cancelled() -> None:
    async def main() -> None:
        async def send(_payload: bytes) -> None:
            return

        session = session_with(send)
        serving = asyncio.create_task(session.run())
        await session.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        await asyncio.wait_for(session.close(), CEILING_SECONDS)

    asyncio.run(main())


def test_close_cancels_what_is_still_running(library: FakeService) -> None:
    started, go_on = threading.Event(), threading.Event()

    def on_call() -> None:
        if library.calls[-1][0] == "search":
            started.set()
            assert go_on.wait(CEILING_SECONDS)

    library.on_call = on_call

    async def script(client: RawClient) -> dict[str, Any]:
        await client.initialize()
        call = {"name": "search_docs", "arguments": {"query": "install"}}
        await client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
        await asyncio.to_thread(started.wait, CEILING_SECONDS)
        await client.session.close()
        reply = await client.reply()
        go_on.set()
        return reply

    reply = talk(library, script)
    assert (reply["id"], reply["error"]["code"]) == ("slow", types.CONNECTION_CLOSED)


def test_warming_up_makes_the_listing() -> None:
    listing.cache_clear()
    warm_up()
    assert listing.cache_info().currsize == len(TOOL_SETS)


@pytest.fixture(autouse=True)
def no_threads_left() -> Iterator[None]:
    yield
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("asyncio_")]
