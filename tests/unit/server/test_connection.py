"""One connection over a real socket: requests side by side, one end each, and whatever clients do wrong."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import pytest

from mdmem_proto import messages as wire
from mdmem_proto.envelope import Answer, Event, Refusal, Reply
from mdmem_proto.mcp_stream import mcp_frame
from mdmem_proto.session import ClientSession, decode_result
from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmemd.engine.evaluation import Evaluator
from mdmemd.engine.following import Following
from mdmemd.engine.scoping import Scoping
from mdmemd.engine.why_query import QueryExplainer
from mdmemd.model import ChunkMode
from mdmemd.server import connection as connection_module
from mdmemd.server.connection import Connections, Send
from mdmemd.server.handlers.backend import Backend, DaemonIdentity
from mdmemd.server.listener import Listener

CEILING_SECONDS = 20.0
T = TypeVar("T")
"""For waits on events; nothing waits for time to pass."""


class EchoMcp:
    """An MCP session that says everything back."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._closed = asyncio.Event()

    async def run(self) -> None:
        await self._closed.wait()

    async def receive(self, payload: bytes) -> None:
        if payload == b"crash":
            raise RuntimeError("told to crash")
        await self._send(payload)

    async def close(self) -> None:
        self._closed.set()


class Server:
    """A listener over a fake service, and clients of it."""

    def __init__(self, path: str, service: Any, *, models: Any = None) -> None:
        self.path = path
        self.stopped = asyncio.Event()
        self.uid: int | None = os.getuid()
        self.run_blocking: Any = _run_blocking
        identity = DaemonIdentity(
            version="9.9", instance="i", started_at=1.0, socket_path=path, log_path="log", rss_bytes=lambda: 7
        )
        self.listener = Listener(
            Connections(
                backend=Backend(
                    service,
                    cast("Following", None),
                    cast("Scoping", None),
                    identity,
                    maintenance=service,
                    evaluator=cast("Evaluator", None),
                    why_query=cast("QueryExplainer", None),
                    models=models,
                ),
                run_blocking=self._run,
                run_long=self._run,
                open_mcp=self._open_mcp,
                stop=self.stopped.set,
                state_changes=lambda _: lambda: None,
            ),
            peer_uid=lambda _: self.uid,
        )

    async def _run(self, function: Callable[[], T], /) -> T:
        result: T = await self.run_blocking(function)
        return result

    async def _open_mcp(self, params: wire.McpOpenParams, send: Send) -> EchoMcp:
        return EchoMcp(send)

    async def client(self, *, offer: bool = True, **range_: int) -> Client:
        reader, writer = await asyncio.open_unix_connection(self.path)
        client = Client(reader, writer)
        if offer:
            writer.write(client.session.offer(name="test", version="1", pid=1, **range_))
        return client


async def _run_blocking(function: Callable[[], T], /) -> T:
    return await asyncio.to_thread(function)


