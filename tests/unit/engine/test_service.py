"""The facade: answers with their state, fresh or honest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.events import Look, WriterEvent
from mdmemd.engine.freshness import Freshness
from mdmemd.engine.patience import Patience
from mdmemd.engine.report import Coverage
from mdmemd.engine.state import Published, State
from mdmemd.engine.writer import Writer
from mdmemd.errors import InvalidRequestError, ModelUnavailableError, NotFoundError
from mdmemd.model import SearchMode
from mdmemd.search.page import Filter, Question


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


def test_the_headings_of_a_root_are_those_of_the_last_save(running: EngineWorld) -> None:
    service = running.engine.service
    running.files.write("/docs/new.md", "# Cooking\n\n## Tea\n\nSteep.\n")
    assert service.headings(roots=("docs",)) == (
        ("Cooking",), ("Cooking", "Bread"), ("Cooking", "Soup"), ("Cooking", "Tea"),
    )  # fmt: skip
    assert service.headings() == service.headings(roots=("docs",))
    with pytest.raises(NotFoundError):
        service.headings(roots=("other",))


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


def test_a_filter_is_told_with_the_answer(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "---\ntags: [x]\n---\n# A\n\nAlpha text.\n")
    world.files.write("/docs/b.md", "# B\n\nAlpha too.\n")
    world.add("/docs")
    service = world.engine.service
    where = Filter(tags=("x",))
    answer = service.search(Question("alpha", mode=SearchMode.KEYWORD, filter=where))
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert (answer.state.filtered_sections, answer.state.sections) == (1, 2)
    listing = service.documents(where=where)
    assert ([row.path for row in listing.documents], listing.state.filtered_sections) == (["a.md"], 1)
    assert service.documents().state.filtered_sections is None


def test_an_unknown_name_says_when_not_everything_is_indexed(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "---\ntags: [x]\n---\n# A\n\nAlpha text.\n")
    world.engine.service.add_root("/docs")
    with pytest.raises(NotFoundError, match="Not everything is indexed"):
        world.engine.service.documents(where=Filter(tags=("x",)))
    world.settle()
    with pytest.raises(NotFoundError, match="has the tag 'y'") as raised:
        world.engine.service.search(Question("alpha", filter=Filter(tags=("y",))))
    assert raised.value.candidates == ("x",)


def test_filters_hold_after_a_restart(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "---\nstatus: done\ntags: [x]\n---\n# A\n\nSee [[b]]. Alpha.\n")
    world.files.write("/docs/b.md", "# B\n\nAlpha too.\n")
    world.add("/docs")
    world.save()
    world.restart()
    world.settle()
    for where in (Filter(tags=("x",)), Filter(properties=("status=done",)), Filter(links_to="b.md")):
        assert [row.path for row in world.engine.service.documents(where=where).documents] == ["a.md"]


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


def test_an_outline_is_never_of_an_older_version(world: EngineWorld) -> None:
    """C9: with no time to look, the changed file is not shown as it was."""
    world.files.write("/docs/a.md", "# Old\n")
    world.add("/docs")
    world.files.write("/docs/a.md", "# New\n")
    with pytest.raises(NotFoundError, match="differs from what was indexed"):
        world.engine.service.outline("a.md")
    world.settle()
    assert [node.title for node in world.engine.service.outline("a.md").nodes] == ["New"]


def test_a_document_that_is_not_found_may_be_one_that_is_not_indexed_yet(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    world.clock.advance(3.0)
    world.files.write("/docs/new.md", "# New\n")
    for call in (world.engine.service.read, world.engine.service.outline):
        with pytest.raises(NotFoundError, match=r"Not everything is indexed: docs: .* 3\.0 s before"):
            call("new.md")
    world.settle()
    assert world.engine.service.read("new.md").text == "# New\n"


def test_a_new_file_in_a_root_whose_walk_is_slow_is_read_by_its_path(
    running: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Freshness, "_is_due", lambda *_: False)
    running.clock.advance(1.0)
    running.files.write("/docs/new.md", "# New\n")
    assert running.engine.service.read("/docs/new.md").text == "# New\n"
    running.files.write("/docs/new.md", "# Newer\n")
    assert running.engine.service.read("new.md").text == "# Newer\n"


def test_a_name_that_is_used_again_answers_for_the_new_folder_only(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# Old\n\nAlpha text.\n")
    world.files.write("/more/b.md", "# New\n\nBeta text.\n")
    world.add("/docs", name="mine")
    world.engine.service.remove_root("mine")
    status, _ = world.engine.service.add_root("/more", name="mine")
    assert (status.path, status.documents) == ("/more", 0)
    answer = world.engine.service.search(Question("alpha", mode=SearchMode.KEYWORD))
    assert answer.hits == ()
    assert not answer.state.fresh
    world.settle()
    assert world.engine.service.search(Question("beta", mode=SearchMode.KEYWORD)).hits[0].path == "b.md"


def test_looks_that_do_not_fit_into_the_budget_together_are_not_waited_for(world: EngineWorld) -> None:
    """Many roots of middling size: the answer is not held up, and says what it could not see."""
    for name in ("one", "two", "three"):
        world.files.write(f"/{name}/a.md", "# A\n\nAlpha text.\n")
        world.add(f"/{name}")
    posted: list[Look] = []
    freshness = Freshness(
        state=SlowState(world.engine.state.current, scan_seconds=0.4),
        writer=Recorder(posted),
        clock=world.clock,
        watcher=world.watcher,
        rouse=lambda _names: None,
        budget_seconds=1.0,
    )
    freshness.catch_up(["one", "two", "three"], Patience(1.0))
    assert [event.ticket.is_awaited for event in posted] == [True, True, False]


class SlowState(State):
    """The state of a world in which each walk takes its time."""

    def __init__(self, published: Published, *, scan_seconds: float) -> None:
        super().__init__()
        self.publish(
            {name: replace(view, scan_seconds=scan_seconds) for name, view in published.roots.items()}
        )


class Recorder(Writer):
    """A writer that is done with everything at once."""

    def __init__(self, posted: list[Look]) -> None:
        self._posted = posted

    def post(self, event: WriterEvent) -> None:
        assert isinstance(event, Look)
        self._posted.append(event)
        event.ticket.release()
