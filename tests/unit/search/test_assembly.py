"""The page: what its budget buys, how it goes on, and what is named where nothing answers."""

from __future__ import annotations

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import InvalidRequestError
from mdmemd.model import SearchMode
from mdmemd.search.assembly import EXPANDED_TOKENS, PAGE_TOKENS, hit_tokens
from mdmemd.search.page import Filter, Hit, KeywordMatch, Page

PROSE = "some prose about alpha and other things " * 12 + "\n\n"


def _world(sections: int = 12) -> SearchWorld:
    world = SearchWorld()
    for number in range(sections):
        text = "".join(f"{PROSE[:-2]} {number} {paragraph}\n\n" for paragraph in range(4))
        world.add(f"{number:02}.md", f"# Title {number}\n\n{text}")
    return world


def _tokens(page: Page) -> int:
    return sum(map(hit_tokens, page.hits))


def _pages(world: SearchWorld, query: str, **given: object) -> list[Page]:
    pages = [world.search(query, **given)]  # type: ignore[arg-type]
    while pages[-1].cursor is not None:
        pages.append(world.search(query, cursor=pages[-1].cursor, **given))  # type: ignore[arg-type]
    return pages


def _places(hit: Hit) -> list[str]:
    return [hit.path, *(place.path for place in hit.also_in)]


# --- the budget -------------------------------------------------------------------------------------------


def test_a_typical_page_costs_what_it_should() -> None:
    page = _world().search("alpha")
    assert len(page.hits) == 5
    assert PAGE_TOKENS - 150 <= _tokens(page) <= PAGE_TOKENS


@pytest.mark.parametrize("max_tokens", [30, 60, 120, 250, 500, 1000])
@pytest.mark.parametrize("expand", [False, True])
def test_a_page_keeps_the_budget_of_its_caller(max_tokens: int, expand: bool) -> None:
    page = _world().search("alpha", limit=10, max_tokens=max_tokens, expand=expand)
    assert page.hits
    assert _tokens(page) <= max_tokens
    assert page.hits[0].excerpt is not None


def test_without_a_budget_every_hit_of_the_limit_is_on_the_page() -> None:
    page = _world().search("alpha", limit=12)
    assert len(page.hits) == 12
    assert page.cursor is None


def test_the_second_hit_is_quoted_where_it_is_nearly_as_good_and_there_is_room() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n")
    world.add("b.md", "# B\n\nalpha beta\n")
    world.add("c.md", "# C\n\nalpha " + "and so on " * 90 + "\n")
    first, second, third = world.search("alpha beta").hits
    assert first.excerpt is not None
    assert second.excerpt is not None
    assert third.excerpt is None
    assert world.search("alpha beta", max_tokens=60).hits[1].excerpt is None


def test_expand_gives_whole_sections_with_all_their_parts_while_the_budget_lasts() -> None:
    world = SearchWorld()
    long = "# Long\n\n" + "".join(f"alpha paragraph {number} " * 20 + "\n\n" for number in range(12))
    world.add("long.md", long)
    world.add("short.md", "# Short\n\nalpha in short\n")
    for number in range(8):
        world.add(f"{number}.md", f"# Title {number}\n\n" + f"{PROSE[:-2]} {number}\n\n" * 3)
    page = world.search("alpha", limit=10, expand=True)
    quoted = {hit.path: hit.excerpt for hit in page.hits if hit.excerpt is not None}
    whole = quoted["long.md"]
    assert whole is not None
    assert whole.text == long
    assert len(quoted) >= 3
    assert _tokens(page) <= EXPANDED_TOKENS
    assert any(hit.excerpt is None for hit in page.hits)


# --- equal texts ------------------------------------------------------------------------------------------


