"""What an MCP server of ours answers to each method, by the official SDK's low-level server.

Answers of our own tools are one text block and have no output schema: the SDK, as the protocol asks, would
send a structured answer twice, once as text for clients that read no other, and clients pass on both, so it
would double what a model pays. Only tools that imitate another system's may have one. Invariants: whatever
fails becomes an answer or a JSON-RPC error with one sentence and its remedy; nothing blocks the event loop.
One object for each session, on the event loop.
"""

from __future__ import annotations

import asyncio
import difflib
import functools
import logging
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import mcp.types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from mdmem_proto.release import VERSION
from mdmemd.errors import DaemonError, NotFoundError
from mdmemd.mcp.calls import ToolCalls, explained
from mdmemd.mcp.client_folders import ANSWER_SECONDS, ClientFolders
from mdmemd.mcp.completion import complete
from mdmemd.mcp.index_wait import Report
from mdmemd.mcp.parameters import input_schema
from mdmemd.mcp.prompts import Prompt, prompt_text
from mdmemd.mcp.quoting import encodable
from mdmemd.mcp.resources import (
    MIME_TYPE,
    TEMPLATE,
    Resource,
    page_of_resources,
    read_resource,
)
from mdmemd.mcp.service import RunBlocking, Service
from mdmemd.mcp.tool import Tool
from mdmemd.mcp.toolsets.tool_set import ToolSet

log = logging.getLogger(__name__)

SERVER_NAME = "mdmem"
SERVER_TITLE = "Memory of your Markdown"

RESOURCE_NOT_FOUND = -32002
"""As the handshake era has it; later eras take it for any error."""

T = TypeVar("T")

Context = ServerRequestContext[Any]


