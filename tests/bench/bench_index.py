"""Measure the index on a synthetic corpus: build rate, bytes per section, keyword questions, vectors.

Run as ``python tests/bench/bench_index.py --sections 100000``. Words follow Zipf's law; question words are
drawn from the same law without the ``--stop-ranks`` most frequent words, since questions are asked without
stop words.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from mdmemd.index.arrays import IntArray
from mdmemd.index.filters import DocumentFilter, Places
from mdmemd.index.matches import WeightedTerm
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.index.vector_rows import unit_rows
from mdmemd.index.vectors import EXACT_ROWS_MAX, VectorStore, VectorView
from mdmemd.model import (
    Fingerprint,
    FloatMatrix,
    FloatVector,
    IndexedFile,
    LineRange,
    ParsedDocument,
    Passage,
    PassageKind,
    Section,
)
from mdmemd.text.tokens import terms as terms_of

SECTIONS_PER_FILE = 10
WORDS_PER_SECTION = 80
VOCABULARY = 200_000
ZIPF_EXPONENT = 1.05
DIMENSIONS = 384
EMBED_BATCH = 64
RARE_FILE = 1
"""The one file with the tag ``rare``."""


class Corpus:
    """Synthetic files with Zipf-distributed words."""

    def __init__(self, *, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        ranks = np.arange(1, VOCABULARY + 1, dtype=np.float64)
        self._cumulative = np.cumsum(ranks**-ZIPF_EXPONENT)
        self._cumulative /= self._cumulative[-1]
        self._words = [self._word(rank) for rank in range(VOCABULARY)]

    def words(self, count: int, *, above_rank: int = 0) -> list[str]:
        """Random words; those of the ``above_rank`` most frequent ranks are left out."""
        low = self._cumulative[above_rank - 1] if above_rank else 0.0
        ranks = np.searchsorted(self._cumulative, self.random.uniform(low, 1.0, count))
        return [self._words[rank] for rank in np.minimum(ranks, VOCABULARY - 1)]

    def files(self, *, sections: int, first: int = 0) -> list[IndexedFile]:
        """Files of ``SECTIONS_PER_FILE`` sections with one passage each."""
        return [self._file(first + number) for number in range(sections // SECTIONS_PER_FILE)]

    def _file(self, number: int) -> IndexedFile:
        title = " ".join(self.words(3))
        sections, passages = [], []
        for index in range(SECTIONS_PER_FILE):
            heading = " ".join(self.words(3))
            text = " ".join([heading, *self.words(WORDS_PER_SECTION)])
            lines = LineRange(10 * index + 1, 10 * index + 10)
            sections.append(Section((title, heading), 2, None, lines, text, WORDS_PER_SECTION))
            passages.append(Passage(index, PassageKind.PARAGRAPH, lines, lines, text[:600]))
        fingerprint = Fingerprint(1, number, number, number, 1)
        properties = {"status": ("done", "draft", "open")[number % 3], "number": number}
        tags = (f"tag{number % 100}", *(("rare",) if number == RARE_FILE else ()))
        document = ParsedDocument(title, tuple(sections), tuple(passages), properties, tags=tags)
        return IndexedFile(
            f"dir{number % 97}/file{number}.md", fingerprint, number.to_bytes(16, "big"), document
        )

    @staticmethod
    def _word(rank: int) -> str:
        letters = ""
        rank += 26 * 26
        while rank:
            rank, letter = divmod(rank, 26)
            letters += chr(ord("a") + letter)
        return letters


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


def bench_build(corpus: Corpus, *, sections: int, batch: int) -> RootIndex:
    """Build by batches of ``batch`` sections; the time excludes making the corpus."""
    index = RootIndex(dimensions=DIMENSIONS)
    before, pauses, built = resident_bytes(), [], 0
    while built < sections:
        files = corpus.files(sections=batch, first=built)
        pauses.append(milliseconds(partial(index.apply, files=files, removed=())))
        built += batch
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


def bench_edits(corpus: Corpus, index: RootIndex, *, edits: int) -> None:
    """Replace one file after another, freezing after each."""
    pauses, freezes = [], []
    for number in range(edits):
        file = corpus.files(sections=SECTIONS_PER_FILE, first=10 * number)
        pauses.append(milliseconds(partial(index.apply, files=file, removed=())))
        freezes.append(milliseconds(index.freeze))
    row(f"replace one file, {edits} times", f"{quantiles(pauses)} max {max(pauses):.0f}")
    row("  freeze", quantiles(freezes))
    row("  segments afterwards", f"{len(index.freeze().segments)}")


def best_matches(scope: Scope, terms: Sequence[WeightedTerm]) -> IntArray:
    """The best 200 sections."""
    return scope.keyword(terms).top(200)


def bench_keyword(corpus: Corpus, index: RootIndex, *, queries: int, stop_ranks: int) -> None:
    """Questions of 1, 3 and 6 terms, with the choice of the best 200."""
    scope = Scope([("bench", index.freeze())])
    for words in (1, 3, 6):
        timings, postings = [], []
        for _ in range(queries):
            text = " ".join(corpus.words(words, above_rank=stop_ranks))
            terms = [WeightedTerm(term) for term in terms_of(text)]
            postings.append(sum(scope.keyword(terms).document_frequencies))
            timings.append(milliseconds(partial(best_matches, scope, terms)))
        held = f"{np.median(postings):,.0f} postings (p95 {np.quantile(postings, 0.95):,.0f})"
        row(f"keyword, {words} terms, {held}", quantiles(timings))


def clustered(random: np.random.Generator, count: int) -> FloatMatrix:
    """Vectors in clusters, as texts have topics."""
    centres = random.standard_normal((1_000, DIMENSIONS))
    noise = random.standard_normal((count, DIMENSIONS))
    return (centres[random.integers(0, len(centres), count)] + 0.8 * noise).astype(np.float32)


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


def bench_filters(corpus: Corpus, index: RootIndex, *, queries: int, stop_ranks: int) -> None:
    """Questions behind filters of different width, by words and by vectors, first and remembered."""
    waiting = index.unembedded()[:EXACT_ROWS_MAX]  # more would be put into a graph first, for minutes
    for start in range(0, len(waiting), EMBED_BATCH):
        part = waiting[start : start + EMBED_BATCH]
        vectors = corpus.random.standard_normal((len(part), DIMENSIONS)).astype(np.float32)
        index.add_vectors([each.key for each in part], vectors)
    filters = {
        "none": None,
        "one document (tag)": DocumentFilter(tags=("rare",)),
        "1 in 100 (tag)": DocumentFilter(tags=("tag7",)),
        "1 in 97 (folder)": DocumentFilter(places=Places(paths=("dir5",))),
        "1 in 3 (property)": DocumentFilter(properties=(("status", ("done",)),)),
        "1 in 10 (glob)": DocumentFilter(places=Places(globs=("file*7.md",))),
    }
    for name, chosen in filters.items():
        bench_filter(corpus, index.freeze(), name, chosen, queries=queries, stop_ranks=stop_ranks)


def bench_filter(
    corpus: Corpus,
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
    words, vectors = [], []
    for _ in range(queries):
        terms = [WeightedTerm(word) for word in corpus.words(4, above_rank=stop_ranks)]
        question = corpus.random.standard_normal(DIMENSIONS).astype(np.float32)
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
    corpus = Corpus(seed=options.seed)
    if options.sections:
        index = bench_build(corpus, sections=options.sections, batch=options.batch)
        bench_keyword(corpus, index, queries=options.queries, stop_ranks=options.stop_ranks)
        bench_filters(corpus, index, queries=options.queries, stop_ranks=options.stop_ranks)
        bench_edits(corpus, index, edits=options.edits)
    for count in options.vectors:
        bench_vectors(corpus.random, count=count, queries=options.queries)


if __name__ == "__main__":
    main()
