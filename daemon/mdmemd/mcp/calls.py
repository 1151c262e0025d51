"""One tool call from raw arguments to text: reading, scope, waiting, running, and every way to fail.

Invariants: whatever happens, the caller gets a text: what a user can cause says what is wrong, what to do and
what the valid values are; a bug costs one answer, shows only an id, and is in the log under that id. Nothing
blocks the event loop: all work of the engine runs through ``RunBlocking``. One object for each session,
called on the event loop; calls may overlap. Knows nothing of the MCP SDK.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mdmemd.engine.report import RootState
from mdmemd.errors import DaemonError
from mdmemd.mcp.parameters import read_arguments
from mdmemd.mcp.quoting import Mark, compact_json, encodable, one_line
from mdmemd.mcp.scope import Scope, ScopeResolver
from mdmemd.mcp.service import RunBlocking, Service
from mdmemd.mcp.tool import Call, Tool

log = logging.getLogger(__name__)

FIRST_INDEX_WAIT_SECONDS = 5.0
"""How long a session's first call waits for a root that is being read for the first time."""

FIRST_INDEX_LOOK_SECONDS = 0.05
CANDIDATES_MAX = 40


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The text of an answer; ``is_error`` tells the agent that it has to change something."""

    text: str
    is_error: bool


class ToolCalls:
    """Runs the tool calls of one session."""

    def __init__(
        self,
        service: Service,
        run_blocking: RunBlocking,
        *,
        project: str,
        mark: Mark,
        first_index_wait_seconds: float = FIRST_INDEX_WAIT_SECONDS,
    ) -> None:
        self._service = service
        self._run_blocking = run_blocking
        self._scopes = ScopeResolver(service, project=project)
        self._mark = mark
        self._first_index_wait_seconds = first_index_wait_seconds
        self._waited_for: set[tuple[str, ...]] = set()

    async def call(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolAnswer:
        """The answer of ``tool``; never raises but for cancellation."""
        try:
            text = await self._run(tool, arguments)
        except DaemonError as error:
            return ToolAnswer(encodable(_explained(error)), is_error=True)
        except Exception:
            bug_id = secrets.token_hex(4)
            log.exception("%s failed; id %s", tool.name, bug_id)
            text = f"mdmem failed inside {tool.name}: a bug, in the daemon's log under the id {bug_id}."
            return ToolAnswer(text, is_error=True)
        return ToolAnswer(encodable(text), is_error=False)

    async def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        given = read_arguments(tool.name, tool.parameters, arguments=arguments)
        resolve = partial(self._scopes.resolve, roots=given.get("root", ()), cwd=given.get("cwd", ""))
        scope = await self._run_blocking(resolve)
        if tool.waits_for_index:
            await self._wait_for_first_index(scope)
        return await self._run_blocking(
            partial(tool.run, self._service, Call(given, scope=scope, mark=self._mark))
        )

    async def _wait_for_first_index(self, scope: Scope) -> None:
        """Once for each set of roots: an empty first answer would teach the agent that there is nothing here.

        The engine has no event to await, so its state is looked at in short intervals, for a bounded time.
        """
        if scope.roots in self._waited_for:
            return
        self._waited_for.add(scope.roots)
        deadline = asyncio.get_running_loop().time() + self._first_index_wait_seconds
        while await self._run_blocking(partial(self._is_being_indexed, scope.roots)):
            if asyncio.get_running_loop().time() >= deadline:
                return
            await asyncio.sleep(FIRST_INDEX_LOOK_SECONDS)

    def _is_being_indexed(self, roots: tuple[str, ...]) -> bool:
        return any(
            status.state is RootState.INDEXING and (not roots or status.name in roots)
            for status in self._service.roots()
        )


def _explained(error: DaemonError) -> str:
    parts = [one_line(str(error)), one_line(error.remedy)]
    if error.candidates:
        shown = ", ".join(compact_json(candidate) for candidate in error.candidates[:CANDIDATES_MAX])
        more = len(error.candidates) - CANDIDATES_MAX
        parts.append(f"Candidates: {shown}" + (f" and {more} more" if more > 0 else ""))
    return " ".join(part for part in parts if part)
