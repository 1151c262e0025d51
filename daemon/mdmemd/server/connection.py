"""One client's connection on the event loop: bytes to requests, requests to the query pool, results to bytes.

Invariants: requests of one connection run side by side and each ends with exactly one reply or failure; a
handler that crashes costs one answer (logged under a number that the client is told); a cancelled request
ends at once for its client, while a blocking call that is under way finishes unseen on the pool. After
``mcp.open`` the connection carries one MCP session and ends with it. The only writer of its socket. Does not
know what requests mean: ``server.handlers`` does.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from mdmem_proto import messages as wire
from mdmem_proto.conversation import McpMessage, State
from mdmem_proto.envelope import Cancel, Offer, Request
from mdmem_proto.errors import ErrorCode, FrameTooLargeError, RemoteProtocolError, RequestError
from mdmem_proto.limits import HANDSHAKE_TIMEOUT_SECONDS
from mdmem_proto.session import DaemonSession, decode_params
from mdmem_proto.version import PROTOCOL_MAX, PROTOCOL_MIN
from mdmemd.errors import DaemonError
from mdmemd.server.convert import error_code
from mdmemd.server.evaluation import run_evaluation
from mdmemd.server.handlers.backend import Backend
from mdmemd.server.handlers.table import AT_ONCE, HANDLERS, LONG
from mdmemd.server.model_download import download_model
from mdmemd.server.root_wait import wait_for_root
from mdmemd.server.sync_wait import begin_sync, wait_for_sync

log = logging.getLogger(__name__)

T = TypeVar("T")

READ_BYTES = 256 * 1024
END_SECONDS = 1.0
"""How long a client may take to accept the last replies of a connection that ends."""
CAPABILITIES = (
    "search",
    "read",
    "outline",
    "preview",
    "list",
    "roots",
    "models",
    "index",
    "gc",
    "archives",
    "status",
    "mcp",
)

_failure_numbers = itertools.count(1)


class McpStream(Protocol):
    """One MCP session, as ``mdmemd.mcp.session.McpSession`` is one."""

    async def run(self) -> None:
        """Serve until ``close``."""

    async def receive(self, payload: bytes) -> None:
        """Take one message of the client."""

    async def close(self) -> None:
        """The client sends nothing more."""


Send = Callable[[bytes], Awaitable[None]]
OpenMcp = Callable[[wire.McpOpenParams, Send], Awaitable[McpStream]]


class RunBlocking(Protocol):
    """Runs a synchronous function on the query pool and gives its result on the event loop."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]:
        """Start ``function``; the result awaits its value or raises what it raised."""


@dataclass(frozen=True, slots=True)
class Connections:
    """What all connections share.

    Attributes:
        backend: what handlers work on.
        run_blocking: the way to the query pool.
        run_long: the way to the threads for what takes seconds or minutes.
        open_mcp: makes an MCP session.
        stop: asks the daemon to stop.
        state_changes: calls back on the event loop after each publication; returns how to end that.
    """

    backend: Backend
    run_blocking: RunBlocking
    run_long: RunBlocking
    open_mcp: OpenMcp
    stop: Callable[[], None]
    state_changes: Callable[[Callable[[], None]], Callable[[], None]]


@dataclass(frozen=True, slots=True)
class _Failed:
    """The unsuccessful end of a request."""

    code: ErrorCode
    message: str
    remedy: str = ""
    candidates: tuple[str, ...] = ()


_CANCELLED = _Failed(ErrorCode.CANCELLED, "The request was cancelled.")
_STOPPED = _Failed(ErrorCode.UNAVAILABLE, "The daemon was stopped.", "Ask again: that starts it.")