class Methods:
    """The handlers of one session."""

    def __init__(
        self,
        service: Service,
        run_blocking: RunBlocking,
        *,
        calls: ToolCalls,
        folders: ClientFolders,
        tool_set: ToolSet,
    ) -> None:
        self._tool_set = tool_set
        self._tools = {tool.name: tool for tool in tool_set.tools}
        self._service = service
        self._run_blocking = run_blocking
        self._calls = calls
        self._folders = folders
        self._bus = InMemorySubscriptionBus()
        self._listens = ListenHandler(self._bus)
        self._shown_to: ServerSession | None = None
        self.roots_shown = asyncio.Event()
        """Set when the client has seen which resources there are, or listens for their changes."""

    def server(self, texts: str) -> Server[Any]:
        """A server whose instructions are ``texts``."""
        server: Server[Any] = Server(
            SERVER_NAME,
            version=VERSION,
            title=SERVER_TITLE,
            instructions=texts,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_subscriptions_listen=self._listen,
        )
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._folders_changed
        )
        return server

    async def tell_of_roots(self) -> None:
        """Tell the client that the list of resources has changed, if it has seen it or listens."""
        await self._bus.publish(ResourcesListChanged())
        if self._shown_to is not None:
            await self._shown_to.send_resource_list_changed()

    # --- tools ----------------------------------------------------------------------------------------------

    async def _list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return listing(self._tool_set.tools)

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            nearest = difflib.get_close_matches(params.name, self._tools, n=1)
            hint = f"did you mean {nearest[0]}?" if nearest else "there are " + ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool {params.name!r}: {hint}")
        folders = await self._folders.folders(partial(_roots_of_client, context))
        answer = await self._calls.call(
            tool, params.arguments or {}, folders=folders, report=_report(context)
        )
        result = types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)], is_error=answer.is_error
        )
        if answer.structured is not None:
            result.structured_content = dict(answer.structured)
        return result

    async def _folders_changed(self, _context: Context, _params: types.NotificationParams) -> None:
        self._folders.changed()

    # --- resources ------------------------------------------------------------------------------------------

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        if context.session.can_send_request:  # else an era in which clients hear only what they listen to
            self._shown_to = context.session
            self.roots_shown.set()
        cursor = params.cursor if params else None
        page = await self._asked(partial(page_of_resources, self._service, (), cursor=cursor))
        return types.ListResourcesResult(
            resources=[_resource(item) for item in page.resources], next_cursor=page.cursor
        )

    async def _listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        self.roots_shown.set()
        return await self._listens(context, params)

    async def _list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE_ROW])

    async def _read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._asked(partial(read_resource, self._service, params.uri))
        contents = types.TextResourceContents(uri=params.uri, mime_type=MIME_TYPE, text=encodable(text))
        return types.ReadResourceResult(contents=[contents])

    # --- prompts and completion -----------------------------------------------------------------------------

    async def _list_prompts(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return prompt_listing(self._tool_set.prompts)

    async def _get_prompt(
        self, _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt, text = await self._asked(
            partial(prompt_text, params.name, params.arguments or {}, among=self._tool_set.prompts)
        )
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def _complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        known = (params.context.arguments if params.context else None) or {}
        typed = params.argument
        found = await self._asked(
            partial(complete, self._service, typed.name, typed=typed.value, known=known)
        )
        values = [encodable(value) for value in found.values]
        return types.CompleteResult(
            completion=types.Completion(values=values, total=found.total, has_more=found.total > len(values))
        )

    async def _asked(self, function: Callable[[], T]) -> T:
        """What the query pool answers; its errors as those of the protocol."""
        try:
            return await self._run_blocking(function)
        except NotFoundError as error:
            raise MCPError(RESOURCE_NOT_FOUND, encodable(explained(error))) from error
        except DaemonError as error:
            raise MCPError(types.INVALID_PARAMS, encodable(explained(error))) from error
        except Exception as error:
            bug_id = secrets.token_hex(4)
            log.exception("a request failed; id %s", bug_id)
            text = f"mdmem failed: a bug, in the daemon's log under the id {bug_id}."
            raise MCPError(types.INTERNAL_ERROR, text) from error


TEMPLATE_ROW = types.ResourceTemplate(
    name="document",
    title="Markdown document or section",
    uri_template=TEMPLATE,
    description="A document of a root, or with #A > B the section of that heading path.",
    mime_type=MIME_TYPE,
)


@functools.cache
def listing(tools: tuple[Tool, ...]) -> types.ListToolsResult:
    """What ``tools/list`` answers."""
    return types.ListToolsResult(tools=[_advertised(tool) for tool in tools])


@functools.cache
def prompt_listing(prompts: tuple[Prompt, ...]) -> types.ListPromptsResult:
    """What ``prompts/list`` answers."""
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=item.name, description=item.description, required=item.required)
                    for item in prompt.arguments
                ],
            )
            for prompt in prompts
        ]
    )


def _advertised(tool: Tool) -> types.Tool:
    advertised = types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.parameters),
        annotations=_annotations(tool),
    )
    if tool.output_schema is not None:
        advertised.output_schema = dict(tool.output_schema)
    return advertised


def _annotations(tool: Tool) -> types.ToolAnnotations:
    """What the protocol defines for such a tool: the other hints mean nothing on one that only reads."""
    if tool.is_read_only:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=tool.is_destructive,
        idempotent_hint=tool.is_idempotent,
        open_world_hint=False,
    )


def _resource(item: Resource) -> types.Resource:
    return types.Resource(
        uri=item.address.uri,
        name=encodable(item.address.path),
        title=item.title,
        description=item.description,
        mime_type=MIME_TYPE,
    )


def _report(context: Context) -> Report | None:
    """How to tell progress, where the client asked for it."""
    has_token = context.meta is not None and context.meta.get("progress_token") is not None
    return context.session.report_progress if has_token else None


async def _roots_of_client(context: Context) -> list[str] | None:
    """The client's folders; ``None`` where it has not said that it can tell, or cannot be asked."""
    session = context.session
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.roots is None or not session.can_send_request:
        return None
    try:
        result = await session.send_request(
            types.ListRootsRequest(),
            types.ListRootsResult,
            request_read_timeout_seconds=ANSWER_SECONDS,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except (MCPError, ValidationError) as error:
        log.info("the client did not tell its folders: %s", error)
        return None
    return [str(root.uri) for root in result.roots]
