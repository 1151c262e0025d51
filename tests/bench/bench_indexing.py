"""What a question meets while others index: ``python tests/bench/bench_indexing.py FOLDER``.

A private daemon holds the project's own documents; then a copy of FOLDER and after it a table of 10 MB are
added, and keyword questions about the documents are asked one after another until each is searchable. Prints
their latencies beside those of an idle daemon; judges nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmem.link import Client, connect
from mdmem_testkit.private_daemon import Instance

PROJECT = Path(__file__).parents[2]
IDLE_QUESTIONS = 100
TABLE_BYTES = 10 * 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("docs", type=Path, help="folder of Markdown")
    docs = parser.parse_args().docs
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        instance = Instance(Path(folder) / "home")
        os.environ["MDMEM_HOME"] = str(instance.home)
        small, tree, table = (Path(folder) / name for name in ("small", "tree", "table"))
        small.mkdir()
        for document in PROJECT.glob("*.md"):
            shutil.copy(document, small)
        shutil.copytree(docs, tree, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules"))
        table.mkdir()
        rows = "".join(f"| {number} | value {number} | {'x' * 30} |\n" for number in range(250_000))
        (table / "table.md").write_text(f"| a | b | c |\n| - | - | - |\n{rows}"[:TABLE_BYTES])
        try:
            with connect() as client:
                client.add_root(str(small))
                client.wait_root("small")
                idle = [ask(client, number) for number in range(IDLE_QUESTIONS)]
                print(f"{'idle':<12} {spread(idle)}", flush=True)
                print(f"{'tree':<12} {during(client, tree)}", flush=True)
                client.wait_root("tree")
                print(f"{'table':<12} {during(client, table)}", flush=True)
        finally:
            instance.close()


def during(client: Client, added: Path) -> str:
    """Add a folder and ask until its words can be searched."""
    client.add_root(str(added))
    is_done = threading.Event()

    def wait() -> None:
        with connect() as other:
            other.wait_root(added.name, until="keyword")
        is_done.set()

    started = time.perf_counter()
    waiter = threading.Thread(target=wait)
    waiter.start()
    latencies: list[float] = []
    while not is_done.is_set():
        latencies.append(ask(client, len(latencies)))
    seconds = time.perf_counter() - started
    waiter.join()
    return f"{spread(latencies)}, searchable in {seconds:.1f} s"


def ask(client: Client, number: int) -> float:
    """Milliseconds of one question; no two are the same."""
    started = time.perf_counter()
    client.search(f"where does the daemon keep list {number}", mode="keyword", roots=["small"])
    return 1000 * (time.perf_counter() - started)


def spread(milliseconds: list[float]) -> str:
    """Median, 95th percentile and longest."""
    ordered = sorted(milliseconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    p50 = statistics.median(ordered)
    return f"{len(ordered)} questions: p50 {p50:.1f}, p95 {p95:.1f}, longest {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main()