class Connection:
    """One client."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shared: Connections
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._shared = shared
        self._session = DaemonSession()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._mcp: McpStream | None = None
        self._mcp_task: asyncio.Task[None] | None = None
        self._stops_daemon = False
        self._is_stopping = False

    async def run(self) -> None:
        """Serve the client until one side ends."""
        try:
            await asyncio.wait_for(self._read_until_ready(), HANDSHAKE_TIMEOUT_SECONDS)
            while self._session.state is not State.CLOSED:
                data = await self._reader.read(READ_BYTES)
                if not data:
                    self._session.close()
                    break
                await self._receive(data)
        except RemoteProtocolError as error:
            log.warning("a client broke the protocol: %s", error)
        except TimeoutError:
            log.info("a client said nothing for %s s", HANDSHAKE_TIMEOUT_SECONDS)
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            # The listener closes: clients are told, lest they take it for a crash and start a new daemon.
            self._is_stopping = True
            raise
        finally:
            await self._end()

    async def refuse(self, *, reason: str, remedy: str) -> None:
        """Turn the client away before it has said anything."""
        try:
            await self._write(
                self._session.refuse(
                    version=self._shared.backend.identity.version, reason=reason, remedy=remedy
                )
            )
        except ConnectionError:
            pass
        finally:
            self._writer.close()

    async def _read_until_ready(self) -> None:
        while self._session.state in (State.OPENING, State.OFFERED):
            data = await self._reader.read(READ_BYTES)
            if not data:
                self._session.close()
                return
            await self._receive(data)

    async def _receive(self, data: bytes) -> None:
        for message in self._session.receive(data):
            match message:
                case Offer():
                    await self._answer(message)
                case Request():
                    self._begin(message)
                case Cancel(id=request_id):
                    if task := self._tasks.get(request_id):
                        _cancel_soon(task)
                case McpMessage(payload=payload):
                    assert self._mcp is not None
                    await self._mcp.receive(payload)

    async def _answer(self, offer: Offer) -> None:
        identity = self._shared.backend.identity
        if self._session.protocol is None:
            reason = (
                f"{offer.name} {offer.version} speaks protocol {offer.protocol_min} to {offer.protocol_max}, "
                f"this daemon {PROTOCOL_MIN} to {PROTOCOL_MAX}."
            )
            older = offer.protocol_max < PROTOCOL_MIN
            remedy = "Upgrade the client." if older else "Restart the daemon: mdmemctl stop"
            await self._write(self._session.refuse(version=identity.version, reason=reason, remedy=remedy))
            return
        await self._write(
            self._session.answer(
                version=identity.version,
                instance=identity.instance,
                capabilities=CAPABILITIES,
                state="ready",
                pid=os.getpid(),
                interpreter=identity.interpreter,
            )
        )

    # --- requests -------------------------------------------------------------------------------------------

    def _begin(self, request: Request) -> None:
        task = asyncio.create_task(self._serve(request))
        self._tasks[request.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(request.id, None))

    async def _serve(self, request: Request) -> None:
        """Run one request to its one end."""
        try:
            outcome = await self._outcome(request)
        except asyncio.CancelledError:
            outcome = _STOPPED if self._is_stopping else _CANCELLED
        try:
            # A client that has gone gets no answer, and one that cancels what is on its way gets it.
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                if self._session.state is not State.CLOSED:
                    await self._write(self._encoded(request, outcome))
        finally:
            if self._stops_daemon:
                self._shared.stop()

    async def _outcome(self, request: Request) -> wire.Message | _Failed:
        try:
            return await self._result(request, decode_params(request))
        except RequestError as error:
            return _Failed(error.code, str(error), error.remedy, error.candidates)
        except DaemonError as error:
            return _Failed(error_code(error), str(error), error.remedy, error.candidates)
        except Exception:  # a bug of a handler costs one answer and not the connection
            number = next(_failure_numbers)
            log.exception("failure %d: %s", number, request.method)
            return _Failed(
                ErrorCode.INTERNAL,
                f"The daemon failed on {request.method} (failure {number} in its log).",
                "Please report it with that part of the log; mdmemctl status shows where it is.",
            )

    def _encoded(self, request: Request, outcome: wire.Message | _Failed) -> bytes:
        """The frame that ends a request."""
        if not isinstance(outcome, _Failed):
            try:
                return self._session.reply(request.id, outcome)
            except FrameTooLargeError as error:
                outcome = _Failed(ErrorCode.TOO_LARGE, str(error), "Ask for less: one section, or a folder.")
        return self._session.fail(
            request.id,
            outcome.code,
            message=outcome.message,
            remedy=outcome.remedy,
            candidates=outcome.candidates,
        )

    async def _result(self, request: Request, params: wire.Message) -> wire.Message:

        def report(progress: wire.ProgressEvent) -> Awaitable[None]:
            return self._write(self._session.event(request.id, "progress", data=progress))

        backend, run_long = self._shared.backend, self._shared.run_long
        if isinstance(params, wire.RootWaitParams):
            changes = self._shared.state_changes
            return await wait_for_root(backend.service, params, state_changes=changes, report=report)
        if isinstance(params, wire.SyncParams):
            return await wait_for_sync(
                backend.service,
                begin_sync(backend.following, self._shared.run_blocking, params),
                params,
                state_changes=self._shared.state_changes,
                report=report,
            )
        if isinstance(params, wire.ModelDownloadParams):
            return await download_model(backend.models, params, run_long=run_long, report=report)
        if isinstance(params, wire.EvalParams):
            run_pooled = self._shared.run_blocking
            return await run_evaluation(backend.evaluator, params, run=run_pooled, report=report)
        if request.method == "stop":
            self._stops_daemon = True
            return wire.Empty()
        if isinstance(params, wire.McpOpenParams):
            self._mcp = await self._shared.open_mcp(params, self._send_mcp)
            self._mcp_task = asyncio.create_task(self._run_mcp(self._mcp))
            return wire.Empty()
        handler = HANDLERS[request.method]
        if request.method in AT_ONCE:
            return handler(backend, params)
        run = run_long if request.method in LONG else self._shared.run_blocking
        return await run(lambda: handler(backend, params))

    # --- MCP ------------------------------------------------------------------------------------------------

    async def _run_mcp(self, session: McpStream) -> None:
        try:
            await session.run()
        except Exception:  # a bug in one agent's session ends that session and nothing else
            log.exception("an MCP session failed")
        finally:
            self._writer.close()

    async def _send_mcp(self, payload: bytes) -> None:
        await self._write(self._session.mcp(payload))

    # --- bytes ----------------------------------------------------------------------------------------------

    async def _write(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError
        self._writer.write(data)
        await self._writer.drain()

    async def _end(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            _cancel_soon(task)
        if tasks:
            # Bounded: a client that does not read its replies must not hold the connection open.
            await asyncio.wait(tasks, timeout=END_SECONDS)
        self._writer.close()
        if self._mcp is not None and self._mcp_task is not None:
            await self._mcp.close()
            await asyncio.gather(self._mcp_task, return_exceptions=True)
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), END_SECONDS)
        self._writer.transport.abort()


def _cancel_soon(task: asyncio.Task[None]) -> None:
    """Cancel a task after its first step: one that is cancelled before ends without having run at all."""
    asyncio.get_running_loop().call_soon(task.cancel)
