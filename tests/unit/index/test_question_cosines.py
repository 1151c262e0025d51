"""What was computed of a question's vector serves again, and is the same as computed anew."""

from __future__ import annotations

import numpy as np
import pytest

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index.question_cosines import QuestionCosines
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope
from mdmemd.index.vector_rows import VectorRows, unit_rows
from mdmemd.index.vectors import VectorStore
from mdmemd.model import FloatMatrix

DIMENSIONS = 384


def random_vectors(count: int, *, seed: int) -> FloatMatrix:
    return np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)


def test_what_a_scan_found_is_looked_up_and_equals_what_is_computed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = VectorStore(dimensions=DIMENSIONS)
    store.add(
        np.arange(1_000, dtype=np.int32), unit_rows(random_vectors(1_000, seed=1), dimensions=DIMENSIONS)
    )
    view = store.view()
    store.add(np.array([1_000], np.int32), unit_rows(random_vectors(1, seed=2), dimensions=DIMENSIONS))
    question = random_vectors(1, seed=3)[0]
    keys = np.array([7, 999, 3, 7, 1_000, 5_000], np.int32)
    alone = QuestionCosines(view, question).of(keys)
    scanned = QuestionCosines(view, question)
    first = next(scanned.ranked(count=5))

    def compute(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(VectorRows, "cosines", compute)
    monkeypatch.setattr(VectorRows, "cosines_at", compute)
    assert scanned.of(keys).tobytes() == alone.tobytes()
    assert np.isnan(alone).tolist() == [False] * 4 + [True] * 2
    again = next(scanned.ranked(count=5))
    assert [each.tolist() for each in again] == [each.tolist() for each in first]


def test_another_vector_is_not_answered_with_the_cosines_of_the_one_before() -> None:
    index = RootIndex(dimensions=2, tokenize=words)
    (waiting,) = index.apply(files=[indexed_file("a.md", (("x",), "text"))], removed=())
    index.add_vectors([waiting.key], np.array([[1, 0]], np.float32))
    scope = Scope([("root", index.freeze())])
    cosines = [
        scope.nearest(np.array(vector, np.float32), passages=1).cosines.tolist()
        for vector in ([1, 0], [0, 1], [-1, 0])
    ]
    assert cosines == [[1.0], [0.0], [-1.0]]
