"""Measure the index on a synthetic tree: build rate, bytes per section, keyword questions, vectors.

Run as ``python tests/bench/bench_index.py --sections 100000``. Question words are drawn by the same law as
those of the tree without the ``--stop-ranks`` most frequent words, since questions are asked without stop
words.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from synthetic_tree import DIMENSIONS, SyntheticTree, clustered

from mdmemd.index.arrays import IntArray
from mdmemd.index.filters import DocumentFilter, Places
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.index.vector_rows import unit_rows
from mdmemd.index.vectors import EXACT_ROWS_MAX, VectorStore, VectorView
from mdmemd.model import FloatMatrix, FloatVector
from mdmemd.text.tokens import terms as terms_of

EMBED_BATCH = 64


def resident_bytes() -> int:
    """Resident memory of this process (Linux)."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def milliseconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes."""
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


def row(name: str, value: str) -> None:
    """Print one line of the table."""
    print(f"{name:<58} {value:>26}", flush=True)


def quantiles(timings: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"p50 {np.median(timings):7.2f} p95 {np.quantile(timings, 0.95):7.2f} ms"


def bench_build(tree: SyntheticTree, *, sections: int, batch: int) -> RootIndex:
    """Build by batches of ``batch`` sections; the time excludes making the tree."""
    index = RootIndex(dimensions=DIMENSIONS)
    before, pauses = resident_bytes(), []
    for files in tree.batches(sections=sections, batch=batch):
        pauses.append(milliseconds(partial(index.apply, files=files, removed=())))
    built = index.freeze().sections
    row(f"build, {built:,} sections", f"{1e3 * built / sum(pauses):,.0f} sections/s")
    row(f"  one apply of {batch} sections", f"{quantiles(pauses)} max {max(pauses):.0f}")
    snapshot = index.freeze()
    row("  segments", f"{len(snapshot.segments)}")
    waiting = sum(len(each.text) + 100 for each in index.unembedded())
    row(
        "  resident bytes per section, without waiting texts",
        f"{(resident_bytes() - before - waiting) / built:,.0f}",
    )
    postings = sum(len(view.segment.postings.sections) for view in snapshot.segments)
    row("  postings per section", f"{postings / built:.0f}")
    return index


def bench_edits(tree: SyntheticTree, index: RootIndex, *, edits: int) -> None:
    """Replace one file after another, freezing after each."""
    pauses, freezes = [], []
    for number in range(edits):
        file = tree.file(number, version=1)
        pauses.append(milliseconds(partial(index.apply, files=[file], removed=())))
        freezes.append(milliseconds(index.freeze))
    row(f"replace one file, {edits} times", f"{quantiles(pauses)} max {max(pauses):.0f}")
    row("  freeze", quantiles(freezes))
    row("  segments afterwards", f"{len(index.freeze().segments)}")


def best_matches(scope: Scope, terms: Sequence[WeightedTerm]) -> IntArray:
    """The best 200 sections."""
    return scope.keyword(terms).top(200)


def bench_keyword(tree: SyntheticTree, index: RootIndex, *, queries: int, stop_ranks: int) -> None:
    """Questions of 1, 3 and 6 terms, with the choice of the best 200."""
    scope = Scope([("bench", index.freeze())])
    random = np.random.default_rng(1)
    for words in (1, 3, 6):
        timings, postings = [], []
        for _ in range(queries):
            text = " ".join(tree.words(random, words, above_rank=stop_ranks))
            terms = [WeightedTerm(term) for term in terms_of(text)]
            postings.append(sum(scope.keyword(terms).document_frequencies))
            timings.append(milliseconds(partial(best_matches, scope, terms)))
        held = f"{np.median(postings):,.0f} postings (p95 {np.quantile(postings, 0.95):,.0f})"
        row(f"keyword, {words} terms, {held}", quantiles(timings))


def bench_mistyped(tree: SyntheticTree, index: RootIndex, *, queries: int, stop_ranks: int) -> None:
    """The nearest terms of words with one letter exchanged for another; the first use is told by itself."""
    scope = Scope([("bench", index.freeze())])
    random = np.random.default_rng(1)
    terms = sum(len(part.segment.postings.vocabulary) for _, each in scope.roots for part in each.segments)
    first = milliseconds(partial(scope.near_terms, "mistaken", edits=2))
    row(f"nearest of {terms:,} terms: first time", f"{first:.2f} ms")
    timings = []
    for word in tree.words(random, queries, above_rank=stop_ranks):
        mistyped = f"{word[:1]}q{word[2:]}"
        timings.append(milliseconds(partial(scope.near_terms, mistyped, edits=1)))
    row("  afterwards", quantiles(timings))


def add_in_batches(
    store: VectorStore, vectors: FloatMatrix, *, published: list[VectorView], first_key: int = 0
) -> float:
    """Add and publish all vectors as the writer does, in batches of ``EMBED_BATCH``; returns the seconds."""
    rows = unit_rows(vectors, dimensions=DIMENSIONS)
    start = time.perf_counter()
    for done in range(0, len(rows), EMBED_BATCH):
        part = rows[done : done + EMBED_BATCH]
        store.add(np.arange(first_key + done, first_key + done + len(part), dtype=np.int32), part)
        store.tidy(rows=2 * len(part))
        published.append(store.view())
    return time.perf_counter() - start


def near(view: VectorView, question: FloatVector) -> float:
    """Milliseconds of one search."""
    return milliseconds(lambda: next(view.ranked(question, count=100)))


def bench_vectors(random: np.random.Generator, *, count: int, queries: int) -> None:
    """The exact scan or the graph, its recall, and its latency while vectors are added."""
    store = VectorStore(dimensions=DIMENSIONS)
    vectors = clustered(random, count)
    near_ones = vectors[random.integers(0, count, queries)]
    questions = (near_ones + 0.5 * random.standard_normal(near_ones.shape)).astype(np.float32)
    row(f"vectors added, {count:,}", f"{count / add_in_batches(store, vectors, published=[]):,.0f} vectors/s")
    for _ in range(count // 1_024 + 1):
        store.tidy(rows=1_024)  # so that the graph holds all of them
    view = store.view()
    row(
        f"nearest 100 of {count:,} ({'graph' if view.graph_rows else 'exact'})",
        quantiles([near(view, question) for question in questions]),
    )
    if view.graph_rows:
        row("  recall of the best 100", f"{np.mean([recall(view, each) for each in questions[:100]]):.3f}")
    published = [view]
    is_done = threading.Event()
    timings: list[float] = []

    def ask() -> None:
        while not is_done.is_set():
            timings.append(near(published[-1], questions[len(timings) % queries]))

    reader = threading.Thread(target=ask)
    reader.start()
    add_in_batches(store, clustered(random, 4_096), published=published, first_key=count)
    is_done.set()
    reader.join()
    row("  the same while 4,096 are added", quantiles(timings))


def recall(view: VectorView, question: FloatVector) -> float:
    """Share of the true best 100 among the best 100 that the graph finds."""
    rankings = [set(keys[:100].tolist()) for keys, _ in view.ranked(question, count=100)]
    return len(rankings[0] & rankings[-1]) / 100


def bench_filters(tree: SyntheticTree, index: RootIndex, *, queries: int, stop_ranks: int) -> None:
    """Questions behind filters of different width, by words and by vectors, first and remembered."""
    random = np.random.default_rng(1)
    waiting = index.unembedded()[:EXACT_ROWS_MAX]  # more would be put into a graph first, for minutes
    for start in range(0, len(waiting), EMBED_BATCH):
        part = waiting[start : start + EMBED_BATCH]
        index.add_vectors([each.key for each in part], clustered(random, len(part)))
    filters = {
        "none": None,
        "one document (tag)": DocumentFilter(tags=("rare",)),
        "1 in 100 (tag)": DocumentFilter(tags=("tag7",)),
        "1 in 97 (folder)": DocumentFilter(places=Places(paths=("dir5",))),
        "1 in 3 (property)": DocumentFilter(properties=(("status", ("done",)),)),
        "1 in 10 (glob)": DocumentFilter(places=Places(globs=("file*7.md",))),
    }
    for name, chosen in filters.items():
        bench_filter(tree, index.freeze(), name, chosen, queries=queries, stop_ranks=stop_ranks)


def bench_filter(
    tree: SyntheticTree,
    snapshot: RootSnapshot,
    name: str,
    chosen: DocumentFilter | None,
    *,
    queries: int,
    stop_ranks: int,
) -> None:
    """One filter, the making of the scope included; its first use is told by itself."""
    roots = [("bench", snapshot)]
    filters = {"bench": chosen} if chosen is not None else {}
    row(f"filter {name}: first time", f"{milliseconds(partial(Scope, roots, filters=filters)):.2f} ms")
    random = np.random.default_rng(1)
    words, vectors = [], []
    for _ in range(queries):
        terms = [WeightedTerm(word) for word in tree.words(random, 4, above_rank=stop_ranks)]
        question = random.standard_normal(DIMENSIONS).astype(np.float32)
        words.append(milliseconds(partial(_by_words, roots, filters, terms)))
        vectors.append(milliseconds(partial(_by_vectors, roots, filters, question)))
    row(f"filter {name}: words", quantiles(words))
    row(f"filter {name}: nearest 100", quantiles(vectors))


def _by_words(
    roots: list[tuple[str, RootSnapshot]], filters: dict[str, DocumentFilter], terms: list[WeightedTerm]
) -> None:
    Scope(roots, filters=filters).keyword(terms)


def _by_vectors(
    roots: list[tuple[str, RootSnapshot]], filters: dict[str, DocumentFilter], question: FloatVector
) -> None:
    Scope(roots, filters=filters).nearest(question, passages=100)


def main() -> None:
    """Parse the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=1_000, help="sections in one apply")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--stop-ranks", type=int, default=100)
    parser.add_argument("--vectors", type=int, nargs="*", default=[8_000, EXACT_ROWS_MAX])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tree = SyntheticTree(seed=options.seed)
    if options.sections:
        index = bench_build(tree, sections=options.sections, batch=options.batch)
        bench_keyword(tree, index, queries=options.queries, stop_ranks=options.stop_ranks)
        bench_mistyped(tree, index, queries=options.queries, stop_ranks=options.stop_ranks)
        bench_filters(tree, index, queries=options.queries, stop_ranks=options.stop_ranks)
        bench_edits(tree, index, edits=options.edits)
    for count in options.vectors:
        bench_vectors(np.random.default_rng(options.seed), count=count, queries=options.queries)


if __name__ == "__main__":
    main()
