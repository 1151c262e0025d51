"""One MCP session: messages of one shim in, messages for it out, by the official SDK's low-level server.

Invariants: the SDK decides the protocol (both eras: the ``initialize`` handshake and the per-request
envelope), the tools of this package the content. A message that is no JSON-RPC gets an error reply and never
ends the session; the SDK's own stdio transport drops it without a word. Each session has its own SDK server,
because instructions and project are its own.

Imports the SDK (0.75 s), as ``methods`` does and nothing else: ``app`` calls ``warm_up`` on a thread of its
own at start. Everything else runs on the event loop.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp.types as types
from mcp.server import NotificationOptions, Server
from mcp.shared.memory import MessageStream, create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mdmem_proto.tool_sets import NATIVE
from mdmemd.engine.report import RootStatus
from mdmemd.mcp.calls import ToolCalls
from mdmemd.mcp.client_folders import ClientFolders
from mdmemd.mcp.index_wait import IndexWait
from mdmemd.mcp.instructions import instructions
from mdmemd.mcp.methods import Methods, listing, prompt_listing
from mdmemd.mcp.quoting import Mark, random_mark
from mdmemd.mcp.roots_notice import RootsNotice
from mdmemd.mcp.service import Indexing, RunBlocking, Service, StateChanges
from mdmemd.mcp.toolsets.registry import TOOL_SETS, tool_set

log = logging.getLogger(__name__)

ROOTS_TIMEOUT_SECONDS = 1.0
"""How long ``initialize`` waits for the list of roots; a client that waits for long drops the server."""

Send = Callable[[bytes], Awaitable[None]]
"""Takes the JSON of one message for the client; ``ConnectionError`` means that nobody reads any more."""


class McpSession:
    """The session of one shim: ``run`` serves what ``receive`` takes from the client, until ``close``.

    Raises ``InvalidRequestError`` where there is no tool set ``tools``.
    """

    def __init__(
        self,
        service: Service,
        run_blocking: RunBlocking,
        *,
        indexing: Indexing,
        state_changes: StateChanges,
        project: str,
        client: str,
        send: Send,
        is_guess: bool = False,
        tools: str = NATIVE,
        mark: Mark = random_mark,
    ) -> None:
        self._tool_set = tool_set(tools)
        self._service = service
        self._run_blocking = run_blocking
        self._project = project
        self._client = client
        self._send = send
        calls = ToolCalls(
            service, run_blocking, indexing=indexing, index_wait=IndexWait(service, state_changes), mark=mark
        )
        folders = ClientFolders(project, is_guess=is_guess)
        self._methods = Methods(service, run_blocking, calls=calls, folders=folders, tool_set=self._tool_set)
        self._notice = RootsNotice(
            service, state_changes, shown=self._methods.roots_shown, tell=self._methods.tell_of_roots
        )
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(1)
        self._has_ended = False

    async def receive(self, payload: bytes) -> None:
        """Take one message (UTF-8 JSON, unframed); waits while an earlier one is unread."""
        await self._room.acquire()
        if self._has_ended:
            self._room.release()
        else:
            self._inbox.put_nowait(payload)

    async def close(self) -> None:
        """The client sends nothing more: let ``run`` end. Requests that are still running are cancelled."""
        self._inbox.put_nowait(None)

    async def run(self) -> None:
        """Serve the session to its end; replies that are ready then are still sent."""
        log.debug("MCP session of %r in %r", self._client, self._project)
        try:
            await self._serve(self._methods.server(await self._instructions()))
        finally:
            # Nobody reads any more, and a ``receive`` that waits for room must not wait for ever.
            self._has_ended = True
            self._room.release()

    async def _serve(self, server: Server[Any]) -> None:
        options = server.create_initialization_options(NotificationOptions(resources_changed=True))
        async with (
            create_client_server_memory_streams() as (ours, theirs),
            anyio.create_task_group() as replies,
        ):
            replies.start_soon(self._pass_on_replies, ours, replies.cancel_scope)
            async with anyio.create_task_group() as sources:
                sources.start_soon(self._pass_on_messages, ours, theirs)
                sources.start_soon(self._notice.run)
                await server.run(*theirs, options)
                sources.cancel_scope.cancel()

    async def _pass_on_messages(self, ours: MessageStream, theirs: MessageStream) -> None:
        to_server, to_client = ours[1], theirs[1]
        async with to_server:
            while (payload := await self._inbox.get()) is not None:
                self._room.release()
                message = _parsed(payload)
                if message is not None:
                    await to_server.send(SessionMessage(message))
                else:
                    await to_client.send(SessionMessage(_rejection(payload)))

    async def _pass_on_replies(self, ours: MessageStream, everything: anyio.CancelScope) -> None:
        async for item in ours[0]:
            assert isinstance(item, SessionMessage)
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await self._send(text.encode())
            except ConnectionError:
                everything.cancel()

    async def _instructions(self) -> str:
        """The instructions; without the roots where the query pool or a disk is too slow to tell them."""
        try:
            roots, own = await asyncio.wait_for(self._run_blocking(self._roots), ROOTS_TIMEOUT_SECONDS)
        except TimeoutError:
            log.warning(
                "no list of roots within %s s: the instructions of this session name none",
                ROOTS_TIMEOUT_SECONDS,
            )
            roots, own = (), ()
        return instructions(roots, project=self._project, own=own, guidance=self._tool_set.guidance)

    def _roots(self) -> tuple[tuple[RootStatus, ...], tuple[str, ...]]:
        """All roots, and the names of those that serve the project already. Query pool."""
        own = self._service.known_project_roots(self._project) if self._project else ()
        return self._service.roots(), own


def _parsed(payload: bytes) -> types.JSONRPCMessage | None:
    """The message, if it is one; the SDK takes a request with an impossible id for a notification."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(payload, by_name=False)
    except ValidationError:
        return None
    is_notification = isinstance(message, types.JSONRPCNotification)
    return None if is_notification and "id" in json.loads(payload) else message


def _rejection(payload: bytes) -> types.JSONRPCError:
    """The reply to a message that the SDK cannot read, with its id where it has one."""
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError) as error:
        return _error(None, code=types.PARSE_ERROR, message=f"Not JSON: {error}")
    if isinstance(message, list):
        return _error(
            None, code=types.INVALID_REQUEST, message="MCP has no batches: send one message at a time"
        )
    given_id = message.get("id") if isinstance(message, dict) else None
    known_id = given_id if isinstance(given_id, int | str) and not isinstance(given_id, bool) else None
    return _error(known_id, code=types.INVALID_REQUEST, message="Not a JSON-RPC 2.0 message")


def _error(request_id: int | str | None, *, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))


def warm_up() -> None:
    """Do what the first session would else wait for; importing this module was most of it. Any thread."""
    for each in TOOL_SETS.values():
        listing(each.tools)
        prompt_listing(each.prompts)
