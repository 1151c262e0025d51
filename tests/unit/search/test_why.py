"""What a score is made of, and what keeps a section off a page."""

from __future__ import annotations

import pytest

from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.search_world import SearchWorld
from mdmemd.model import SearchMode
from mdmemd.search.page import Filter
from mdmemd.search.why import WhyState

RANKED_MODES = [SearchMode.HYBRID, SearchMode.KEYWORD, SearchMode.SEMANTIC, SearchMode.EXACT]


def _world() -> SearchWorld:
    world = SearchWorld()
    world.add("alpha/guide.md", "# Alpha beta\n\nalpha beta gamma_delta in a text\n\n## Empty alpha beta\n")
    world.add("CHANGELOG.md", "# 1.0\n\nalpha beta gamma_delta was added\n")
    world.add("old.md", "---\nstatus: superseded\n---\n# Old\n\nalpha then beta and gamma_delta\n")
    world.add("bare.md", "# Bare\n\nalpha beta without a vector\n", embed=False)
    for number in range(4):
        lines = "".join(f"alpha beta line {line}\n" for line in range(20))
        world.add(f"copy{number}.md", f"# Copy\n\n{lines}number {number}\n")
    return world


@pytest.mark.parametrize("mode", RANKED_MODES)
@pytest.mark.parametrize("query", ["alpha beta", "gamma_delta", "alpha beta gamma_delta", "alphas of beta"])
def test_the_contributions_of_a_hit_add_up_to_its_score(query: str, mode: SearchMode) -> None:
    page = _world().search(query, mode=mode, limit=20, explain=True)
    assert page.hits or mode is SearchMode.EXACT
    for hit in page.hits:
        assert sum(each.value for each in hit.contributions) == pytest.approx(hit.score, abs=1e-4)
    assert not any(hit.contributions for hit in _world().search(query, mode=mode).hits)


def test_each_kind_of_evidence_is_named() -> None:
    page = _world().search("alpha beta", limit=20, explain=True)
    named = {each.what for hit in page.hits for each in hit.contributions}
    assert {
        "word alpha in headings",
        "word alpha in path",
        "word beta in text",
        "meaning, by passage 1",
        "meaning, taken as that of the middle candidate: it has no vector yet",
        "heading is the question",
        "no text of its own",
        "release notes",
        "status: superseded",
        "copy of texts above",
    } <= named
    page = _world().search("gamma_delta", explain=True)
    assert "identifiers that it names" in {each.what for each in page.hits[0].contributions}


def test_a_hit_and_its_explanation_agree() -> None:
    world = _world()
    page = world.search("alpha beta", limit=3, explain=True)
    for rank, hit in enumerate(page.hits, start=1):
        found = world.why("alpha beta", hit.path, limit=3)
        assert (found.state, found.rank, found.contributions) == (WhyState.SHOWN, rank, hit.contributions)
        assert found.score == hit.score
        assert found.last_score == page.hits[-1].score


def test_what_stands_below_the_page_has_its_rank_and_what_it_would_take() -> None:
    world = _world()
    all_hits = world.search("alpha beta", limit=20).hits
    last = all_hits[4]
    found = world.why("alpha beta", last.path, limit=2)
    assert (found.state, found.rank) == (WhyState.BELOW, 5)
    assert found.score == pytest.approx(last.score)
    assert found.last_score == pytest.approx(all_hits[1].score)


def test_a_section_beyond_all_candidates_is_judged_all_the_same() -> None:
    world = SearchWorld()
    for number in range(450):
        world.add(f"{number}.md", f"# A {number}\n\nalpha {number}\n")
    world.add("far.md", "# Far\n\nother things altogether\n")
    for mode in (SearchMode.HYBRID, SearchMode.KEYWORD):
        found = world.why("alpha", "far.md", mode=mode)
        assert found.state is WhyState.BELOW
        assert found.rank is None
        assert found.score is not None
        assert found.last_score is not None
        assert found.score < found.last_score


def test_each_thing_that_keeps_a_section_off_is_told() -> None:
    world = _world()
    world.add("twin.md", "# Twin\n\nalpha beta twin\n")
    world.add("twins.md", "# Twin\n\nalpha beta twin\n")
    assert world.why("alpha twin", "twins.md").state is WhyState.COPY
    assert world.why("alpha twin", "twins.md").rank == 1
    assert world.why("alpha -twin", "twin.md").state is WhyState.EXCLUDED
    assert world.why('"beta twin"', "old.md").state is WhyState.NO_PHRASE
    assert world.why("alpha twin", "old.md", mode=SearchMode.EXACT).state is WhyState.UNMATCHED
    assert world.why("NO_SUCH_NAME", "twin.md").state is WhyState.NO_ANSWER
    world.files.write("/docs/twin.md", "# Twin\n\nchanged since\n")
    assert world.why("alpha twin", "twin.md").state is WhyState.STALE


def test_a_filter_leaves_scores_as_they_are() -> None:
    world = _world()
    whole = world.why("alpha beta", "old.md", limit=20)
    assert world.why("alpha beta", "old.md", where=Filter(paths=("old.md",))).score == whole.score


def test_what_a_reranker_gave_is_among_the_contributions() -> None:
    world = _world()
    world.reranker = FakeReranker()
    world.reranker.liked = "alpha then beta"
    page = world.search("alpha beta", limit=20, explain=True)
    for hit in page.hits:
        assert sum(each.value for each in hit.contributions) == pytest.approx(hit.score, abs=1e-4)
    moved = [each for hit in page.hits for each in hit.contributions if each.what == "order of the reranker"]
    assert moved
    assert page.hits[0].path == "old.md"
    assert world.why("alpha beta", "old.md", limit=20).rank == 1
