"""One tool call from raw arguments to text: reading, scope, waiting, running, and every way to fail.

Invariants: whatever happens, the caller gets a text: what a user can cause says what is wrong, what to do and
what the valid values are; a bug costs one answer, shows only an id, and is in the log under that id. Nothing
blocks the event loop: all work of the engine runs through ``RunBlocking``. One object for each session,
called on the event loop; calls may overlap. Knows nothing of the MCP SDK.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mdmemd.errors import DaemonError
from mdmemd.mcp.index_wait import IndexWait, Report
from mdmemd.mcp.parameters import read_arguments
from mdmemd.mcp.quoting import Mark, compact_json, encodable, one_line
from mdmemd.mcp.scope import Scope, ScopeResolver
from mdmemd.mcp.service import Indexing, RunBlocking, Service
from mdmemd.mcp.tool import Begin, Call, Structured, Tool

log = logging.getLogger(__name__)

FIRST_INDEX_WAIT_SECONDS = 5.0
"""How long a session's first call waits for a root that is being read for the first time."""

WORK_WAIT_SECONDS = 20.0
"""How long a call waits for work that it has begun: clients give up after 60 s and less."""

REPORTED_WAIT_SECONDS = 45.0
"""Both where the client asked to hear of progress: it knows that something goes on."""

CANDIDATES_MAX = 40


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The text of an answer; ``is_error`` tells the agent that it has to change something."""

    text: str
    is_error: bool
    structured: Mapping[str, Any] | None = None


class ToolCalls:
    """Runs the tool calls of one session."""

    def __init__(
        self,
        service: Service,
        run_blocking: RunBlocking,
        *,
        indexing: Indexing,
        index_wait: IndexWait,
        mark: Mark,
        first_index_wait_seconds: float = FIRST_INDEX_WAIT_SECONDS,
    ) -> None:
        self._service = service
        self._run_blocking = run_blocking
        self._indexing = indexing
        self._index_wait = index_wait
        self._scopes = ScopeResolver(service)
        self._mark = mark
        self._first_index_wait_seconds = first_index_wait_seconds
        self._waited_for: set[tuple[str, ...]] = set()

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        folders: tuple[str, ...] = (),
        report: Report | None = None,
    ) -> ToolAnswer:
        """The answer of ``tool`` in a session that works in ``folders``; raises nothing but cancellation."""
        try:
            answer = await self._run(tool, arguments, folders=folders, report=report)
        except DaemonError as error:
            return ToolAnswer(encodable(explained(error)), is_error=True)
        except Exception:
            bug_id = secrets.token_hex(4)
            log.exception("%s failed; id %s", tool.name, bug_id)
            text = f"mdmem failed inside {tool.name}: a bug, in the daemon's log under the id {bug_id}."
            return ToolAnswer(text, is_error=True)
        if isinstance(answer, Structured):
            return ToolAnswer(encodable(answer.text), is_error=False, structured=answer.content)
        return ToolAnswer(encodable(answer), is_error=False)

    async def _run(
        self, tool: Tool, arguments: Mapping[str, Any], *, folders: tuple[str, ...], report: Report | None
    ) -> str | Structured:
        given = read_arguments(tool.name, tool.parameters, arguments=arguments)
        resolve = partial(
            self._scopes.resolve, roots=given.get("root", ()), cwd=given.get("cwd", ""), folders=folders
        )
        scope = await self._run_blocking(resolve)
        call = Call(given, scope=scope, mark=self._mark)
        if tool.begin is not None:
            call = await self._begun(tool.begin, call, report)
        elif tool.waits_for_index:
            await self._wait_for_first_index(scope, report)
        warning = self._scopes.size_warning(scope)
        if warning is not None:
            note = f"{scope.note} {warning}" if scope.note else warning
            call = replace(call, scope=replace(scope, note=note))
        return await self._run_blocking(partial(tool.run, self._service, call))

    async def _begun(self, begin: Begin, call: Call, report: Report | None) -> Call:
        """The call with what it has begun, after a wait for that."""
        target = await self._run_blocking(partial(begin, self._service, self._indexing, call))
        seconds = WORK_WAIT_SECONDS if report is None else REPORTED_WAIT_SECONDS
        await self._index_wait.until_read(target.roots, timeout_seconds=seconds, report=report)
        return replace(call, target=target)

    async def _wait_for_first_index(self, scope: Scope, report: Report | None) -> None:
        """Once for each set of roots: an empty first answer would teach the agent that nothing is here."""
        if scope.roots in self._waited_for:
            return
        self._waited_for.add(scope.roots)
        seconds = self._first_index_wait_seconds if report is None else REPORTED_WAIT_SECONDS
        await self._index_wait.until_read(scope.roots, timeout_seconds=seconds, report=report)


def explained(error: DaemonError) -> str:
    """An error on one line: what is wrong, what to do, and the nearest valid values as JSON."""
    parts = [one_line(str(error)), one_line(error.remedy)]
    if error.candidates:
        shown = ", ".join(compact_json(candidate) for candidate in error.candidates[:CANDIDATES_MAX])
        more = len(error.candidates) - CANDIDATES_MAX
        parts.append(f"Candidates: {shown}" + (f" and {more} more" if more > 0 else ""))
    return " ".join(part for part in parts if part)
