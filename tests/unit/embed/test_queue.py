from __future__ import annotations

import logging
import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import CEILING_SECONDS, FakeEncoder
from mdmemd.embed.model_pair import ModelPair
from mdmemd.embed.queue import Delivery, EmbedQueue, Ticket
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import ModelState, UnembeddedPassage, VectorKey
from mdmemd.ports import Encoder
from mdmemd.workers import Worker


class Desk:
    """A queue on fakes, with what was delivered; ``step`` and ``run`` are the embedder thread."""

    def __init__(
        self,
        tmp_path: pathlib.Path,
        *,
        load: Callable[[], Encoder] | None = None,
        unload_after_seconds: float = 0.0,
    ) -> None:
        self.encoder = FakeEncoder()
        self.clock = FakeClock()
        self.cache_path = str(tmp_path / "cache" / "vectors.sqlite")
        self.deliveries: list[Delivery] = []
        self.queue = EmbedQueue(
            load=load or (lambda: self.encoder),
            cache=lambda: VectorCache(self.cache_path, clock=self.clock),
            clock=self.clock,
            unload_after_seconds=unload_after_seconds,
        )

    def submit(self, *texts: str, urgent: bool = False, first_key: int = 0) -> Ticket:
        passages = [UnembeddedPassage(VectorKey(first_key + at), text) for at, text in enumerate(texts)]
        return self.queue.submit(passages, urgent=urgent, deliver=self.deliveries.append)

    def step(self) -> bool:
        return self.queue.step(timeout_seconds=0)

    def run(self) -> None:
        while self.step():
            pass

    @property
    def vectors(self) -> dict[VectorKey, list[float]]:
        return {
            key: row.tolist()
            for one in self.deliveries
            for key, row in zip(one.keys, one.vectors, strict=True)
        }

    @property
    def failed(self) -> list[VectorKey]:
        return [key for one in self.deliveries for key in one.failed]


@contextmanager
def opened(
    tmp_path: pathlib.Path,
    *,
    load: Callable[[], Encoder] | None = None,
    unload_after_seconds: float = 0.0,
) -> Iterator[Desk]:
    made = Desk(tmp_path, load=load, unload_after_seconds=unload_after_seconds)
    try:
        yield made
    finally:
        made.queue.close()


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Iterator[Desk]:
    with opened(tmp_path) as made:
        yield made


# --- loading ------------------------------------------------------------------------------------------------


def test_first_step_loads(desk: Desk) -> None:
    """M7: nothing is loaded before the embedder thread runs."""
    question = desk.queue.submit_query("early")
    assert desk.queue.state().phase is ModelState.LOADING
    assert not question.done()
    desk.step()
    state = desk.queue.state()
    assert (state.phase, state.fingerprint, state.dimensions) == (ModelState.READY, "fake", 32)
    assert question.result(0).shape == (32,)


def test_what_is_wrong_with_a_model_that_runs_is_told(tmp_path: pathlib.Path) -> None:
    """S16."""
    slow = FakeEncoder(message="The model runs at half of its speed.")
    with opened(tmp_path, load=lambda: slow) as desk:
        assert desk.queue.state().model_message is None
        desk.step()
        assert desk.queue.state().phase is ModelState.READY
        assert desk.queue.state().model_message == "The model runs at half of its speed."


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ModelUnavailableError("The weights are damaged.", remedy="Install them."),
            "The weights are damaged.",
        ),
        (ImportError("libonnx.so is missing"), "could not be loaded .ImportError: libonnx.so is missing"),
    ],
    ids=["wrong files", "broken library"],
)
def test_model_that_does_not_load(tmp_path: pathlib.Path, error: Exception, message: str) -> None:
    """M1, S16: one attempt, a reason for all who ask, and nothing that waits for ever."""
    attempts = []

    def load() -> Encoder:
        attempts.append(1)
        raise error

    with opened(tmp_path, load=load) as desk:
        early, job = desk.queue.submit_query("early"), desk.submit("a")
        desk.run()
        late = desk.queue.submit_query("late")
        for future in (early, late):
            with pytest.raises(ModelUnavailableError, match=message) as caught:
                future.result(0)
            assert caught.value.remedy
        assert job.done
        assert desk.submit("b").done
        state = desk.queue.state()
        assert state.phase is ModelState.FAILED
        assert str(state.failure) == str(caught.value)
        assert (len(attempts), desk.deliveries, desk.queue.progress().queued) == (1, [], 0)


