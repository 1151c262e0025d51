"""Vectors for a question while its root is still being embedded, on an engine of fakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine import on_demand
from mdmemd.engine.on_demand import PASSAGES_MAX
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import SearchMode, VectorKey
from mdmemd.search.page import Question

FILES = 300
QUESTION = Question("how do keys rotate")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    """All files are indexed, the texts wait at the embedder, and none has a vector."""
    made = EngineWorld(tmp_path)
    made.engine.embedder.step(timeout_seconds=0)
    for number in range(FILES):
        made.files.write(f"/docs/{number}.md", f"# Note {number}\n\nSomething else, {number}.\n")
    made.files.write("/docs/keys.md", "# Keys\n\nRotate the keys monthly.\n\nThen rotate the others.\n")
    made.engine.service.add_root("/docs")
    while made.engine.writer.step(timeout_seconds=0):
        pass
    assert made.engine.embedder.progress().queued == FILES + 2
    yield made
    made.close()


@pytest.fixture
def asked(world: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[VectorKey]]:
    """What was hurried. The embedder and the writer work at once, as their threads would."""
    monkeypatch.setattr(on_demand, "WAIT_SECONDS", 0.0)
    found: list[Sequence[VectorKey]] = []
    hurry = world.engine.embedder.hurry

    def hurry_and_work(owner: bytes, keys: Sequence[VectorKey]) -> Future[tuple[VectorKey, ...]]:
        found.append(keys)
        future = hurry(owner, keys)
        world.engine.embedder.step(timeout_seconds=0)
        world.engine.writer.step(timeout_seconds=0)
        return future

    monkeypatch.setattr(world.engine.embedder, "hurry", hurry_and_work)
    return found


def test_what_words_find_is_embedded_for_the_very_question(
    world: EngineWorld, asked: list[Sequence[VectorKey]]
) -> None:
    """D17: hybrid from the first question on, and the answer says how much is embedded."""
    answer = world.engine.service.search(QUESTION, fresh="off")
    assert (answer.state.mode, answer.state.degraded) == ("hybrid", None)
    assert answer.hits[0].path == "keys.md"
    assert answer.state.embedded == len(asked[0]) == 2
    assert answer.state.passages == FILES + 2
    assert world.engine.embedder.progress().embedded == 2, "before all that came earlier"
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert view.snapshot.embedded == view.snapshot.passages
    assert world.engine.embedder.progress().embedded == FILES + 2, "each text once"
    world.engine.service.search(QUESTION, fresh="off")
    assert len(asked) == 1, "nothing is left to hurry"


def test_a_question_hurries_few_passages(world: EngineWorld, asked: list[Sequence[VectorKey]]) -> None:
    """However many sections hold its words."""
    answer = world.engine.service.search(Question("note of something else"), fresh="off")
    assert answer.state.embedded == len(asked[0]) == PASSAGES_MAX


def test_a_question_by_words_hurries_nothing(world: EngineWorld, asked: list[Sequence[VectorKey]]) -> None:
    world.engine.service.search(Question(QUESTION.query, mode=SearchMode.KEYWORD), fresh="off")
    assert not asked


def test_a_text_that_cannot_be_embedded_holds_up_no_question(
    world: EngineWorld, asked: list[Sequence[VectorKey]]
) -> None:
    """R5: nor is it asked for again."""
    world.encoder.fails_on = {"Keys: Rotate the keys monthly."}
    answer = world.engine.service.search(QUESTION, fresh="off")
    assert (answer.state.mode, answer.state.embedded) == ("hybrid", 1)
    world.engine.service.search(QUESTION, fresh="off")
    world.settle()
    assert world.engine.state.current.roots["docs"].failed_vectors == 1
    assert sum("Keys: Rotate the keys monthly." in texts for texts in world.encoder.calls) == 2, (
        "with others, alone"
    )


def test_an_embedder_that_is_late_is_not_waited_for(
    world: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_demand, "WAIT_SECONDS", 0.0)
    answer = world.engine.service.search(QUESTION, fresh="off")
    assert answer.state.mode == "keyword"
    assert answer.state.degraded is not None
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert view.snapshot.embedded == view.snapshot.passages
    assert world.engine.service.search(QUESTION, fresh="off").state.mode == "hybrid"


def test_a_model_that_fails_meanwhile_ends_the_wait(world: EngineWorld) -> None:
    hurried = world.engine.embedder.hurry(b"", [])
    world.engine.embedder.close()
    assert hurried.result(0) == ()
    world.model_failure = ModelUnavailableError("Gone.", remedy="Reinstall.")
    world.restart()
    world.settle()
    assert world.engine.service.search(QUESTION, fresh="off").state.mode == "keyword"
