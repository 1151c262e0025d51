"""Golden sets asked of an engine on fakes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.evaluation import Evaluator, Watch
from mdmemd.errors import InvalidRequestError, NotFoundError, RefusedError
from mdmemd.evaluate.figures import Judged
from mdmemd.model import SearchMode
from mdmemd.search.page import Question

BEES = "# Bees\n\nText.\n\n## Swarm\n\nA swarm leaves the hive in May.\n"
SOUP = "# Soup\n\n## Lentils\n\nSimmer the lentils with cumin.\n"

GOLDEN = [
    {
        "query": "swarm hive",
        "relevant": [{"path": "bees.md", "heading_path": ["Bees", "Swarm"]}],
        "answer": "in May",
    },
    {
        "query": "cumin",
        "kind": "keyword",
        "relevant": [{"path": "soup.md", "heading_path": ["Soup", "Lentils"]}],
    },
    {"query": "NO_SUCH_NAME", "kind": "identifier", "no_answer": True},
]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path)
    made.files.write("/docs/bees.md", BEES)
    made.files.write("/docs/soup.md", SOUP)
    made.add("/docs")
    yield made
    made.close()


def evaluator(world: EngineWorld) -> Evaluator:
    return world.engine.evaluator


def test_a_run_asks_the_product_and_both_baselines(world: EngineWorld) -> None:
    run = evaluator(world).run(json.dumps(GOLDEN), roots=("docs",), mode=SearchMode.KEYWORD, limit=3)
    assert [each.rank for each in run.questions] == [1, 1, None]
    assert [each.is_right for each in run.questions] == [True, True, True]
    assert (run.summary.holdable, run.summary.held) == (1, 1)
    assert (run.summary.empty_wanted, run.summary.empty_right) == (1, 1)
    assert run.questions[0].tokens > 5
    systems = [(row.system, row.kind) for row in run.baselines]
    assert systems == [
        (system, kind) for system in ("bm25", "grep") for kind in ("all", "question", "keyword")
    ]
    assert all(row.mrr == 1.0 for row in run.baselines)
    assert (run.comparison, run.notes) == (None, ())
    assert evaluator(world).run(json.dumps(GOLDEN), baselines=False).baselines == ()


def test_a_run_is_compared_with_an_earlier_one(world: EngineWorld) -> None:
    before = [Judged("1", "question", 2, 0.5)]
    run = evaluator(world).run(json.dumps(GOLDEN), mode=SearchMode.KEYWORD, before=before)
    assert run.comparison is not None
    assert (run.comparison.questions, run.comparison.unpaired) == (1, 1)
    assert run.comparison.differences[0].after == 1.0


def test_a_missing_root_and_labels_of_another_one_are_errors(world: EngineWorld) -> None:
    """C2."""
    world.files.write("/other/a.md", "# A\n\nText.\n")
    world.add("/other")
    with pytest.raises(NotFoundError, match="no root named dosc"):
        evaluator(world).run(json.dumps(GOLDEN), roots=("dosc",))
    with pytest.raises(InvalidRequestError, match=r"name no indexed section: 2, first bees\.md"):
        evaluator(world).run(json.dumps(GOLDEN), roots=("other",))


def test_what_makes_a_run_worth_less_is_noted(world: EngineWorld) -> None:
    world.files.write("/docs/new.md", "# New\n\nNot embedded.\n")
    world.engine.service.search(Question("swarm"))
    while world.engine.writer.step(timeout_seconds=0.0):
        pass
    golden = [*GOLDEN, {"query": "x", "relevant": [{"path": "soup.md"}], "checked": False}]
    notes = evaluator(world).run(json.dumps(golden), mode=SearchMode.KEYWORD).notes
    assert "proposals that nobody has checked, left out: 1" in notes
    assert any("passages are embedded" in note for note in notes)


def test_the_draft_proposes_what_was_asked_by_users_only(world: EngineWorld) -> None:
    with pytest.raises(InvalidRequestError, match="No question is kept yet"):
        evaluator(world).draft(questions_max=10)
    world.engine.service.search(Question("cumin", mode=SearchMode.KEYWORD))
    world.engine.service.search(Question("NO_SUCH_NAME", mode=SearchMode.KEYWORD))
    evaluator(world).run(json.dumps(GOLDEN), mode=SearchMode.KEYWORD)
    text = evaluator(world).draft(questions_max=10)
    (question,) = json.loads(text)["questions"]
    assert (question["query"], question["kind"], question["checked"]) == ("cumin", "question", False)
    assert question["relevant"] == [{"path": "soup.md", "heading_path": ["Soup", "Lentils"]}]
    with pytest.raises(InvalidRequestError, match="are proposals"):
        evaluator(world).run(text)
    checked = text.replace('"checked": false', '"checked": true')
    assert evaluator(world).run(checked).questions[0].rank == 1


def test_a_run_tells_how_many_of_its_questions_are_asked(world: EngineWorld) -> None:
    told: list[tuple[int, int]] = []
    watch = Watch(lambda done, total: told.append((done, total)))
    evaluator(world).run(json.dumps(GOLDEN), limit=10, watch=watch)
    assert told == [(number, 9) for number in range(1, 10)]
    told.clear()
    again = Watch(watch.progress)
    evaluator(world).run(json.dumps(GOLDEN), limit=5, baselines=False, watch=again)
    assert told[-1] == (3, 3)


def test_a_run_ends_when_nobody_waits_for_it(world: EngineWorld) -> None:
    watch = Watch()
    watch.progress = lambda done, _total: watch.cancelled.set() if done == 2 else None
    with pytest.raises(RefusedError, match="cancelled"):
        evaluator(world).run(json.dumps(GOLDEN), watch=watch)
    assert watch.done == 2


def test_the_answer_is_looked_for_in_what_a_caller_gets_who_sets_nothing(world: EngineWorld) -> None:
    golden = [{**GOLDEN[0], "answer": ["nowhere", ["leaves the hive", "in May"]]}]
    for limit in (1, 5, 10):
        run = evaluator(world).run(json.dumps(golden), mode=SearchMode.KEYWORD, limit=limit)
        (question,) = run.questions
        assert (question.holds_answer, question.page_holds_answer) == (True, True)
        assert (run.summary.page_holdable, run.summary.page_held) == (1, 1)
        assert run.summary.tokens_max == question.tokens


def test_a_run_ends_when_the_daemon_stops(world: EngineWorld) -> None:
    evaluator(world).close()
    with pytest.raises(RefusedError, match="stopping"):
        evaluator(world).run(json.dumps(GOLDEN))