# --- passages -----------------------------------------------------------------------------------------------


def test_every_key_is_delivered_once_with_its_vector(desk: Desk) -> None:
    texts = [f"text {'word ' * (at % 70)}{at}" for at in range(600)]
    ticket = desk.submit(*texts)
    assert desk.queue.progress().queued == 600
    desk.run()
    assert ticket.done
    keys = [key for one in desk.deliveries for key in one.keys]
    assert sorted(keys) == list(range(600))
    assert max(len(one.keys) for one in desk.deliveries) <= 8
    expected = FakeEncoder().encode_passages(texts)
    np.testing.assert_array_equal([desk.vectors[VectorKey(key)] for key in range(600)], expected)
    progress = desk.queue.progress()
    assert (progress.embedded, progress.from_cache, progress.queued) == (600, 0, 0)


def test_known_texts_come_from_the_cache(desk: Desk, tmp_path: pathlib.Path) -> None:
    """W17: also for another key, and after a restart."""
    desk.submit("alpha", "beta")
    desk.run()
    desk.queue.close()
    with opened(tmp_path) as second:
        second.submit("beta", "gamma", first_key=10)
        second.run()
        assert second.encoder.calls == [("gamma",)]
        np.testing.assert_allclose(second.vectors[VectorKey(10)], desk.vectors[VectorKey(1)], atol=1e-3)
        assert second.queue.progress().from_cache == 1


def test_another_model_finds_nothing_in_the_cache(desk: Desk, tmp_path: pathlib.Path) -> None:
    """M5."""
    desk.submit("alpha")
    desk.run()
    desk.queue.close()
    other = FakeEncoder(fingerprint="other")
    with opened(tmp_path, load=lambda: other) as second:
        second.submit("alpha")
        second.run()
        assert other.calls == [("alpha",)]


def test_one_failing_text_fails_alone_and_once(desk: Desk) -> None:
    """R5, T15: and a later job with the same text hears of it without a further attempt."""
    desk.encoder.fails_on.add("poison")
    desk.submit("alpha", "poison", "beta")
    desk.run()
    assert sorted(desk.vectors) == [0, 2]
    assert desk.failed == [1]
    calls = len(desk.encoder.calls)
    desk.submit("poison", "alpha", first_key=10)
    desk.run()
    assert len(desk.encoder.calls) == calls
    assert desk.failed == [1, 10]
    assert desk.queue.progress().failed == 2