class Client:
    """A session and the bytes under it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.session = ClientSession()
        self._waiting: list[Any] = []

    async def next(self) -> Any:
        """The next message; ``None`` at the end."""
        while not self._waiting:
            data = await asyncio.wait_for(self.reader.read(65536), CEILING_SECONDS)
            if not data:
                return None
            self._waiting.extend(self.session.receive(data))
        return self._waiting.pop(0)

    def ask(self, method: str, params: wire.Message | None = None) -> int:
        request_id, data = self.session.request(method, params or wire.Empty())
        self.writer.write(data)
        return request_id

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


def serve(
    tmp_path: Path, scenario: Callable[[Server], Awaitable[None]], service: Any = None, **options: Any
) -> Server:
    """Run a scenario against a server; returns the server for a look afterwards."""

    async def run() -> Server:
        from mdmemd.adapters.unix_socket import ListeningSocket

        path = str(tmp_path / "s")
        server = Server(
            path,
            service
            or FakeService(
                section("docs", "a.md", "A", text="# A\n\nAlpha.\n"), roots=(root_status("docs", "/docs"),)
            ),
        )
        for name, value in options.items():
            setattr(server, name, value)
        await server.listener.start(ListeningSocket(path).socket)
        try:
            await scenario(server)
        finally:
            await server.listener.close()
        return server

    return asyncio.run(run())


def test_a_request_gets_its_reply(tmp_path: Path) -> None:
    async def scenario(server: Server) -> None:
        client = await server.client()
        answer = await client.next()
        assert isinstance(answer, Answer)
        assert (answer.protocol, answer.version, answer.pid) == (1, "9.9", os.getpid())
        client.ask("search", wire.SearchParams("alpha"))
        reply = await client.next()
        assert isinstance(reply, Reply)
        assert decode_result(reply, wire.SearchResult).hits[0].path == "a.md"
        client.ask("status")
        status = decode_result(await client.next(), wire.StatusResult)
        assert status.daemon.rss_bytes == 7
        assert [root.name for root in status.roots] == ["docs"]
        await client.close()

    serve(tmp_path, scenario)


def test_a_preview_is_the_whole_document(tmp_path: Path) -> None:
    service = FakeService()

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("preview", wire.PreviewParams("/else/a.md", chunk_mode="header"))
        shown = decode_result(await client.next(), wire.PreviewResult)
        assert (shown.front_matter, shown.title, shown.tags) == ({"n": 1}, "A", ())
        assert shown.sections[1] == wire.PreviewSection(("A", "C"), 2, None, (8, 10), 4)
        assert shown.passages[-1] == wire.PreviewPassage(1, (10, 10), "End \ufffd.")
        assert shown.links == (wire.PreviewLink("b.md#B", "b.md", "B", 6, embed=False),)
        assert [(problem.kind, problem.line) for problem in shown.problems] == [("invalid_bytes", 10)]
        client.ask("preview", wire.PreviewParams("/else/a.md"))
        await client.next()
        await client.close()

    serve(tmp_path, scenario, service)
    assert service.asked("preview") == [("/else/a.md", ChunkMode.HEADER), ("/else/a.md", None)]


def test_a_client_of_another_age_is_told_both_ranges(tmp_path: Path) -> None:
    """D19."""

    async def scenario(server: Server) -> None:
        newer = await server.client(protocol_min=7, protocol_max=9)
        refusal = await newer.next()
        assert isinstance(refusal, Refusal)
        assert "7 to 9" in refusal.reason
        assert "mdmemctl stop" in refusal.remedy
        assert await newer.next() is None
        await newer.close()

    serve(tmp_path, scenario)


def test_unknown_methods_and_bad_parameters_cost_one_failure(tmp_path: Path) -> None:
    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("serach")
        failure = await client.next()
        assert (failure.code, failure.candidates) == ("unknown_method", ("search",))
        client.ask("search", wire.Empty())
        assert (await client.next()).code == "invalid_request"
        client.ask("read", wire.ReadParams("nothing.md"))
        missing = await client.next()
        assert missing.code == "not_found"
        assert missing.message
        client.ask("status")
        assert isinstance(await client.next(), Reply)
        await client.close()

    serve(tmp_path, scenario)


def test_a_crash_costs_one_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Crashing(FakeService):
        def search(self, *args: Any, **options: Any) -> Any:
            raise ZeroDivisionError("bug")

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("search", wire.SearchParams("alpha"))
        failure = await client.next()
        assert failure.code == "internal"
        assert "in its log" in failure.message
        client.ask("status")
        assert isinstance(await client.next(), Reply)
        await client.close()

    serve(tmp_path, scenario, Crashing())
    assert "ZeroDivisionError" in caplog.text


class Slow(FakeService):
    """Searches wait until they are let go."""

    def __init__(self) -> None:
        super().__init__(section("docs", "a.md", "A"))
        self.entered, self.let_go = threading.Event(), threading.Event()

    def search(self, *args: Any, **options: Any) -> Any:
        self.entered.set()
        assert self.let_go.wait(CEILING_SECONDS)
        return super().search(*args, **options)


def test_requests_run_side_by_side(tmp_path: Path) -> None:
    service = Slow()

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        slow = client.ask("search", wire.SearchParams("text"))
        quick = client.ask("status")
        assert (await client.next()).id == quick
        service.let_go.set()
        assert (await client.next()).id == slow
        await client.close()

    serve(tmp_path, scenario, service)


def test_a_cancelled_request_ends_at_once(tmp_path: Path) -> None:
    service = Slow()

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        slow = client.ask("search", wire.SearchParams("text"))
        await asyncio.to_thread(service.entered.wait, CEILING_SECONDS)
        client.writer.write(client.session.cancel(slow))
        client.writer.write(client.session.cancel(12345))
        failure = await client.next()
        assert (failure.id, failure.code) == (slow, "cancelled")
        service.let_go.set()
        client.ask("status")
        assert isinstance(await client.next(), Reply)
        await client.close()

    serve(tmp_path, scenario, service)


def test_a_request_that_is_cancelled_in_the_same_breath_still_ends(tmp_path: Path) -> None:
    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        request_id, data = client.session.request("status", wire.Empty())
        client.writer.write(data + client.session.cancel(request_id))
        end = await client.next()
        assert end.id == request_id
        assert isinstance(end, Reply) or end.code == "cancelled"
        await client.close()

    serve(tmp_path, scenario)


def test_a_client_that_asks_for_a_stop_and_leaves_has_stopped_the_daemon(tmp_path: Path) -> None:
    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("stop")
        client.writer.write_eof()
        await client.close()
        await asyncio.wait_for(server.stopped.wait(), CEILING_SECONDS)

    serve(tmp_path, scenario)


def test_status_is_answered_while_all_threads_wait_for_a_disk(tmp_path: Path) -> None:
    async def never(_function: Callable[[], T], /) -> T:
        await asyncio.Event().wait()
        raise AssertionError

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("search", wire.SearchParams("alpha"))
        client.ask("status")
        client.ask("roots.list")
        assert isinstance(await client.next(), Reply)
        assert isinstance(await client.next(), Reply)
        await client.close()

    serve(tmp_path, scenario, run_blocking=never)


def test_a_client_that_goes_away_in_mid_request_disturbs_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """X12, R1: nor does it leave a traceback in the log."""
    service = Slow()

    async def scenario(server: Server) -> None:
        first, second = await server.client(), await server.client()
        await first.next()
        first.ask("search", wire.SearchParams("text"))
        await asyncio.to_thread(service.entered.wait, CEILING_SECONDS)
        await first.close()
        service.let_go.set()
        await second.next()
        second.ask("status")
        assert isinstance(await second.next(), Reply)
        await second.close()

    serve(tmp_path, scenario, service)
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0\0\0\0",
        b"\x05\0\0\0\xc1\xc1\xc1\xc1\xc1",
        b"\x10\0",
    ],
)
def test_garbage_ends_its_connection_and_no_other(tmp_path: Path, data: bytes) -> None:
    """X12."""

    async def scenario(server: Server) -> None:
        stranger = await server.client(offer=False)
        stranger.writer.write(data)
        stranger.writer.write_eof()
        assert await asyncio.wait_for(stranger.reader.read(), CEILING_SECONDS) == b""
        await stranger.close()
        client = await server.client()
        assert isinstance(await client.next(), Answer)
        await client.close()

    serve(tmp_path, scenario)


def test_a_silent_client_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D9, X12."""
    monkeypatch.setattr(connection_module, "HANDSHAKE_TIMEOUT_SECONDS", 0.01)

    async def scenario(server: Server) -> None:
        silent = await server.client(offer=False)
        assert await asyncio.wait_for(silent.reader.read(), CEILING_SECONDS) == b""
        await silent.close()

    serve(tmp_path, scenario)


