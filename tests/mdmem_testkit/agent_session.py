"""Agents of a real daemon: the official client over a new ``mdmem-mcp``, or a shim driven line by line."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import mcp.types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from mdmem_testkit.private_daemon import CEILING_SECONDS, Instance


@asynccontextmanager
async def agent(
    instance: Instance,
    project: Path,
    *,
    mode: str = "auto",
    is_named: bool = True,
    tools: str = "",
    **options: Any,
) -> AsyncIterator[Client]:
    """The official client over a new shim in ``project``, which the client names or is only started in."""
    environment = instance.environment | ({"CLAUDE_PROJECT_DIR": str(project)} if is_named else {})
    server = StdioServerParameters(
        command=instance.python,
        args=["-m", "mdmem.mcp.main", *(["--tools", tools] if tools else [])],
        env=environment,
        cwd=project,
    )
    async with Client(stdio_client(server), mode=mode, **options) as client:
        yield client


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


class RawShim:
    """A shim driven line by line."""

    def __init__(self, instance: Instance, project: Path) -> None:
        self.process = instance.spawn("mdmem.mcp.main", environment={"CLAUDE_PROJECT_DIR": str(project)})
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, request_id: object, method: str, **params: Any) -> Any:
        """One request and the next line."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")
        return self.line()

    def line(self) -> Any:
        return json.loads(self._lines.get(timeout=CEILING_SECONDS))

    def initialize(self) -> Any:
        client = {"name": "raw", "version": "1"}
        reply = self.ask(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return reply

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_stdin()
        self.process.wait(CEILING_SECONDS)
        self._reader.join(CEILING_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