def test_callback_that_raises_costs_its_batch_only(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def explode(delivery: Delivery) -> None:
        raise ValueError("bug of the submitter")

    broken = desk.queue.submit([UnembeddedPassage(VectorKey(1), "alpha")], urgent=True, deliver=explode)
    desk.submit("beta")
    with caplog.at_level(logging.ERROR):
        desk.run()
    assert broken.done
    assert list(desk.vectors) == [0]
    assert "bug of the submitter" in caplog.text


def test_cancelled_job_is_not_delivered(desk: Desk) -> None:
    desk.step()
    cancelled = desk.submit(*[f"text {at}" for at in range(100)])
    kept = desk.submit("kept", first_key=1000)
    desk.step()
    desk.step()
    assert len(desk.vectors) == 8
    cancelled.cancel()
    assert cancelled.done
    desk.run()
    assert len(desk.vectors) == 9
    assert kept.done
    assert desk.queue.progress().queued == 0


def test_job_without_passages_is_done(desk: Desk) -> None:
    ticket = desk.submit()
    desk.run()
    assert ticket.done
    assert desk.deliveries == []


def test_full_or_broken_cache_does_not_stop_embedding(desk: Desk, tmp_path: pathlib.Path) -> None:
    (tmp_path / "cache").write_text("a file is in the way")
    desk.submit("alpha")
    desk.run()
    assert list(desk.vectors) == [0]
    assert "is off" in (desk.queue.state().cache_message or "")


def test_a_bug_of_the_cache_costs_time_and_no_job(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """R5, R6: passages that were taken and not delivered would be waited for, and come up again, for ever."""

    def fail(*_: object) -> None:
        raise LookupError("bug")

    desk.step()
    monkeypatch.setattr(VectorCache, "get_many", fail)
    monkeypatch.setattr(VectorCache, "put_many", fail)
    ticket = desk.submit("one", "two")
    desk.run()
    assert ticket.done
    assert set(desk.vectors) == {0, 1}


def test_rate_and_cuts_are_reported(desk: Desk) -> None:
    """M11."""
    desk.submit("word " * 300, "alpha")
    desk.run()
    assert desk.queue.progress().cut == 1
    assert desk.queue.progress().passages_per_second == 0  # the clock of this test has not moved


# --- order --------------------------------------------------------------------------------------------------


def test_edit_overtakes_bulk(desk: Desk) -> None:
    """The newest waits for one short call at most, however much is queued."""
    desk.step()
    desk.submit(*[f"bulk {at}" for at in range(100)])
    desk.step()
    desk.step()
    assert len(desk.encoder.calls) == 1
    desk.submit("older edit", urgent=True, first_key=1000)
    desk.submit("newer edit", urgent=True, first_key=2000)
    desk.run()
    assert [call[0] for call in desk.encoder.calls[1:3]] == ["newer edit", "older edit"]
    assert len(desk.vectors) == 102


def test_what_a_question_needs_overtakes_edits(desk: Desk) -> None:
    """It waits for one short call at most; nothing is computed or delivered twice."""
    desk.step()
    texts = [UnembeddedPassage(VectorKey(at), f"bulk {at}") for at in range(100)]
    desk.queue.submit(texts, urgent=False, deliver=desk.deliveries.append, owner=b"root")
    desk.step()
    desk.step()
    desk.submit("edit", urgent=True, first_key=1000)
    hurried = desk.queue.hurry(b"root", [VectorKey(99), VectorKey(98), VectorKey(0), VectorKey(1000)])
    foreign = desk.queue.hurry(b"another root", [VectorKey(50)])
    desk.step()
    assert sorted(hurried.result(0)) == sorted({98, 99, 0} - set(desk.deliveries[0].keys))
    desk.step()
    assert foreign.result(0) == ()
    desk.run()
    assert desk.encoder.calls[2] == ("edit",)
    assert len(desk.vectors) == 101
    texts_computed = [text for call in desk.encoder.calls for text in call]
    assert len(texts_computed) == len(set(texts_computed)) == 101


def test_a_job_for_a_model_that_is_gone_is_dropped(desk: Desk) -> None:
    """M5: another model would give other vectors."""
    desk.step()
    texts = [UnembeddedPassage(VectorKey(0), "alpha")]
    job = desk.queue.submit(texts, urgent=True, deliver=desk.deliveries.append, made_by="gone")
    desk.run()
    assert job.was_dropped
    assert not desk.deliveries


def test_two_models_embed_side_by_side(desk: Desk) -> None:
    """M5: each for what names it, and a delivery says whose vectors it has."""
    desk.step()
    other = FakeEncoder(fingerprint="other", dimensions=8)
    desk.queue.change_models(lambda pair: pair.prepare(other, lambda: other))
    texts = [UnembeddedPassage(VectorKey(0), "alpha")]
    desk.queue.submit(texts, urgent=False, deliver=desk.deliveries.append, made_by="other")
    desk.submit("alpha", first_key=1)
    desk.run()
    assert {each.made_by: each.vectors.shape[1] for each in desk.deliveries} == {"other": 8, "fake": 32}
    assert desk.queue.state().fingerprint == "fake"
    assert desk.queue.submit_query("which?", made_by={"other"}).result(0).shape == (8,)
    desk.queue.change_models(ModelPair.promote)
    desk.step()
    assert desk.queue.state().fingerprint == "other"
    assert desk.queue.submit_query("before", made_by={"fake"}).result(0).shape == (32,)


# --- questions ----------------------------------------------------------------------------------------------


def test_repeated_question_is_answered_from_memory(desk: Desk) -> None:
    """S12: and with the same vector."""
    desk.step()
    first, twin = desk.queue.submit_query("again"), desk.queue.submit_query("again")
    third = desk.queue.submit_query("again")
    assert third.done()
    assert len(desk.encoder.calls) == 1
    assert first.result(0) is twin.result(0) is third.result(0)
    assert not first.result(0).flags.writeable


def test_question_without_vector_gets_an_end(desk: Desk) -> None:
    desk.encoder.fails_on.add("poison")
    desk.step()
    future, other = desk.queue.submit_query("poison"), desk.queue.submit_query("fine")
    with pytest.raises(ModelUnavailableError, match="no vector for this question"):
        future.result(0)
    assert other.result(0).shape == (32,)


def test_cancelled_question_is_not_computed(desk: Desk) -> None:
    future = desk.queue.submit_query("never mind")
    assert future.cancel()
    desk.run()
    assert desk.encoder.calls == []


# --- threads ------------------------------------------------------------------------------------------------


def test_close_ends_everything(desk: Desk) -> None:
    desk.step()
    job = desk.submit("alpha")
    desk.queue.close()
    with pytest.raises(ModelUnavailableError, match="shutting down"):
        desk.queue.submit_query("after").result(0)
    assert job.done
    assert desk.submit("beta").done
    assert not desk.step()
    assert desk.deliveries == []


def test_close_before_the_first_step_loads_nothing(tmp_path: pathlib.Path) -> None:
    def load() -> Encoder:
        raise AssertionError("loaded after close")

    made = Desk(tmp_path, load=load)
    made.queue.close()
    assert not made.step()


def test_wake_ends_a_wait(desk: Desk) -> None:
    desk.step()
    desk.queue.wake()
    assert not desk.queue.step(timeout_seconds=None)
    assert not desk.queue.step(timeout_seconds=0)


def test_question_waits_for_no_batch(desk: Desk) -> None:
    """On real threads: it is answered while a batch is held, and the worker ends when told."""
    worker = Worker("embedder", desk.queue)
    desk.encoder.hold()
    worker.start()
    try:
        job = desk.submit(*[f"bulk {at}" for at in range(40)])
        assert desk.encoder.entered.wait(CEILING_SECONDS)
        assert desk.queue.submit_query("question").result(0).shape == (32,)
        assert not job.done
    finally:
        desk.encoder.release()
        assert worker.stop(timeout_seconds=CEILING_SECONDS)
    assert worker.failures == 0


def test_idle_worker_blocks(desk: Desk) -> None:
    """R6: no processor time while there is nothing to do, also once closed."""
    worker = Worker("embedder", desk.queue)
    worker.start()
    desk.queue.submit_query("ready").result(CEILING_SECONDS)
    for _ in range(2):
        before = time.process_time()
        threading.Event().wait(0.1)
        assert time.process_time() - before < 0.05
        desk.queue.close()
    assert worker.stop(timeout_seconds=CEILING_SECONDS)


# --- unloading and replacing --------------------------------------------------------------------------------

IDLE = 1800.0


@pytest.fixture
def loads() -> list[FakeEncoder]:
    return []


@pytest.fixture
def idling(tmp_path: pathlib.Path, loads: list[FakeEncoder]) -> Iterator[Desk]:
    """A queue that unloads; each load is another encoder of the same vectors."""

    def load() -> Encoder:
        loads.append(FakeEncoder())
        return loads[-1]

    with opened(tmp_path, load=load, unload_after_seconds=IDLE) as made:
        made.run()
        yield made


def test_an_idle_model_is_unloaded_and_comes_back_for_a_question(
    idling: Desk, loads: list[FakeEncoder]
) -> None:
    idling.clock.advance(IDLE)
    assert idling.step()
    state = idling.queue.state()
    assert (state.phase, state.is_unloaded, state.fingerprint) == (ModelState.READY, True, "fake")
    assert not idling.step(), "it is unloaded once"
    question = idling.queue.submit_query("back?")
    assert not question.done()
    idling.run()
    assert question.result(0).shape == (32,)
    assert len(loads) == 2
    assert not idling.queue.state().is_unloaded


def test_an_idle_model_comes_back_for_a_passage(idling: Desk, loads: list[FakeEncoder]) -> None:
    idling.submit("a")
    idling.run()
    idling.clock.advance(IDLE)
    idling.run()
    idling.submit("b", first_key=1)
    idling.run()
    assert [encoder.calls for encoder in loads] == [[("a",)], [("b",)]]
    assert idling.queue.progress().embedded == 2


def test_a_long_job_counts_as_use(idling: Desk, loads: list[FakeEncoder]) -> None:
    """M9: idle time shorter than one job."""
    idling.submit(*(f"text {number}" for number in range(100)))
    steps = 0
    while idling.step():
        idling.clock.advance(IDLE + 1)
        steps += 1
        if len(idling.vectors) == 100:
            break
    assert steps > 10
    assert len(loads) == 1


def test_a_question_asked_before_needs_no_model(idling: Desk, loads: list[FakeEncoder]) -> None:
    first = idling.queue.submit_query("again").result(0)
    idling.clock.advance(IDLE)
    idling.run()
    np.testing.assert_array_equal(idling.queue.submit_query("again").result(0), first)
    assert len(loads) == 1


def test_a_model_that_does_not_come_back_is_told(tmp_path: pathlib.Path) -> None:
    """M1: its files were damaged meanwhile."""
    outcomes: list[Encoder | Exception] = [FakeEncoder(), ModelUnavailableError("Damaged.", remedy="Repair.")]

    def load() -> Encoder:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with opened(tmp_path, load=load, unload_after_seconds=IDLE) as desk:
        desk.run()
        desk.clock.advance(IDLE)
        desk.run()
        question = desk.queue.submit_query("back?")
        desk.run()
        with pytest.raises(ModelUnavailableError, match="Damaged"):
            question.result(0)
        assert desk.queue.state().phase is ModelState.FAILED


def test_another_model_embeds_what_waits(desk: Desk) -> None:
    """M5: no vector of the old one comes after it."""
    desk.step()
    desk.submit("a", "b")
    other = FakeEncoder(fingerprint="other", dimensions=8)
    desk.queue.replace_model(other, lambda: other)
    desk.run()
    assert {len(vector) for vector in desk.vectors.values()} == {8}
    assert desk.queue.state().fingerprint == "other"


def test_a_remembered_question_is_not_answered_by_another_model(desk: Desk) -> None:
    """M6."""
    desk.step()
    old = desk.queue.submit_query("which?").result(0)
    other = FakeEncoder(fingerprint="other")
    desk.queue.replace_model(other, lambda: other)
    desk.step()
    new = desk.queue.submit_query("which?").result(0)
    assert not np.allclose(old, new)


def test_a_question_for_vectors_of_another_model_is_refused(desk: Desk) -> None:
    """M5: two models of equal dimensions."""
    early = desk.queue.submit_query("early", made_by={"other"})
    desk.step()
    for question in (
        early,
        desk.queue.submit_query("late", made_by={"other"}),
        desk.queue.submit_query("both", made_by={"other", "fake"}),
    ):
        with pytest.raises(ModelUnavailableError, match="vectors of another model"):
            question.result(0)
    assert desk.queue.submit_query("mine", made_by={"fake"}).result(0).shape == (32,)
    assert desk.queue.submit_query("none yet", made_by=()).result(0).shape == (32,)


def test_another_model_ends_a_failure(tmp_path: pathlib.Path) -> None:
    def fail() -> Encoder:
        raise ModelUnavailableError("No files.", remedy="Download.")

    with opened(tmp_path, load=fail) as desk:
        desk.step()
        assert desk.queue.state().phase is ModelState.FAILED
        desk.queue.replace_model(desk.encoder, lambda: desk.encoder)
        desk.run()
        assert desk.queue.state().phase is ModelState.READY
        desk.submit("a")
        desk.run()
        assert desk.vectors


def test_an_idle_worker_unloads_without_being_woken(tmp_path: pathlib.Path) -> None:
    """M3: it waits for the end of the idle time, and does not look again and again."""
    encoder = FakeEncoder()
    with opened(tmp_path, load=lambda: encoder, unload_after_seconds=0.05) as desk:
        desk.step()
        patience = desk.queue._patience(None)
        assert patience == pytest.approx(0.05)
        assert desk.queue._patience(0.01) == 0.01
        desk.clock.advance(0.05)
        assert desk.step()
        assert desk.queue._patience(None) is None


def test_an_unloaded_model_does_not_keep_the_cache_from_its_work(
    idling: Desk, loads: list[FakeEncoder]
) -> None:
    idling.clock.advance(IDLE)
    idling.run()
    compacted = idling.queue.compact_cache()
    idling.queue.remember([b"i" * 16], np.ones((1, 32), np.float32))
    idling.run()
    assert compacted.done()
    assert len(loads) == 1
