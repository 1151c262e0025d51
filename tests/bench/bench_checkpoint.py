"""Measure saving and restoring an index: ``python tests/bench/bench_checkpoint.py --passages 10000 100000``.

Synthetic words and vectors. Saves a full index, then after an edit of one file, then restores it in a process
of its own and asks one question of words and one of vectors. While a save runs, the pauses that another
thread meets are measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from bench_index import milliseconds, resident_bytes, row
from bench_scale import PASSAGES_PER_SECTION, longest_pause
from synthetic_tree import DIMENSIONS, SyntheticTree, clustered

from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.app import SWITCH_INTERVAL_SECONDS
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.model import RootSpec
from mdmemd.store import layout
from mdmemd.store.checkpoint import Commit, commit
from mdmemd.store.checkpoint_load import load
from mdmemd.store.manifest import Making

MAKING = Making.now(RootSpec("bench", "/bench"), model="bench", dimensions=DIMENSIONS)
BATCH = 1_000
EDITS = 20


def build(tree: SyntheticTree, random: np.random.Generator, *, passages: int) -> RootIndex:
    """An index with a vector for each passage."""
    index = RootIndex(dimensions=DIMENSIONS)
    for files in tree.batches(sections=round(passages / PASSAGES_PER_SECTION)):
        handed_out = index.apply(files=files, removed=())
        index.add_vectors([each.key for each in handed_out], clustered(random, len(handed_out)))
    return index


def save(disk: PosixCheckpoints, index: RootIndex) -> Commit:
    """One generation."""
    return commit(disk, index.freeze(), making=MAKING, vectors_by="bench")


def folder_bytes(disk: PosixCheckpoints, folder: str) -> int:
    """Size of all files of the root."""
    inside = os.path.join(folder, layout.root_folder(MAKING.root))
    return sum(os.path.getsize(os.path.join(inside, name)) for name in os.listdir(inside))


def bench(passages: int, folder: str) -> None:
    """Save and restore one size."""
    tree, random = SyntheticTree(), np.random.default_rng(1)
    index = build(tree, random, passages=passages)
    disk = PosixCheckpoints(folder)
    commits: list[Commit] = []
    pause, seconds = longest_pause(lambda: commits.append(save(disk, index)))
    row(f"first save, {passages:,} passages", f"{seconds:.2f} s, {commits[0].bytes_written / 2**20:.0f} MiB")
    row("  longest pause of another thread", f"{pause:.0f} ms")
    timings, written = [], []
    for number in range(EDITS):
        for each in index.apply(files=[tree.file(number, version=1)], removed=()):
            index.add_vectors([each.key], clustered(random, 1))
        timings.append(milliseconds(lambda: commits.append(save(disk, index))))
        written.append(commits[-1].bytes_written)
    row(
        f"save after an edit of one file, {EDITS} times",
        f"p50 {np.median(timings):.0f} max {max(timings):.0f} ms",
    )
    row("  written", f"p50 {np.median(written) / 2**10:.0f} max {max(written) / 2**10:.0f} KiB")
    row("  on disk afterwards, two generations", f"{folder_bytes(disk, folder) / 2**20:.0f} MiB")
    subprocess.run([sys.executable, __file__, "--restore", folder], check=True)


def restore(folder: str) -> None:
    """Restore and ask, in a process that has done nothing else."""
    before = resident_bytes()
    begun = time.perf_counter()
    loaded = load(PosixCheckpoints(folder), wanted=MAKING)
    assert loaded.image is not None
    read = time.perf_counter()
    index = RootIndex.restored(loaded.image, dimensions=DIMENSIONS)
    snapshot = index.freeze()
    restored = time.perf_counter()
    scope = Scope([("bench", snapshot)])
    texts = snapshot.segments[0].segment.postings.vocabulary.texts
    terms = [WeightedTerm(texts[number]) for number in range(500, 503)]
    scope.keyword(terms).top(200)
    words = time.perf_counter()
    question = np.random.default_rng(1).standard_normal(DIMENSIONS).astype(np.float32)
    scope.nearest(question, passages=100)
    vectors = time.perf_counter()
    row("restored", f"{restored - begun:.2f} s (read {read - begun:.2f} s)")
    row("  restart to first answer, words and vectors", f"{vectors - begun:.2f} s")
    row(
        "  first question of words, of vectors",
        f"{1e3 * (words - restored):.1f} ms, {1e3 * (vectors - words):.1f} ms",
    )
    row("  resident memory", f"{(resident_bytes() - before) / 2**20:.0f} MiB")


def main() -> None:
    """Parse the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--restore", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    if options.restore:
        restore(options.restore)
        return
    for passages in options.passages:
        with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
            bench(passages, folder)


if __name__ == "__main__":
    main()