@pytest.mark.parametrize("uid", [os.getuid() + 1, None])
def test_other_users_are_turned_away(tmp_path: Path, uid: int | None) -> None:
    """X8."""

    async def scenario(server: Server) -> None:
        client = await server.client(offer=False)
        refusal = await client.next()
        assert isinstance(refusal, Refusal)
        assert "another user" in refusal.reason
        await client.close()

    serve(tmp_path, scenario, uid=uid)


def test_one_connection_too_many_is_refused_and_a_freed_place_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D9, X12."""
    monkeypatch.setattr("mdmemd.server.listener.CONNECTIONS_MAX", 2)

    async def scenario(server: Server) -> None:
        clients = [await server.client() for _ in range(2)]
        for client in clients:
            assert isinstance(await client.next(), Answer)
        third = await server.client(offer=False)
        refusal = await third.next()
        assert isinstance(refusal, Refusal)
        assert "connected already" in refusal.reason
        await third.close()
        clients[0].ask("stop")
        assert isinstance(await clients[0].next(), Reply)
        for client in clients:
            await client.close()

    server = serve(tmp_path, scenario)
    assert server.stopped.is_set()


def test_an_answer_too_large_for_a_frame_is_a_failure(tmp_path: Path) -> None:
    service = FakeService(section("docs", "a.md", "A", text="x" * (17 * 2**20)))

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("read", wire.ReadParams("a.md"))
        assert (await client.next()).code == "too_large"
        client.ask("status")
        assert isinstance(await client.next(), Reply)
        await client.close()

    serve(tmp_path, scenario, service)


def test_a_stop_tells_the_requests_in_flight(tmp_path: Path) -> None:
    """A client that waits must not take the end for a crash, and start the daemon again."""
    service = Slow()
    endings: list[Any] = []

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("search", wire.SearchParams("text"))
        await asyncio.to_thread(service.entered.wait, CEILING_SECONDS)
        await server.listener.close()
        endings.append(await client.next())
        assert await client.next() is None
        service.let_go.set()
        await client.close()

    serve(tmp_path, scenario, service)
    assert (endings[0].code, endings[0].message) == ("unavailable", "The daemon was stopped.")


def test_a_client_that_does_not_read_does_not_hold_the_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D9."""
    monkeypatch.setattr(connection_module, "END_SECONDS", 0.05)
    service = FakeService(section("docs", "a.md", "A", text="x" * (8 * 2**20)))

    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("read", wire.ReadParams("a.md"))
        client.ask("status")
        await server.listener.close()
        client.writer.transport.abort()

    serve(tmp_path, scenario, service)


def test_mcp_turns_the_connection_into_a_stream(tmp_path: Path) -> None:
    async def scenario(server: Server) -> None:
        client = await server.client()
        await client.next()
        client.ask("mcp.open", wire.McpOpenParams(project="/p"))
        assert isinstance(await client.next(), Reply)
        client.writer.write(mcp_frame(b'{"a": 1}') + mcp_frame(b'{"b": 2}'))
        assert [(await client.next()).payload for _ in range(2)] == [b'{"a": 1}', b'{"b": 2}']
        await client.close()

    serve(tmp_path, scenario)


def test_every_method_of_the_wire_is_served() -> None:
    from mdmemd.server.handlers.table import HANDLERS

    assert set(HANDLERS) | {"roots.wait", "sync", "models.download", "eval", "stop", "mcp.open"} == set(
        wire.METHODS
    )


def test_events_carry_progress() -> None:
    event = Event(1, "progress", msgspec.Raw(msgspec.msgpack.encode(wire.ProgressEvent("index", 1, 2))))
    assert msgspec.msgpack.decode(event.data, type=wire.ProgressEvent).total == 2
