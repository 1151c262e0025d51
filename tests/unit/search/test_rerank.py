from __future__ import annotations

import pytest

from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import SearchMode
from mdmemd.search import rerank


@pytest.fixture
def world() -> SearchWorld:
    made = SearchWorld()
    made.reranker = FakeReranker()
    for number in range(6):
        made.add(f"{number}.md", f"# Keys {number}\n\nRotate the keys, {'again ' * number}case {number}.\n")
    return made


def titles(world: SearchWorld, **options: SearchMode) -> list[str]:
    return [hit.path for hit in world.search("rotate keys", limit=10, **options).hits]


def test_the_model_decides_the_order_and_loses_nothing(world: SearchWorld) -> None:
    assert world.reranker is not None
    before = titles(world)
    world.reranker.liked = "case 4"
    page = world.search("rotate keys", limit=10)
    assert page.hits[0].path == "4.md"
    assert sorted(hit.path for hit in page.hits) == sorted(before)
    scores = [hit.score for hit in page.hits]
    assert scores == sorted(scores, reverse=True)
    assert page.degraded is None


def test_it_reads_passages_with_their_breadcrumbs(world: SearchWorld) -> None:
    assert world.reranker is not None
    titles(world)
    question, texts = world.reranker.calls[-1]
    assert question == "rotate keys"
    assert "Keys 0: Rotate the keys, case 0." in [text.strip() for text in texts]


def test_only_the_best_are_read(world: SearchWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.reranker is not None
    before = titles(world)
    monkeypatch.setattr(rerank, "RERANKED_MAX", 3)
    world.reranker.liked = f"case {before[4][0]}"
    assert titles(world)[3:] == before[3:]
    assert len(world.reranker.calls[-1][1]) == 3


def test_what_did_not_fit_into_the_time_follows_in_its_order(world: SearchWorld) -> None:
    assert world.reranker is not None
    before = titles(world)
    world.reranker.reads_max = 2
    world.reranker.liked = f"case {before[1][0]}"
    page = world.search("rotate keys", limit=10)
    assert [hit.path for hit in page.hits] == [before[1], before[0], *before[2:]]
    assert page.degraded == "only the best 2 of 6 were reranked in time"


def test_without_the_model_the_order_stays_and_is_told(world: SearchWorld) -> None:
    """S16."""
    assert world.reranker is not None
    reranker, world.reranker = world.reranker, None
    before = titles(world)
    world.reranker = reranker
    reranker.failure = ModelUnavailableError("The reranker is still loading.", remedy="")
    page = world.search("rotate keys", limit=10)
    assert [hit.path for hit in page.hits] == before
    assert page.mode is SearchMode.HYBRID
    assert page.degraded == "not reranked: The reranker is still loading."


@pytest.mark.parametrize("mode", [SearchMode.KEYWORD, SearchMode.SEMANTIC])
def test_other_modes_are_left_alone(world: SearchWorld, mode: SearchMode) -> None:
    assert world.reranker is not None
    titles(world, mode=mode)
    assert not world.reranker.calls


def test_a_file_that_has_changed_is_judged_by_its_breadcrumb(world: SearchWorld) -> None:
    assert world.reranker is not None
    world.files.write("/docs/3.md", "# Keys 3\n\nOther.\n")
    page = world.search("rotate keys", limit=10)
    assert "Keys 3: " in world.reranker.calls[-1][1]
    assert "3.md" not in [hit.path for hit in page.hits]


def test_a_single_candidate_needs_no_model() -> None:
    made = SearchWorld()
    made.reranker = FakeReranker()
    made.add("a.md", "# Keys\n\nRotate.\n")
    assert made.search("rotate keys").hits
    assert not made.reranker.calls
