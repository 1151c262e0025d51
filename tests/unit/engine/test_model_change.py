"""A change of model behind answers of the old one, on an engine of fakes."""

from __future__ import annotations

import errno
import gc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.stored_models import install, small_preset
from mdmemd.embed.model_choice import NAME, ModelChoice
from mdmemd.embed.model_pair import RETIRED_SECONDS
from mdmemd.engine.report import RootState
from mdmemd.engine.state import RootView
from mdmemd.errors import ModelUnavailableError
from mdmemd.search.page import Question

SAME_SIZE, CONTENTS = small_preset("same-size")
OTHER_SIZE, _ = small_preset("other-size", dimensions=48)
QUESTION = Question("how do keys rotate")
FILES = 40


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path, presets=(SAME_SIZE, OTHER_SIZE))
    for spec in (SAME_SIZE, OTHER_SIZE):
        install(spec, CONTENTS, tmp_path / "models")
    made.files.write("/docs/keys.md", "# Keys\n\nRotate the keys monthly.\n\n# Soup\n\nBoil the water.\n")
    for number in range(FILES):
        made.files.write(f"/docs/{number}.md", f"# Note {number}\n\nThe text of note {number}.\n")
    made.add("/docs")
    made.files.write("/more/soup.md", "# Soup\n\nBoil the keys.\n")
    made.add("/more")
    yield made
    made.close()


def view_of(world: EngineWorld, name: str = "docs") -> RootView:
    return world.engine.state.current.roots[name]


def mode_of(world: EngineWorld) -> tuple[str, str | None]:
    state = world.engine.service.search(QUESTION, fresh="off").state
    return state.mode, state.degraded


def go_halfway(world: EngineWorld) -> int:
    """Until some passages of the large root have the new vectors, and not all; tells how many."""

    def has_some() -> bool:
        new = view_of(world).rebuilt
        return new is not None and new.snapshot.embedded > 0

    world.step_until(has_some)
    new = view_of(world).rebuilt
    assert new is not None
    assert 0 < new.snapshot.embedded < new.snapshot.passages
    return new.snapshot.embedded


def change(world: EngineWorld, name: str) -> None:
    entry = world.engine.models.use(name)
    assert not entry.is_in_use
    go_halfway(world)


@pytest.mark.parametrize("name", ["same-size", "other-size"])
def test_the_old_model_answers_until_the_new_one_does(world: EngineWorld, name: str) -> None:
    """M5, M6, S16: with vectors of its own, in each published state, in all roots."""
    change(world, name)
    asked: list[tuple[str, str | None]] = []

    def ask() -> bool:
        asked.append(mode_of(world))
        assert len({view.vectors_by for view in world.engine.state.current.roots.values()}) == 1
        return False

    world.step_until(ask)
    assert set(asked) == {("hybrid", None)}
    assert QUESTION.query in {text for texts in world.encoder.calls for text in texts}
    assert (
        view_of(world).vectors_by
        == world.loaded[name].fingerprint
        == world.engine.embedder.state().fingerprint
    )
    assert view_of(world).snapshot.embedded == view_of(world).snapshot.passages > FILES
    assert world.engine.service.model().name == name
    assert world.engine.service.model().changing_to is None


def test_a_question_is_remembered_for_its_model(world: EngineWorld) -> None:
    """S12: the same question before, during and after a change."""
    mode_of(world)
    change(world, "same-size")
    mode_of(world)
    world.settle()
    mode_of(world)
    for encoder in (world.encoder, world.loaded["same-size"]):
        assert sum(QUESTION.query in texts for texts in encoder.calls) == 1


def test_progress_is_told(world: EngineWorld) -> None:
    """D17."""
    world.engine.models.use("same-size")
    assert {status.state for status in world.engine.service.roots()} == {RootState.EMBEDDING}, "at once"
    done = go_halfway(world)
    status = world.status("docs")
    assert status.state is RootState.EMBEDDING
    assert status.detail is not None
    assert status.detail.startswith(f"{done} of {status.passages} passages have vectors of the model to come")
    assert world.engine.service.model().changing_to == "same-size"
    world.settle()
    assert world.status("docs").state is RootState.READY
    assert world.status("docs").detail is None


def forgotten(world: EngineWorld, name: str) -> Callable[[], bool]:
    """Whether the encoder of a model is in memory no longer; the test itself holds none from now on."""
    held = weakref.ref(world.loaded.pop(name))

    def is_gone() -> bool:
        gc.collect()
        return held() is None

    return is_gone


def test_two_models_are_in_memory_only_around_a_change(world: EngineWorld) -> None:
    world.engine.models.use("other-size")
    world.settle()
    change(world, "same-size")
    is_gone = forgotten(world, "other-size")
    world.settle()
    assert world.engine.service.model().name == "same-size"
    assert not is_gone(), "a question that began before may still need it"
    world.clock.advance(RETIRED_SECONDS)
    world.settle()
    assert is_gone()
    assert mode_of(world) == ("hybrid", None)