def test_a_text_that_stands_in_several_files_is_one_hit_that_names_them_all() -> None:
    world = SearchWorld()
    for name in ("a.md", "b/a.md", "c/a.md"):
        world.add(name, "# Same\n\nalpha beta gamma\n")
    world.add("other.md", "# Other\n\nalpha only\n")
    first, second = world.search("alpha beta").hits
    assert _places(first) == ["a.md", "b/a.md", "c/a.md"]
    assert [place.lines for place in first.also_in] == [first.lines] * 2
    assert _places(second) == ["other.md"]


# --- more pages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize("max_tokens", [0, 150])
def test_the_pages_of_a_question_name_each_section_once(mode: SearchMode, max_tokens: int) -> None:
    world = _world()
    for number in range(4):
        world.add(f"copy{number}.md", "# Same\n\nalpha copy\n")
    pages = _pages(world, "alpha", mode=mode, limit=3, max_tokens=max_tokens)
    found = [path for page in pages for hit in page.hits for path in _places(hit)]
    assert len(pages) > 3
    assert len(found) == len(set(found)) == 16
    scores = [hit.score for page in pages for hit in page.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_cursor_of_a_changed_index_is_refused_and_says_so() -> None:
    world = _world()
    page = world.search("alpha", limit=3)
    assert page.cursor is not None
    again = world.search("alpha", limit=3, cursor=page.cursor)
    assert again.hits[0].path != page.hits[0].path
    world.add("new.md", "# New\n\nalpha\n")
    with pytest.raises(InvalidRequestError, match="index has changed"):
        world.search("alpha", limit=3, cursor=page.cursor)


def test_a_cursor_of_another_question_is_refused() -> None:
    world = _world()
    cursor = world.search("alpha", limit=3).cursor
    assert cursor is not None
    with pytest.raises(InvalidRequestError, match="another question"):
        world.search("other", cursor=cursor)
    with pytest.raises(InvalidRequestError, match="another question"):
        world.search("alpha", cursor=cursor, where=Filter(paths=("*.md",)))
    for nonsense in ("x", cursor + "0", "-1." + "0" * 16, "é"):
        with pytest.raises(InvalidRequestError, match="none that an answer gave"):
            world.search("alpha", cursor=nonsense)


# --- all of them ------------------------------------------------------------------------------------------


def test_exact_mode_lists_every_section_that_holds_all_words_g10() -> None:
    world = _world(sections=3)
    sections = "".join(f"# Part {number}\n\nalpha beta {number}\n\n" for number in range(230))
    world.add("many.md", sections)
    world.add("one.md", "# One\n\nbeta then alpha\n")
    pages = _pages(world, "alpha beta", mode=SearchMode.EXACT, limit=50)
    assert [len(page.hits) for page in pages] == [50, 50, 50, 50, 31]
    assert all(hit.excerpt is None for page in pages for hit in page.hits)
    assert pages[0].mode is SearchMode.EXACT
    assert (pages[0].exact_sections, pages[0].exact_files) == (231, 2)
    assert world.search("alpha beta").exact_files == 2


def test_exact_mode_needs_no_model() -> None:
    world = _world(sections=2)
    world.model_error = "no model"
    page = world.search("alpha", mode=SearchMode.EXACT)
    assert (page.mode, page.degraded, len(page.hits)) == (SearchMode.EXACT, None, 2)


# --- nothing ----------------------------------------------------------------------------------------------


def test_a_phrase_that_nobody_wrote_leaves_near_misses_apart_from_the_hits() -> None:
    world = SearchWorld()
    for number in range(5):
        world.add(f"{number}.md", f"# A {number}\n\nphrase of alpha\n")
    page = world.search('"alpha phrase"')
    assert page.hits == ()
    assert page.keyword_match is KeywordMatch.FILTERED
    assert [near.path for near in page.near_misses] == ["0.md", "1.md", "2.md"]
    assert world.search("alpha").near_misses == ()


def test_a_near_miss_holds_nothing_that_was_excluded() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nphrase of alpha\n")
    world.add("b.md", "# B\n\nphrase of alpha, in beta\n")
    page = world.search('"alpha phrase" -beta')
    assert [near.path for near in page.near_misses] == ["a.md"]
