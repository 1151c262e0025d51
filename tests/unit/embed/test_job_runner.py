from __future__ import annotations

import pathlib
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmemd.embed.backlog import Delivery, Job
from mdmemd.embed.job_runner import WINDOW_PASSAGES, JobRunner
from mdmemd.embed.vector_cache import VectorCache
from mdmemd.embed.vector_id import vector_id
from mdmemd.model import FloatMatrix, UnembeddedPassage, VectorKey


class SlowEncoder(FakeEncoder):
    """Takes half a second for each text, by the clock of the test."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        self._clock.advance(0.5 * len(texts))
        return super().encode_passages(texts)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def cache(tmp_path: pathlib.Path, clock: FakeClock) -> Iterator[VectorCache]:
    with closing(VectorCache(str(tmp_path / "vectors.sqlite"), clock=clock)) as opened:
        yield opened


def make_job(texts: Sequence[str], deliveries: list[Delivery]) -> Job:
    passages = [UnembeddedPassage(VectorKey(key), text) for key, text in enumerate(texts)]
    return Job.of(passages, urgent=False, deliver=deliveries.append)


def run(runner: JobRunner, job: Job) -> None:
    while job.remaining:
        runner.advance(job)


def test_rate_counts_computing_time_only(cache: VectorCache, clock: FakeClock) -> None:
    runner = JobRunner(encoder=SlowEncoder(clock), cache=cache, clock=clock)
    assert runner.passages_per_second == 0
    run(runner, make_job([f"text {at}" for at in range(50)], []))
    clock.advance(3600)
    run(runner, make_job(["more", "of it"], []))
    assert runner.passages_per_second == pytest.approx(2)


def test_a_piece_is_one_window_or_one_run(cache: VectorCache, clock: FakeClock) -> None:
    encoder, deliveries = FakeEncoder(), list[Delivery]()
    runner = JobRunner(encoder=encoder, cache=cache, clock=clock)
    texts = [f"text {at}" for at in range(WINDOW_PASSAGES + 10)]
    vectors = encoder.encode_passages(texts)
    cache.put_many({vector_id("fake", texts[at]): vectors[at] for at in range(0, WINDOW_PASSAGES, 2)})
    encoder.calls.clear()
    job = make_job(texts, deliveries)

    runner.advance(job)
    assert [len(one.keys) for one in deliveries] == [WINDOW_PASSAGES // 2]
    assert encoder.calls == []
    runner.advance(job)
    assert len(encoder.calls) == 1
    assert job.remaining == WINDOW_PASSAGES // 2 + 10 - 8

    run(runner, job)
    assert (runner.from_cache, runner.embedded) == (WINDOW_PASSAGES // 2, WINDOW_PASSAGES // 2 + 10)


def test_texts_of_like_length_are_run_together(cache: VectorCache, clock: FakeClock) -> None:
    encoder = FakeEncoder()
    runner = JobRunner(encoder=encoder, cache=cache, clock=clock)
    run(runner, make_job(["word " * (1 + at % 90) for at in range(90)], []))
    assert all(max(map(len, call)) - min(map(len, call)) < 60 for call in encoder.calls)


def test_cancelled_job_is_remembered_but_not_delivered(cache: VectorCache, clock: FakeClock) -> None:
    deliveries: list[Delivery] = []
    runner = JobRunner(encoder=FakeEncoder(), cache=cache, clock=clock)
    job = make_job(["alpha"], deliveries)
    job.cancelled = True
    run(runner, job)
    assert deliveries == []
    assert np.isfinite(cache.get_many([vector_id("fake", "alpha")])[vector_id("fake", "alpha")]).all()


def test_memory_of_failed_texts_is_bounded(
    cache: VectorCache, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R5, R2: the oldest is forgotten first, and then tried once more."""
    monkeypatch.setattr("mdmemd.embed.job_runner.FAILED_TEXTS_MAX", 20)
    texts = [f"poison {at}" for at in range(21)]
    encoder = FakeEncoder(fails_on=texts)
    runner = JobRunner(encoder=encoder, cache=cache, clock=clock)
    run(runner, make_job(texts, []))
    encoder.calls.clear()
    run(runner, make_job([texts[0], texts[-1]], []))
    assert encoder.calls == [(texts[0],)]
