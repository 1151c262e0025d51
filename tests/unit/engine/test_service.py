"""The facade: answers with their state, fresh or honest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.report import Coverage
from mdmemd.errors import InvalidRequestError, ModelUnavailableError, NotFoundError
from mdmemd.model import SearchMode
from mdmemd.search.page import Question


@pytest.fixture
def running(tmp_path: Path) -> Iterator[EngineWorld]:
    """An engine with its threads, and a generous budget for freshness: the fakes answer at once."""
    made = EngineWorld(tmp_path, fresh_budget_ms=10_000)
    made.files.write(
        "/docs/soup.md", "# Cooking\n\n## Soup\n\nSimmer the lentils slowly.\n\n## Bread\n\nBake the dough.\n"
    )
    made.add("/docs")
    made.engine.start()
    yield made
    made.engine.stop()


def test_an_answer_is_fresh_without_a_watcher(running: EngineWorld) -> None:
    """W2, T3, C9: what was saved before the question is in the answer."""
    service = running.engine.service
    running.files.write("/docs/new.md", "# Bees\n\nThe hive hums.\n")
    answer = service.search(Question("hive"))
    assert answer.hits[0].path == "new.md"
    assert answer.state.fresh
    assert answer.state.outstanding is None
    running.files.write("/docs/new.md", "# Bees\n\nThe swarm hums.\n")
    assert service.search(Question("hive", mode=SearchMode.KEYWORD)).hits == ()
    assert "swarm" in (service.search(Question("swarm")).hits[0].excerpt or pytest.fail("no excerpt")).text
    running.files.remove("/docs/new.md")
    assert service.search(Question("swarm", mode=SearchMode.KEYWORD)).hits == ()


def test_read_and_outline_see_the_last_save(running: EngineWorld) -> None:
    service = running.engine.service
    running.files.write("/docs/soup.md", "# Cooking\n\n## Soup\n\nNow with carrots.\n")
    assert service.read("soup.md", heading="Soup").text == "## Soup\n\nNow with carrots.\n"
    assert [node.title for node in service.outline("/docs/soup.md").nodes[0].children] == ["Soup"]
    assert [row.path for row in service.documents().documents] == ["soup.md"]


def test_the_state_of_an_answer_tells_how_much_stands_behind_it(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\nAlpha text.\n")
    world.engine.service.add_root("/docs")
    nothing = world.engine.service.search(Question("alpha", mode=SearchMode.KEYWORD)).state
    assert (nothing.fresh, nothing.coverage, nothing.documents) == (False, Coverage.PARTIAL, 0)
    assert nothing.outstanding is not None
    assert "first time" in nothing.outstanding
    world.engine.writer.step(timeout_seconds=0.0)
    partial = world.engine.service.search(Question("alpha", mode=SearchMode.KEYWORD)).state
    assert (partial.coverage, partial.embedded, partial.passages) == (Coverage.PARTIAL, 0, 1)
    world.settle()
    complete = world.engine.service.search(Question("alpha", mode=SearchMode.KEYWORD)).state
    assert (complete.coverage, complete.embedded) == (Coverage.COMPLETE, 1)


def test_with_no_time_to_look_the_answer_says_so_and_is_never_stale(world: EngineWorld) -> None:
    """A budget of 0 ms: the file has changed, its old text must not be quoted."""
    world.files.write("/docs/a.md", "# A\n\nAlpha text.\n")
    world.add("/docs")
    world.clock.advance(5.0)
    world.files.write("/docs/a.md", "# A\n\nBeta text.\n")
    answer = world.engine.service.search(Question("alpha", mode=SearchMode.KEYWORD))
    assert answer.hits == ()
    assert not answer.state.fresh
    assert answer.state.outstanding is not None
    assert "5.0 s before" in answer.state.outstanding
    with pytest.raises(NotFoundError, match="differs from what was indexed"):
        world.engine.service.read("a.md")


def test_a_missing_model_degrades_every_answer_and_says_why(world: EngineWorld) -> None:
    """S16."""
    world.model_failure = ModelUnavailableError("The model is broken.", remedy="Install it again.")
    world.files.write("/docs/a.md", "# A\n\nAlpha text.\n")
    world.add("/docs")
    answer = world.engine.service.search(Question("alpha"))
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.state.mode == "keyword"
    assert answer.state.degraded is not None
    assert "The model is broken." in answer.state.degraded


def test_roots_are_named_or_given_by_folder(running: EngineWorld) -> None:
    service = running.engine.service
    assert service.search(Question("soup"), roots=("docs",)).hits
    assert service.search(Question("soup"), roots=("/docs/",)).hits
    with pytest.raises(NotFoundError) as caught:
        service.search(Question("soup"), roots=("dosc",))
    assert caught.value.candidates == ("docs",)


@pytest.mark.parametrize("limit", [0, -1, 51])
def test_limits_are_limits(running: EngineWorld, limit: int) -> None:
    with pytest.raises(InvalidRequestError, match="The limit is"):
        running.engine.service.search(Question("soup", limit=limit))


def test_without_roots_an_answer_is_empty_and_says_so(world: EngineWorld) -> None:
    state = world.engine.service.search(Question("soup", mode=SearchMode.KEYWORD)).state
    assert (state.coverage, state.documents, state.fresh) == (Coverage.EMPTY, 0, True)
