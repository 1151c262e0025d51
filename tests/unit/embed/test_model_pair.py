from __future__ import annotations

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmemd.embed.model_pair import RETIRED_SECONDS, ModelPair


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def first() -> FakeEncoder:
    return FakeEncoder(fingerprint="first")


@pytest.fixture
def second() -> FakeEncoder:
    return FakeEncoder(fingerprint="second", words_max=1)


@pytest.fixture
def pair(clock: FakeClock, first: FakeEncoder) -> ModelPair:
    made = ModelPair(lambda: first, clock=clock, unload_after_seconds=0)
    made.current.load()
    return made


def test_each_vector_is_asked_of_its_model(pair: ModelPair, second: FakeEncoder) -> None:
    """M5, M6."""
    assert pair.find({"second"}) is None
    pair.prepare(second, lambda: second)
    assert pair.find({"second"}) is pair.other
    assert pair.find({"first"}) is pair.find(()) is pair.current
    assert pair.find({"first", "second"}) is None
    before = pair.current
    assert pair.promote()
    assert pair.find({"first"}) is before
    assert pair.find(()) is pair.find({"second"}) is not before


def test_the_model_before_is_given_back_when_nobody_needs_it(
    pair: ModelPair, clock: FakeClock, second: FakeEncoder
) -> None:
    """R2: also where the model in use is kept for ever."""
    assert pair.seconds_until_idle() is None
    pair.prepare(second, lambda: second)
    assert pair.seconds_until_idle() is None, "the one to come is kept"
    pair.promote()
    clock.advance(RETIRED_SECONDS - 1)
    assert not pair.unload_if_idle()
    retired = pair.other
    assert retired is not None
    with retired.use():
        clock.advance(100.0)
        assert not pair.unload_if_idle()
    assert pair.seconds_until_idle() == RETIRED_SECONDS
    clock.advance(RETIRED_SECONDS)
    while pair.unload_if_idle():
        pass
    assert (retired.is_loaded, pair.current.is_loaded, pair.other) == (False, True, None)
    assert pair.seconds_until_idle() is None


def test_only_a_model_to_come_is_promoted(pair: ModelPair, second: FakeEncoder) -> None:
    assert not pair.promote()
    pair.prepare(second, lambda: second)
    assert pair.promote()
    assert not pair.promote(), "the retired one is no model to come"


def test_only_one_model_can_be_to_come(pair: ModelPair, second: FakeEncoder) -> None:
    pair.prepare(second, lambda: second)
    replaced = pair.other
    assert replaced is not None
    second.encode_passages(["two words"])
    third = FakeEncoder(fingerprint="third")
    pair.prepare(third, lambda: third)
    assert not replaced.is_loaded
    assert pair.texts_cut == 1, "the counter never goes back"
    pair.drop_other()
    assert pair.other is None
    assert pair.find({"third"}) is None
