"""A question's vector that is begun early: computed once, and never waited for in vain."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mdmem_testkit.documents import indexed_file, words
from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import CEILING_SECONDS, FakeEncoder
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.engine.question_vector import THREADS, QuestionVectors
from mdmemd.engine.state import RootView
from mdmemd.errors import InvalidRequestError, ModelUnavailableError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import FloatVector, RootSpec, SearchMode
from mdmemd.search.page import Question

QUESTION = Question("how do keys rotate")


class HeldEncoder(FakeEncoder):
    """Computes ``held`` questions when ``let_go`` is set; ``begun`` is released for each of them."""

    def __init__(self, *held: str) -> None:
        super().__init__()
        self.held = set(held)
        self.begun = threading.Semaphore(0)
        self.let_go = threading.Event()

    def encode_query(self, text: str) -> FloatVector:
        if text in self.held:
            self.begun.release()
            assert self.let_go.wait(CEILING_SECONDS)
        return super().encode_query(text)


class Desk:
    """Questions to one embedded root."""

    def __init__(self, folder: Path) -> None:
        self.encoder = HeldEncoder()
        clock = FakeClock()
        self.queue = EmbedQueue(
            load=lambda: self.encoder,
            cache=lambda: VectorCache(str(folder / "vectors.sqlite"), clock=clock),
            clock=clock,
        )
        self.queue.step(timeout_seconds=0)
        self.vectors = QuestionVectors(self.queue)
        self.views = [root_view(is_embedded=True)]


def root_view(*, is_embedded: bool) -> RootView:
    index = RootIndex(dimensions=32, tokenize=words)
    (waiting,) = index.apply(files=[indexed_file("a.md", (("x",), "text"))], removed=())
    if is_embedded:
        index.add_vectors([waiting.key], np.ones((1, 32), np.float32))
    return RootView(RootSpec("docs", "/docs"), index.freeze())


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.encoder.let_go.set()
    made.queue.close()


def test_what_was_begun_is_waited_for_and_not_computed_twice(desk: Desk) -> None:
    desk.encoder.held = {QUESTION.query}
    desk.vectors.begin(QUESTION, desk.views)
    desk.vectors.begin(QUESTION, desk.views)
    assert desk.encoder.begun.acquire(timeout=CEILING_SECONDS)
    with ThreadPoolExecutor(1) as asker:
        answer = asker.submit(desk.vectors.vector, QUESTION.query, ("fake",))
        desk.encoder.let_go.set()
        found = answer.result(CEILING_SECONDS)
    assert desk.encoder.calls == [(QUESTION.query,)]
    assert np.array_equal(found, FakeEncoder().encode_query(QUESTION.query))


def test_a_question_does_not_queue_for_a_thread(desk: Desk) -> None:
    """Where others take long, it computes its vector itself."""
    others = [f"another question {number}" for number in range(THREADS)]
    desk.encoder.held = set(others)
    for text in others:
        desk.vectors.begin(Question(text), desk.views)
        assert desk.encoder.begun.acquire(timeout=CEILING_SECONDS)
    desk.vectors.begin(QUESTION, desk.views)
    desk.vectors.vector(QUESTION.query, ("fake",))
    assert desk.encoder.calls == [(QUESTION.query,)]


def test_a_vector_of_another_model_than_the_index_has_is_not_taken(desk: Desk) -> None:
    """M6."""
    desk.vectors.begin(QUESTION, desk.views)
    with pytest.raises(ModelUnavailableError, match="another model"):
        desk.vectors.vector(QUESTION.query, ("other",))


@pytest.mark.parametrize("mode", [SearchMode.KEYWORD, SearchMode.EXACT])
def test_what_is_answered_by_words_begins_nothing(desk: Desk, mode: SearchMode) -> None:
    desk.vectors.begin(Question(QUESTION.query, mode=mode), desk.views)
    desk.vectors.begin(QUESTION, [root_view(is_embedded=False)])
    desk.vectors.begin(Question("!!"), desk.views)
    desk.vectors._threads.shutdown()
    assert desk.encoder.calls == []


def test_a_blank_question_is_refused_before_anything_is_waited_for(desk: Desk) -> None:
    with pytest.raises(InvalidRequestError, match="empty"):
        desk.vectors.begin(Question("  "), desk.views)
