"""Agents: ``mdmem-mcp`` with a real daemon, driven by the official client and by raw lines."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from mdmem_testkit.agent_session import RawShim, agent, text_of
from mdmem_testkit.private_daemon import CEILING_SECONDS, Instance

pytestmark = pytest.mark.e2e

RSS_BYTES_MAX = 20 * 1024 * 1024


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("daemon_is_up", [True, False])
def test_the_official_client(instance: Instance, documents: Path, mode: str, *, daemon_is_up: bool) -> None:
    """G8: the tools are there and the first call answers also where no daemon was running."""
    if daemon_is_up:
        instance.ctl("start")

    async def main() -> None:
        async with agent(instance, documents, mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[:2] == ["search_docs", "read_section"]
            found = json.loads(
                text_of(await client.call_tool("search_docs", {"query": "roll back a bad release"}))
            )
            assert found["note"] == "This project was registered just now as root 'documents'."
            best = found["results"][0]
            assert (best["path"], best["heading_path"]) == (
                "guides/deploy.md",
                "Deploying > Rolling back a bad release",
            )
            read = await client.call_tool(
                "read_section", {"file_path": best["path"], "heading_path": best["heading_path"]}
            )
            assert "Run `shipctl undo --to-previous` on the gateway." in text_of(read)
            outline = json.loads(
                text_of(await client.call_tool("get_document_outline", {"path": "cookbook.md"}))
            )
            assert [row["heading_path"] for row in outline["sections"]] == [
                "Cookbook", "Cookbook > Sourdough bread", "Cookbook > Lentil soup",
            ]  # fmt: skip
            listed = json.loads(text_of(await client.call_tool("list_documents", {"directory": "guides"})))
            assert [row["path"] for row in listed["documents"]] == ["guides/deploy.md", "guides/setup.md"]
            status = json.loads(text_of(await client.call_tool("index_status", {})))
            assert status["project"] == {"folder": str(documents), "root": "documents"}
            wrong = await client.call_tool("read_section", {"file_path": "cookbook.md", "heading": "Pizza"})
            assert wrong.is_error
            assert "Sourdough bread" in text_of(wrong)

    asyncio.run(main())


def test_a_session_goes_on_after_kill_9(instance: Instance, documents: Path) -> None:
    with RawShim(instance, documents) as shim:
        shim.initialize()
        shim.ask(1, "tools/list")
        search = {"name": "search_docs", "arguments": {"query": "lentils"}}
        assert not shim.ask(2, "tools/call", **search)["result"]["isError"]
        for request_id in (3, 4):
            os.kill(instance.pid(), signal.SIGKILL)
            reply = shim.ask(request_id, "tools/call", **search)
            assert reply["id"] == request_id
            assert "Lentil soup" in reply["result"]["content"][0]["text"]


def test_g5_raw_lines(instance: Instance, documents: Path) -> None:
    with RawShim(instance, documents) as shim:
        shim.initialize()
        shim.send(b"\n\n{broken\n")
        assert shim.line()["error"]["code"] == -32700
        shim.send(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n')
        assert shim.line()["error"]["code"] == -32600
        assert shim.ask(1, "no/such")["error"]["code"] == -32601
        assert shim.ask("2", "ping", text="x" * 5_000_000) == {"jsonrpc": "2.0", "id": "2", "result": {}}
        shim.send(b'{"jsonrpc":"2.0",')
        shim.send(b'"id":3,"method":"ping"}\r\n')
        assert shim.line()["id"] == 3


def test_end_of_stdin_ends_the_shim_within_a_second(instance: Instance, documents: Path) -> None:
    with RawShim(instance, documents) as shim:
        shim.initialize()
        started = time.monotonic()
        shim.close_stdin()
        assert shim.process.wait(CEILING_SECONDS) == 0
        assert time.monotonic() - started < 1.0


def test_r1_a_dead_parent_ends_the_shim(instance: Instance, documents: Path) -> None:
    """The parent is killed while another process keeps stdin open, as a client's forgotten helper may."""
    holder, keeper = os.pipe()
    code = (
        "import os, subprocess, sys\n"
        "shim = [sys.executable, '-m', 'mdmem.mcp.main']\n"
        "child = subprocess.Popen(shim, stdin=0, stdout=subprocess.PIPE)\n"
        "os.write(1, b'%d ' % child.pid); os.write(1, child.stdout.readline()); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [instance.python, "-c", code],
        stdin=holder,
        stdout=subprocess.PIPE,
        env=instance.environment,
        cwd=documents,
    )
    try:
        request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        os.write(keeper, request)
        assert parent.stdout is not None
        number, _, reply = parent.stdout.readline().partition(b" ")
        assert json.loads(reply)["id"] == 1
        watch = os.pidfd_open(int(number))
        parent.kill()
        parent.wait(CEILING_SECONDS)
        ended, _, _ = select.select([watch], [], [], CEILING_SECONDS)
        assert ended
        os.close(watch)
    finally:
        os.close(holder)
        os.close(keeper)
        if parent.stdout is not None:
            parent.stdout.close()


def test_r1_sessions_share_one_daemon_and_leave_nothing_behind(instance: Instance, documents: Path) -> None:
    shims = [RawShim(instance, documents) for _ in range(8)]
    for shim in shims:
        with shim:
            assert shim.initialize()["result"]["serverInfo"]["name"] == "mdmem"
            assert shim.ask(1, "tools/list")["id"] == 1
            assert _rss_bytes(shim.process.pid) < RSS_BYTES_MAX
    assert all(shim.process.returncode == 0 for shim in shims)
    assert instance.log.count(" serves ") == 1


def _rss_bytes(pid: int) -> int:
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    return int(fields["VmRSS"].split()[0]) * 1024


def test_a_folder_that_may_not_be_a_root_is_served_all_roots(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    empty = tmp_path / "empty"
    empty.mkdir()
    with RawShim(instance, empty) as shim:
        shim.initialize()
        reply = shim.ask(1, "tools/call", name="search_docs", arguments={"q": "sourdough", "top_k": "1"})
        answer = json.loads(reply["result"]["content"][0]["text"])
    assert answer["root"] == "docs"
    assert "holds no Markdown" in answer["note"]
