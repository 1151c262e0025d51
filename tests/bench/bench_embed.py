"""Measure embedding on a tree of Markdown: the compiled graph against the shipped one, in turns.

Run as ``python tests/bench/bench_embed.py FOLDER --seconds 60``. Everything goes through a running
``EmbedQueue``, with an empty vector cache. The graphs take turns of a few seconds, so that both meet the same
machine; on a shared one, trust the CPU seconds rather than the rates. A graph's memory is measured in a
process of its own, which this script starts.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path

from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.adapters.process_memory import rss_bytes
from mdmemd.adapters.system_clock import SystemClock
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.registry import BUILT_IN
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.index.embedded_text import embedded_text
from mdmemd.model import ModelState, UnembeddedPassage, VectorKey
from mdmemd.text.document import parse_document
from mdmemd.workers import Worker

GRAPHS = {"shipped": replace(BUILT_IN, attention_heads=None), "compiled": BUILT_IN}
PASSAGES_PER_TURN = 256
QUESTIONS_PER_TURN = 20
LONG_TEXTS = 500
LONG_TEXT_CHARACTERS = 10_000
CEILING_SECONDS = 600.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="for the rates, all graphs together")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    parser.add_argument("--memory", nargs=2, metavar=("GRAPH", "CACHE"), help="memory only (internal)")
    arguments = parser.parse_args()
    texts = passages(arguments.folder)
    if arguments.memory:
        graph, cache = arguments.memory
        memory(graph, texts, cache=cache, threads=arguments.threads)
        return
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as cache:
        print(f"{len(texts)} distinct passages; load average {os.getloadavg()[0]:.1f}")
        rates(texts, seconds=arguments.seconds, cache=cache, threads=arguments.threads)
    print(f"load average {os.getloadavg()[0]:.1f}", flush=True)
    for graph in GRAPHS:
        with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as cache:
            for start in ("first", "second"):
                print(f"{start} start:", flush=True)
                subprocess.run([sys.executable, *sys.argv, "--memory", graph, cache], check=True)


def passages(folder: Path) -> list[str]:
    """The distinct embedded texts of the tree, in the order of its files."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.md")):
        document = parse_document(path.read_bytes(), path=path.relative_to(folder).as_posix())
        for passage in document.passages:
            found[embedded_text(document, document.sections[passage.section], passage)] = None
    return list(found)


@contextmanager
def running_queue(graph: str, *, cache: str, threads: int) -> Iterator[EmbedQueue]:
    """A queue on its thread, loaded. Prints how long loading took."""
    ready = threading.Event()
    clock = SystemClock()
    started = time.monotonic()
    files = ModelFiles(GRAPHS[graph], store=cache, hashes=FileHashes(PosixBlobs(cache)))
    queue = EmbedQueue(
        load=lambda: load_encoder(files, threads=threads, graphs=PosixBlobs(cache)),
        cache=lambda: VectorCache(os.path.join(cache, f"{graph}-{time.monotonic_ns()}.sqlite"), clock=clock),
        clock=clock,
        phase_changed=ready.set,
    )
    worker = Worker("embedder", queue)
    worker.start()
    try:
        assert ready.wait(CEILING_SECONDS)
        state = queue.state()
        assert state.phase is ModelState.READY, state.failure
        print(f"{graph:9} loaded in {time.monotonic() - started:.2f} s {state.model_message or ''}")
        yield queue
    finally:
        worker.stop(timeout_seconds=CEILING_SECONDS)
        queue.close()


@dataclass
class Bulk:
    """A job of the queue that can be waited for."""

    left: int
    done: threading.Event = field(default_factory=threading.Event)

    def deliver(self, delivery: Delivery) -> None:
        assert not delivery.failed
        self.left -= len(delivery.keys)
        if not self.left:
            self.done.set()


def submit(queue: EmbedQueue, texts: Sequence[str]) -> Bulk:
    """Hand the texts to the queue as bulk work."""
    bulk = Bulk(len(texts))
    waiting = [UnembeddedPassage(VectorKey(at), text) for at, text in enumerate(texts)]
    queue.submit(waiting, urgent=False, deliver=bulk.deliver)
    return bulk


@dataclass
class Measured:
    """All turns of one graph."""

    passages: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    rates: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    def take_turn(self, queue: EmbedQueue, texts: Sequence[str], ask: Callable[[EmbedQueue], float]) -> None:
        """Questions alone, passages alone, then both together."""
        half = len(texts) // 2
        self.idle += [ask(queue) for _ in range(QUESTIONS_PER_TURN)]
        wall, cpu = time.perf_counter(), time.process_time()
        assert submit(queue, texts[:half]).done.wait(CEILING_SECONDS)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.passages += half
        self.wall_seconds += wall
        self.cpu_seconds += cpu
        self.rates.append(half / wall)
        bulk = submit(queue, texts[half:])
        while not bulk.done.wait(0.03):
            self.busy.append(ask(queue))

    def __str__(self) -> str:
        return (
            f"{self.passages / self.wall_seconds:6.0f} passages/s (best turn {max(self.rates):.0f})   "
            f"{1000 * self.cpu_seconds / self.passages:5.2f} CPU s / 1000 passages   "
            f"question alone {spread(self.idle)}, during bulk {spread(self.busy)}"
        )


def rates(texts: Sequence[str], *, seconds: float, cache: str, threads: int) -> None:
    """Turns of the graphs over the passages until the time is over, once around at most."""
    questions = (f"{text[:60]} {number}?" for number, text in enumerate(cycle(texts)))

    def ask(queue: EmbedQueue) -> float:
        started = time.perf_counter()
        queue.submit_query(next(questions)).result(CEILING_SECONDS)
        return time.perf_counter() - started

    with (
        running_queue("compiled", cache=cache, threads=threads) as compiled,
        running_queue("shipped", cache=cache, threads=threads) as shipped,
    ):
        queues = {"compiled": compiled, "shipped": shipped}
        measured = {graph: Measured() for graph in queues}
        started = time.monotonic()
        for at in range(0, len(texts), PASSAGES_PER_TURN):
            for graph, queue in queues.items():
                measured[graph].take_turn(queue, texts[at : at + PASSAGES_PER_TURN], ask)
            if time.monotonic() - started > seconds:
                break
    for graph, result in measured.items():
        print(f"{graph:9} {result}")


def memory(graph: str, texts: Sequence[str], *, cache: str, threads: int) -> None:
    """Resident memory at load, after bulk, and while long texts are embedded."""
    before = rss_bytes()
    highest = 0
    with running_queue(graph, cache=cache, threads=threads) as queue:
        loaded = rss_bytes()
        assert submit(queue, texts[:PASSAGES_PER_TURN]).done.wait(CEILING_SECONDS)
        long_texts = [f"{number} {'words of a long text ' * 500}" for number in range(LONG_TEXTS)]
        bulk = submit(queue, [text[:LONG_TEXT_CHARACTERS] for text in long_texts])
        while not bulk.done.wait(0.02):
            highest = max(highest, rss_bytes())
    print(
        f"{graph:9} resident: before {before >> 20} MB, loaded {loaded >> 20} MB, during {LONG_TEXTS} texts "
        f"of {LONG_TEXT_CHARACTERS} characters {highest >> 20} MB, afterwards {rss_bytes() >> 20} MB"
    )


def spread(seconds: Sequence[float]) -> str:
    """Median and 95th percentile."""
    cuts = statistics.quantiles(seconds, n=20)
    return f"p50 {1000 * cuts[9]:.1f} p95 {1000 * cuts[18]:.1f} ms"


if __name__ == "__main__":
    main()
