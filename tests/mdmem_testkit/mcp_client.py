"""The client's side of an ``McpSession`` without sockets: raw messages, or the official SDK's client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, TypeVar

import anyio
import mcp.types as types
from mcp.client import Client
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage

from mdmem_proto.tool_sets import NATIVE
from mdmem_testkit.fake_service import FakeService
from mdmemd.mcp.session import McpSession

T = TypeVar("T")

MARK = "0123456789abcdef"
CEILING_SECONDS = 20.0


async def run_blocking(function: Callable[[], T], /) -> T:
    """A query pool as large as asyncio's."""
    return await asyncio.to_thread(function)


class RawClient:
    """JSON in, JSON out; ``received`` also takes bytes that are no JSON."""

    def __init__(
        self, service: FakeService, *, project: str = "", is_guess: bool = False, tools: str = NATIVE
    ) -> None:
        self._replies: asyncio.Queue[bytes] = asyncio.Queue()
        self.session = McpSession(
            service,
            run_blocking,
            indexing=service,
            state_changes=service.state_changes,
            project=project,
            is_guess=is_guess,
            tools=tools,
            client="test",
            send=self._replies.put,
            mark=lambda: MARK,
        )
        self._ids = 0

    async def send(self, message: Any) -> None:
        """Give the session one message."""
        await self.session.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    async def reply(self) -> dict[str, Any]:
        """The next message of the session."""
        reply: dict[str, Any] = json.loads(await asyncio.wait_for(self._replies.get(), CEILING_SECONDS))
        return reply

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """One request and its reply."""
        self._ids += 1
        await self.send({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        return await self.reply()

    async def initialize(self, **capabilities: Any) -> dict[str, Any]:
        """The handshake of the older era."""
        reply = await self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities=capabilities,
            clientInfo={"name": "raw", "version": "1"},
        )
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    async def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """The text of a tool's answer and whether it is an error."""
        result = (await self.ask("tools/call", name=tool, arguments=arguments))["result"]
        (block,) = result["content"]
        return block["text"], result.get("isError", False)


def talk(
    service: FakeService,
    script: Callable[[RawClient], Awaitable[T]],
    *,
    project: str = "",
    is_guess: bool = False,
    tools: str = NATIVE,
) -> T:
    """Run ``script`` against a session that serves meanwhile, then end the session."""

    async def main() -> T:
        client = RawClient(service, project=project, is_guess=is_guess, tools=tools)
        serving = asyncio.create_task(client.session.run())
        try:
            return await script(client)
        finally:
            await client.session.close()
            await asyncio.wait_for(serving, CEILING_SECONDS)

    return asyncio.run(main())


class SessionTransport:
    """Lets the SDK's client talk to an ``McpSession``, by bytes as over a socket."""

    def __init__(self, service: FakeService, *, project: str, is_guess: bool, tools: str) -> None:
        self._service = service
        self._project = project
        self._is_guess = is_guess
        self._tools = tools
        self._open = self._streams()

    async def __aenter__(self) -> Any:
        return await self._open.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        async with (
            create_client_server_memory_streams() as (client, ours),
            anyio.create_task_group() as tasks,
        ):

            async def send(payload: bytes) -> None:
                message = types.jsonrpc_message_adapter.validate_json(payload)
                await ours[1].send(SessionMessage(message))

            session = McpSession(
                self._service,
                run_blocking,
                indexing=self._service,
                state_changes=self._service.state_changes,
                project=self._project,
                is_guess=self._is_guess,
                tools=self._tools,
                client="sdk",
                send=send,
                mark=lambda: MARK,
            )

            async def pass_on() -> None:
                async for item in ours[0]:
                    assert isinstance(item, SessionMessage)
                    await session.receive(
                        item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                    )
                await session.close()

            tasks.start_soon(session.run)
            tasks.start_soon(pass_on)
            yield client
            await client[1].aclose()


@asynccontextmanager
async def sdk_client(
    service: FakeService,
    *,
    mode: str,
    project: str = "",
    is_guess: bool = False,
    tools: str = NATIVE,
    **options: Any,
) -> AsyncIterator[Client]:
    """The official client over ``SessionTransport``; ``mode`` is the protocol era as the SDK names it."""
    transport = SessionTransport(service, project=project, is_guess=is_guess, tools=tools)
    async with Client(transport, mode=mode, **options) as client:
        yield client
