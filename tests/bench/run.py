"""The numbers of a whole daemon on a real tree: ``make bench DOCS=folder``.

Starts a private daemon in a temporary home, registers a copy of the tree, and measures what a user meets.
Prints a table with the target of each number, then keyword questions to a large root and how the index grows;
judges nothing. Questions are headings of the tree itself, each asked once, so that nothing answers from a
cache of questions.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import bench_questions
from bench_scale import SECTIONS, print_table, sections_of

from mdmem.link import Client, connect
from mdmem_testkit.private_daemon import Instance

QUESTIONS = 200
PROCESSES = 15
EDITS = 30
IDLE_SECONDS = 10.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("docs", type=Path, help="folder of Markdown")
    parser.add_argument("--passages", type=int, help="one more synthetic tree, such as of 1000000 passages")
    options = parser.parse_args()
    docs = options.docs
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(docs, tree, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules"))
        instance = Instance(Path(folder) / "home")
        os.environ["MDMEM_HOME"] = str(instance.home)
        try:
            for name, value, target in measure(instance, tree):
                print(f"{name:<58} {value:>26}   {target}", flush=True)
        finally:
            instance.close()
    print("\nQuestions to a large synthetic root (tests/bench/bench_questions.py):")
    for name, value, target in bench_questions.rows():
        print(f"{name:<58} {value:>26}   {target}", flush=True)
    print("\nGrowth of the index over synthetic trees (tests/bench/bench_scale.py):")
    print_table([*SECTIONS, *sections_of(options.passages)], with_graph=bool(options.passages))


def measure(instance: Instance, tree: Path) -> Iterator[tuple[str, str, str]]:
    """Rows of the table: what, measured, target."""
    seconds, _ = timed(lambda: instance.ctl("start"))
    yield "daemon cold start (mdmemctl start)", f"{seconds:.2f} s", "<= 2 s"
    seconds, added = timed(
        lambda: instance.json("root", "add", str(tree), "--name", "bench", "--wait=keyword")
    )
    root = added["root"]
    size = f"{root['documents']} files, {root['sections']} sections"
    yield f"keyword-searchable after root add ({size})", f"{seconds:.2f} s", "200 files <= 2 s"
    with connect() as client:
        questions = headings(client)
        yield (
            "hybrid question over RPC while embedding",
            spread(ask(client, questions[:50], "hybrid")),
            "p95 <= 4 x idle",
        )
    with connect() as client:
        client.wait_root("bench")
    model = instance.json("status")["model"]
    yield (
        f"embedding rate ({model['computed']} passages)",
        f"{model['passages_per_second']:.0f} /s",
        ">= 240 /s",
    )
    yield "resident memory of the daemon", memory(instance.pid()), "10k passages <= 260 MB"
    with connect() as client:
        yield (
            "hybrid question over RPC",
            spread(ask(client, questions[50:], "hybrid")),
            "p50 <= 8, p95 <= 20 ms",
        )
        yield (
            "keyword question over RPC",
            spread(ask(client, questions[50:], "keyword")),
            "",
        )
        yield "save of a one-line edit to searchable", spread(edits(client, tree)), "p95 <= 200 ms"
    yield "mdmemctl search, whole process", spread(processes(instance, questions)), "<= 150 ms"
    yield from shim(instance, questions)
    yield "idle daemon, CPU", f"{idle_percent(instance.pid()):.2f} %", "< 0.1 %"
    instance.ctl("stop")
    seconds, _ = timed(lambda: instance.json("search", questions[0]))
    yield "restart to first answer", f"{seconds:.2f} s", "<= 1.5 s at 100k passages"
    with connect() as client:
        client.wait_root("bench")
    yield "passages embedded again after the restart", str(instance.json("status")["model"]["computed"]), "0"


def headings(client: Client) -> list[str]:
    """Distinct headings of the tree in random order (seed 1)."""
    rows = list(client.list_documents().documents)
    random.Random(1).shuffle(rows)
    found: dict[str, None] = {}
    for row in rows:
        stack = list(client.outline(row.path, root=row.root).nodes)
        while stack:
            node = stack.pop()
            stack.extend(node.children)
            if node.heading_path:
                found[" ".join(node.heading_path[-2:])] = None
        if len(found) >= QUESTIONS:
            break
    return list(found)[:QUESTIONS]


def ask(client: Client, questions: list[str], mode: Any) -> list[float]:
    """Milliseconds of each question."""
    return [
        1000 * timed(lambda question=question: client.search(question, mode=mode))[0]
        for question in questions
    ]


def edits(client: Client, tree: Path) -> list[float]:
    """Milliseconds from a finished save until the edit is found by its word, and by its vector."""
    path = tree / "bench-edit.md"
    body = "".join(f"Paragraph number {number} of the file.\n\n" for number in range(100))
    found: list[float] = []
    for number in range(EDITS):
        word = f"zyx{number}edit"
        path.write_text(f"# Edited file\n\n{body}The word is {word}.\n")
        started = time.perf_counter()
        while True:
            answer = client.search(word, mode="hybrid")
            if (
                answer.hits
                and answer.hits[0].path == path.name
                and answer.state.embedded == answer.state.passages
            ):
                break
        found.append(1000 * (time.perf_counter() - started))
    return found


def processes(instance: Instance, questions: list[str]) -> list[float]:
    """Milliseconds of whole ``mdmemctl search`` processes."""
    return [
        1000 * timed(lambda question=question: instance.ctl("search", "--", question))[0]
        for question in questions[:PROCESSES]
    ]


def shim(instance: Instance, questions: list[str]) -> Iterator[tuple[str, str, str]]:
    """Rows about agent sessions, spoken to in raw JSON lines."""
    starts = []
    for _ in range(PROCESSES):
        started = time.perf_counter()
        process = start_shim(instance)
        call(process, 2, "tools/list", {})
        starts.append(1000 * (time.perf_counter() - started))
        process.stdin and process.stdin.close()
        process.wait()
    yield "initialize + tools/list through a new shim", spread(starts), "<= 80 ms"
    process = start_shim(instance)
    latencies = []
    for number, question in enumerate(questions[50:], start=3):
        arguments = {"name": "search_docs", "arguments": {"query": question + "?", "root": "bench"}}
        latencies.append(
            1000
            * timed(
                lambda number=number, arguments=arguments: call(process, number, "tools/call", arguments)
            )[0]
        )
    yield "hybrid question through the shim", spread(latencies), "p50 <= 8, p95 <= 20 ms"
    yield "resident memory of one more session", memory(process.pid), "<= 20 MB"
    process.stdin and process.stdin.close()
    process.wait()


def start_shim(instance: Instance) -> subprocess.Popen[bytes]:
    """A shim after its ``initialize``."""
    process = instance.spawn("mdmem.mcp.main", stderr=subprocess.DEVNULL)
    call(
        process,
        1,
        "initialize",
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    )
    say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    return process


def say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    """Send one message."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def call(
    process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    """Send a request and wait for its result."""
    say(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert process.stdout is not None
    for line in process.stdout:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            result: dict[str, Any] = message["result"]
            return result
    raise SystemExit("the shim has ended")


def idle_percent(pid: int) -> float:
    """CPU of a process that nobody asks anything, in percent of one core."""
    before = cpu_seconds(pid)
    threading.Event().wait(IDLE_SECONDS)
    return 100 * (cpu_seconds(pid) - before) / IDLE_SECONDS


def cpu_seconds(pid: int) -> float:
    """User and system time so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> str:
    """Resident memory (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return f"{pages * os.sysconf('SC_PAGE_SIZE') / 2**20:.0f} MB"


def spread(milliseconds: list[float]) -> str:
    """Median and 95th percentile."""
    ordered = sorted(milliseconds)
    return f"p50 {statistics.median(ordered):.1f}, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


if __name__ == "__main__":
    main()
