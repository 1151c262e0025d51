"""How the index grows: ``python tests/bench/bench_scale.py [--sections N ...] [--passages N] [--graph]``.

For each size two processes of their own: one builds the index of a synthetic tree with synthetic vectors and
saves it, one restores it as a restart does and answers. Without ``--graph`` vectors are scanned exactly, as
right after a restart; with it the graph is built first, as idle time does. Memory is what a process has more
than before it touched the index; a daemon with the built-in model adds about 200 MB of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from synthetic_tree import DIMENSIONS, SyntheticTree, clustered

from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.app import SWITCH_INTERVAL_SECONDS
from mdmemd.index import vectors as vectors_module
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.question_cosines import QuestionCosines
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.index.vector_rows import unit_rows
from mdmemd.model import FloatMatrix, FloatVector, IndexedFile, RootSpec
from mdmemd.store.checkpoint import commit
from mdmemd.store.checkpoint_load import load
from mdmemd.store.manifest import Making
from mdmemd.text.tokens import terms as terms_of

MAKING = Making.now(RootSpec("bench", "/bench"), model="bench", dimensions=DIMENSIONS)
PASSAGES_PER_SECTION = 4.44
SECTIONS = [1_000, 10_000, 100_000]
QUESTIONS = 200
QUESTION_WORDS = 4
STOP_RANKS = 100
"""Questions are asked without stop words: these most frequent words are left out."""
EDITS = 50
RECALL_QUESTIONS = 50
NEIGHBOURS = 100

Figures = dict[str, Any]
Input = TypeVar("Input")


def build(sections: int, folder: str) -> Figures:
    """Index a tree, save it, and say how long that took."""
    vectors_module.EXACT_ROWS_MAX = 1 << 40  # the graph is not saved, so it is not built here
    random = np.random.default_rng(1)
    tree = SyntheticTree()
    index = RootIndex(dimensions=DIMENSIONS)
    seconds = 0.0
    for files in tree.batches(sections=sections):
        started = time.perf_counter()
        waiting = index.apply(files=files, removed=())
        seconds += time.perf_counter() - started
        index.add_vectors([each.key for each in waiting], clustered(random, len(waiting)))
    snapshot = index.freeze()
    disk = PosixCheckpoints(folder)
    pause_ms, saved_seconds = longest_pause(lambda: commit(disk, snapshot, making=MAKING, vectors_by="bench"))
    terms = sum(len(view.segment.postings.vocabulary) for view in snapshot.segments)
    return {
        "sections": snapshot.sections,
        "passages": snapshot.passages,
        "terms": terms,
        "build": snapshot.sections / seconds,
        "save": saved_seconds,
        "pause": pause_ms,
    }


def longest_pause(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by which a thread that wakes every millisecond was late at most; seconds of the work."""
    done = threading.Event()
    pauses = [0.0]

    def wake() -> None:
        last = time.perf_counter()
        while not done.wait(0.001):
            now = time.perf_counter()
            pauses.append(now - last - 0.001)
            last = now

    thread = threading.Thread(target=wake)
    thread.start()
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    done.set()
    thread.join()
    return 1e3 * max(pauses), seconds