def test_what_is_saved_and_added_meanwhile_has_vectors_of_both(world: EngineWorld) -> None:
    """M5: the old model embeds an edit for its answers, the new one for those to come."""
    change(world, "other-size")
    world.files.write("/docs/fresh.md", "# Fresh\n\nSaved meanwhile.\n")
    world.files.write("/third/late.md", "# Late\n\nAdded meanwhile.\n")
    world.engine.service.add_root("/third")
    world.engine.service.search(QUESTION)  # looks at the polled roots
    world.settle()
    for name in ("docs", "third"):
        assert view_of(world, name).vectors_by == world.loaded["other-size"].fingerprint
        assert view_of(world, name).snapshot.embedded == view_of(world, name).snapshot.passages
    assert view_of(world).snapshot.document("fresh.md") is not None
    assert mode_of(world) == ("hybrid", None)


def test_a_change_that_a_crash_cut_short_goes_on(world: EngineWorld) -> None:
    """M5, T1: what the new model had computed is not computed again."""
    world.save()
    change(world, "other-size")
    total = view_of(world).snapshot.passages + view_of(world, "more").snapshot.passages
    done = world.engine.embedder.progress().embedded - total
    assert done > 0
    world.restart()
    world.step_until(lambda: mode_of(world) == ("hybrid", None))
    assert world.engine.embedder.progress().embedded == 0, "the old model answers with what was saved"
    assert world.engine.service.model().changing_to == "other-size"
    world.engine.models.resume()
    world.settle()
    assert world.engine.service.model().name == "other-size"
    assert world.engine.embedder.progress().embedded == total - done
    assert mode_of(world) == ("hybrid", None)
    chosen = ModelChoice(world.blobs).read()
    assert chosen is not None
    assert (chosen.model, chosen.next) == (OTHER_SIZE.identity, None)


def test_a_change_that_cannot_go_on_is_given_up_and_told(world: EngineWorld) -> None:
    """M1: the old model stays."""
    change(world, "other-size")
    world.restart()
    world.settle()
    world.model_failure = ModelUnavailableError("Damaged.", remedy="Download it.")
    world.engine.models.resume()
    world.model_failure = None
    world.settle()
    assert any("given up: Damaged. Download it." in message for message in world.engine.service.messages())
    assert world.engine.service.model().changing_to is None
    assert world.status("docs").state is RootState.READY
    assert mode_of(world) == ("hybrid", None)


def test_the_model_in_use_ends_a_change(world: EngineWorld) -> None:
    change(world, "same-size")
    computed = world.engine.embedder.progress().embedded
    is_gone = forgotten(world, "same-size")
    assert world.engine.models.use(world.engine.models.identity.name).is_in_use
    world.settle()
    assert is_gone()
    assert world.engine.embedder.progress().embedded == computed
    assert view_of(world).rebuilt is None
    assert view_of(world).vectors_by == "fake"
    assert world.engine.service.model().changing_to is None


def test_another_choice_takes_the_place_of_a_change(world: EngineWorld) -> None:
    change(world, "same-size")
    is_gone = forgotten(world, "same-size")
    world.engine.models.use("other-size")
    world.settle()
    assert is_gone()
    assert view_of(world).vectors_by == world.loaded["other-size"].fingerprint
    assert view_of(world).snapshot.embedded == view_of(world).snapshot.passages


def test_going_back_computes_nothing(world: EngineWorld) -> None:
    """M5: the cache knows a text by model and content."""
    first = world.engine.models.identity.name
    world.engine.models.use("same-size")
    world.settle()
    computed = world.engine.embedder.progress().embedded
    world.engine.models.use(first)
    world.settle()
    assert world.engine.models.identity.name == first
    assert world.engine.embedder.progress().embedded == computed
    assert mode_of(world) == ("hybrid", None)


def test_a_root_out_of_reach_does_not_hold_up_the_others(world: EngineWorld) -> None:
    world.files.move("/more", "/elsewhere")
    world.engine.service.search(QUESTION)  # looks at the polled roots
    world.engine.models.use("same-size")
    world.settle()
    assert world.engine.service.model().name == "same-size"
    assert {view.vectors_by for view in world.engine.state.current.roots.values()} == {SAME_SIZE.fingerprint}
    assert mode_of(world) == ("hybrid", None)


def test_a_switch_that_cannot_be_saved_is_made_again_at_the_next_start(world: EngineWorld) -> None:
    """T10."""
    change(world, "same-size")
    world.blobs.fail_with = errno.ENOSPC
    world.settle()
    assert world.engine.service.model().name == "same-size"
    world.blobs.fail_with = None
    assert NAME in world.blobs.names()
    world.restart()
    assert world.engine.service.model().changing_to == "same-size"
