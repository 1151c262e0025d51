"""Vectors after a restart: what a graph needs is made again, with readers meanwhile, whatever files do."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mdmem_testkit.documents import indexed_file, words
from mdmem_testkit.index_states import DIMENSIONS, ENCODER, MAKING, embed_all, vectors_of
from mdmemd.adapters.posix_checkpoints import PosixCheckpoints
from mdmemd.index import vectors as vectors_module
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.store import layout
from mdmemd.store.checkpoint import commit
from mdmemd.store.checkpoint_load import load

FILES = 300
READERS = 8
CEILING_SECONDS = 60.0
QUESTIONS = vectors_of([f"question {number}" for number in range(READERS)])


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "EXACT_ROWS_MAX", 100)
    monkeypatch.setattr(vectors_module, "DEAD_MIN", 10)


@pytest.fixture
def disk(tmp_path: Path) -> PosixCheckpoints:
    """One on which an index with ``FILES`` vectors is saved."""
    index = RootIndex(dimensions=DIMENSIONS, tokenize=words)
    add(index, range(FILES))
    saved = PosixCheckpoints(str(tmp_path))
    commit(saved, index.freeze(), making=MAKING, vectors_by=ENCODER)
    return saved


def add(index: RootIndex, numbers: range) -> None:
    files = [indexed_file(f"{number}.md", (("Page",), f"text {number}")) for number in numbers]
    index.apply(files=files, removed=())
    embed_all(index)


def restored(disk: PosixCheckpoints) -> RootIndex:
    loaded = load(disk, wanted=MAKING)
    assert loaded.image is not None
    return RootIndex.restored(loaded.image, dimensions=DIMENSIONS, tokenize=words)


def best(snapshot: RootSnapshot, question: int, *, count: int = 10) -> list[tuple[str, float]]:
    scope = Scope([("root", snapshot)])
    found = scope.nearest(QUESTIONS[question], passages=count)
    paths = [scope.section(ref).document.path for ref in found.refs]
    return list(zip(paths, found.cosines.tolist(), strict=True))


def exact(snapshot: RootSnapshot, question: int, *, count: int = 10) -> list[tuple[str, float]]:
    return best(snapshot, question, count=snapshot.passages)[:count]


def test_idle_upkeep_builds_the_graph_again_and_then_ends(disk: PosixCheckpoints) -> None:
    index = restored(disk)
    before = [exact(index.freeze(), question) for question in range(READERS)]
    assert index.freeze().vectors.graph_rows == 0
    turns = 0
    while index.tidy(rows=8):
        turns += 1
        assert index.freeze().vectors.graph_rows == 8 * turns
    assert index.freeze().vectors.graph_rows == FILES
    assert index.is_tidy
    found = [best(index.freeze(), question) for question in range(READERS)]
    hits = sum(len(set(a) & set(b)) for a, b in zip(before, found, strict=True))
    assert hits >= 0.95 * 10 * READERS
    assert index.freeze().revision[1] == 0, "upkeep is nothing to save"


def test_eight_threads_search_a_restored_index_while_it_grows(disk: PosixCheckpoints) -> None:
    """T16, F13: there is nothing to reserve and no count of threads to agree on after a load."""
    index = restored(disk)
    published = [index.freeze()]
    is_done = threading.Event()

    def read(question: int) -> int:
        turns = 0
        while not is_done.is_set() or not turns:
            found = best(published[-1], question)
            assert len(dict(found)) == 10
            assert [cosine for _, cosine in found] == sorted((c for _, c in found), reverse=True)
            turns += 1
        return turns

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read, question) for question in range(READERS)]
        try:
            for first in range(FILES, 2 * FILES, 20):
                add(index, range(first, first + 20))
                gone = range(first - FILES, first - FILES + 10)
                index.apply(files=(), removed=[f"{number}.md" for number in gone])
                index.tidy(rows=40)
                published.append(index.freeze())
        finally:
            is_done.set()
        assert all(reader.result(CEILING_SECONDS) for reader in readers)
    while index.tidy(rows=64):
        pass
    snapshot = index.freeze()
    found = sum(len(set(best(snapshot, n)) & set(exact(snapshot, n))) for n in range(READERS))
    assert found >= 0.95 * 10 * READERS


def test_a_file_that_is_cut_off_later_does_not_matter(disk: PosixCheckpoints, tmp_path: Path) -> None:
    """F9: nothing is mapped."""
    index = restored(disk)
    before = exact(index.freeze(), 0)
    for file in (tmp_path / layout.root_folder(MAKING.root)).iterdir():
        os.truncate(file, 0)
    assert exact(index.freeze(), 0) == before


def test_vectors_of_another_length_are_refused(disk: PosixCheckpoints) -> None:
    """F8: the dimensions that are wanted count, not those of the file."""
    loaded = load(disk, wanted=replace(MAKING, dimensions=2 * DIMENSIONS))
    assert loaded.image is not None
    assert len(loaded.image.vectors.keys) == 0
    assert "another model" in loaded.problems[0]