def restart(folder: str, *, with_graph: bool) -> Figures:
    """Restore, ask, edit."""
    random = np.random.default_rng(2)
    tree = SyntheticTree()
    questions = clustered(random, QUESTIONS)
    asked = [" ".join(tree.words(random, QUESTION_WORDS, above_rank=STOP_RANKS)) for _ in range(QUESTIONS)]
    unit_rows(questions[:1], dimensions=DIMENSIONS)
    before = resident_mb()
    started = time.perf_counter()
    loaded = load(PosixCheckpoints(folder), wanted=MAKING)
    assert loaded.image is not None
    index = RootIndex.restored(loaded.image, dimensions=DIMENSIONS)
    del loaded
    snapshot = index.freeze()
    ask_words(snapshot, asked[0])
    ask_vectors(snapshot, questions[0])
    figures: Figures = {"restart": time.perf_counter() - started}
    figures["keyword"] = quantiles(asked, lambda text: ask_words(snapshot, text))
    figures["exact"] = quantiles(list(questions), lambda vector: ask_vectors(snapshot, vector))
    if with_graph:
        figures |= build_graph(index, questions)
    figures["resident"] = resident_mb() - before
    figures["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10 - before
    figures["edit"] = quantiles(list(range(EDITS)), lambda number: edit(index, tree.file(number, version=1)))
    return figures


def build_graph(index: RootIndex, questions: FloatMatrix) -> Figures:
    """What idle time does after a restart."""
    started = time.perf_counter()
    while index.tidy(rows=64):
        pass
    seconds = time.perf_counter() - started
    snapshot = index.freeze()
    if not snapshot.vectors.graph_rows:
        return {}
    return {
        "graph_seconds": seconds,
        "graph": quantiles(list(questions), lambda vector: ask_vectors(snapshot, vector)),
        "recall": float(np.mean([recall(snapshot, each) for each in questions[:RECALL_QUESTIONS]])),
    }


def ask_words(snapshot: RootSnapshot, text: str) -> object:
    """The best 200 sections for some words."""
    return Scope([("bench", snapshot)]).keyword([WeightedTerm(term) for term in terms_of(text)]).top(200)


def ask_vectors(snapshot: RootSnapshot, vector: FloatVector) -> object:
    """The sections of the nearest passages."""
    return Scope([("bench", snapshot)]).nearest(vector, passages=NEIGHBOURS)


def recall(snapshot: RootSnapshot, vector: FloatVector) -> float:
    """Share of the truly nearest among those that the graph finds."""
    rankings = [
        set(keys[:NEIGHBOURS].tolist())
        for keys, _ in QuestionCosines(snapshot.vectors, vector).ranked(count=NEIGHBOURS)
    ]
    return len(rankings[0] & rankings[-1]) / NEIGHBOURS


def edit(index: RootIndex, file: IndexedFile) -> object:
    """Another version of one file, with its vectors, published."""
    waiting = index.apply(files=[file], removed=())
    index.add_vectors([each.key for each in waiting], clustered(np.random.default_rng(3), len(waiting)))
    return index.freeze()


def quantiles(inputs: Sequence[Input], work: Callable[[Input], object]) -> tuple[float, float]:
    """Median and 95th percentile of the milliseconds that each input takes."""
    found = []
    for each in inputs:
        started = time.perf_counter()
        work(each)
        found.append(1e3 * (time.perf_counter() - started))
    return float(np.median(found)), float(np.quantile(found, 0.95))


def resident_mb() -> float:
    """Resident memory of this process (Linux)."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def measured(sections: int, *, with_graph: bool) -> Figures:
    """Both processes for one size."""
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        figures: Figures = {}
        for part in ("build", "restart"):
            command = [
                sys.executable,
                __file__,
                "--part",
                part,
                "--folder",
                folder,
                "--sections",
                str(sections),
            ]
            if with_graph:
                command.append("--graph")
            figures |= json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return figures


COLUMNS: list[tuple[str, Callable[[Figures], str]]] = [
    ("sections", lambda f: f"{f['sections']:,}"),
    ("passages", lambda f: f"{f['passages']:,}"),
    ("built/s", lambda f: f"{f['build']:,.0f}"),
    ("words p50, p95 ms", lambda f: pair(f, "keyword")),
    ("vectors exact ms", lambda f: pair(f, "exact")),
    ("by graph ms", lambda f: pair(f, "graph")),
    ("recall", lambda f: f"{f['recall']:.3f}" if "recall" in f else "-"),
    ("graph built s", lambda f: f"{f['graph_seconds']:.0f}" if "graph_seconds" in f else "-"),
    ("edit ms", lambda f: pair(f, "edit")),
    ("memory, peak MB", lambda f: f"{f['resident']:,.0f}, {f['peak']:,.0f}"),
    ("save s", lambda f: f"{f['save']:.2f}"),
    ("its pause ms", lambda f: f"{f['pause']:.0f}"),
    ("restart s", lambda f: f"{f['restart']:.2f}"),
]


def pair(figures: Figures, name: str) -> str:
    """Median and 95th percentile, if they were measured."""
    return "{:.1f}, {:.1f}".format(*figures[name]) if name in figures else "-"


def sections_of(passages: int | None) -> list[int]:
    """The size with about so many passages, if any is wanted."""
    return [round(passages / PASSAGES_PER_SECTION)] if passages else []


def print_table(sizes: Sequence[int], *, with_graph: bool) -> None:
    """One line a size, as Markdown."""
    print("| " + " | ".join(name for name, _ in COLUMNS) + " |")
    print("| " + " | ".join("---:" for _ in COLUMNS) + " |", flush=True)
    for sections in sizes:
        figures = measured(sections, with_graph=with_graph)
        print("| " + " | ".join(show(figures) for _, show in COLUMNS) + " |", flush=True)


def main() -> None:
    """Parse the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", type=int, nargs="*", default=SECTIONS)
    parser.add_argument("--passages", type=int, help="one more size, by passages")
    parser.add_argument("--graph", action="store_true", help="also build the graph over vectors")
    parser.add_argument("--part", choices=("build", "restart"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
        (sections,) = options.sections
        is_build = options.part == "build"
        figures = (
            build(sections, options.folder) if is_build else restart(options.folder, with_graph=options.graph)
        )
        json.dump(figures, sys.stdout)
        return
    print_table([*options.sections, *sections_of(options.passages)], with_graph=options.graph)


if __name__ == "__main__":
    main()
