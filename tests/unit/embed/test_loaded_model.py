"""M9: counts of use, and memory given back."""

from __future__ import annotations

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmemd.embed.loaded_model import LoadedModel, ModelFacts
from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import Encoder

IDLE = 600.0


class Desk:
    def __init__(self, *, idle: float = IDLE) -> None:
        self.clock = FakeClock()
        self.made: list[FakeEncoder] = []
        self.model = LoadedModel(self.load, clock=self.clock, unload_after_seconds=idle)

    def load(self) -> Encoder:
        self.made.append(FakeEncoder(words_max=1))
        return self.made[-1]


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.model.load()
    return made


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    desk = Desk()
    assert not desk.model.is_loaded
    assert desk.model.facts is None
    assert desk.model.seconds_until_idle() is None
    with desk.model.use() as encoder:
        assert encoder is None


def test_it_is_given_back_after_long_idleness(desk: Desk) -> None:
    desk.clock.advance(IDLE - 1)
    assert desk.model.seconds_until_idle() == 1
    assert not desk.model.unload_if_idle()
    desk.clock.advance(1)
    assert desk.model.unload_if_idle()
    assert not desk.model.is_loaded
    assert desk.made[0].closed
    assert desk.model.facts == ModelFacts("fake", 32, None)


def test_the_time_begins_at_the_end_of_the_last_use(desk: Desk) -> None:
    with desk.model.use():
        desk.clock.advance(2 * IDLE)
        assert not desk.model.unload_if_idle()
        assert (
            desk.model.seconds_until_idle() == IDLE
        )  # else the embedder would spin until the end of the use
    assert not desk.model.unload_if_idle()
    desk.clock.advance(IDLE)
    assert desk.model.unload_if_idle()


def test_every_use_counts(desk: Desk) -> None:
    with desk.model.use():
        with desk.model.use():
            pass
        desk.clock.advance(2 * IDLE)
        assert not desk.model.unload_if_idle()
    assert desk.model.is_loaded


def test_zero_keeps_it_for_ever() -> None:
    desk = Desk(idle=0)
    desk.model.load()
    desk.clock.advance(1e9)
    assert desk.model.seconds_until_idle() is None
    assert not desk.model.unload_if_idle()


def test_cuts_are_counted_over_all_encoders(desk: Desk) -> None:
    desk.made[0].encode_passages(["too long"])
    desk.clock.advance(IDLE)
    desk.model.unload_if_idle()
    assert desk.model.texts_cut == 1
    desk.model.load()
    desk.made[1].encode_passages(["too long", "again too long"])
    assert desk.model.texts_cut == 3


def test_another_model_takes_its_place(desk: Desk) -> None:
    other = FakeEncoder(fingerprint="other", dimensions=8)
    with desk.model.use() as old:
        desk.model.replace(other, lambda: other)
        assert old is desk.made[0]
    assert desk.made[0].closed
    assert desk.model.facts == ModelFacts("other", 8, None)
    desk.clock.advance(IDLE)
    desk.model.unload_if_idle()
    desk.model.load()
    with desk.model.use() as again:
        assert again is other


def test_a_load_that_fails_changes_nothing(desk: Desk) -> None:
    def fail() -> Encoder:
        raise ModelUnavailableError("No.", remedy="")

    model = LoadedModel(fail, clock=desk.clock, unload_after_seconds=IDLE)
    with pytest.raises(ModelUnavailableError):
        model.load()
    assert model.facts is None
