"""Whole questions over a small world: order, honesty, freshness."""

from __future__ import annotations

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import InvalidRequestError
from mdmemd.model import SearchMode
from mdmemd.search.assembly import PAGE_TOKENS
from mdmemd.search.page import KeywordMatch, Page, StaleFile
from mdmemd.search.page_share import POINTER_TOKENS
from mdmemd.search.searcher import NOTHING_EMBEDDED

FILLER = "filler words that say nothing of interest here\n\n"


def _hits(page: Page) -> list[tuple[str, str]]:
    return [(hit.path, " > ".join(hit.heading_path)) for hit in page.hits]


def _all_paths(page: Page) -> list[str]:
    return [path for hit in page.hits for path in (hit.path, *(place.path for place in hit.also_in))]


def _paths(page: Page) -> list[str]:
    return [hit.path for hit in page.hits]


# --- what is found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.KEYWORD])
@pytest.mark.parametrize(
    "query",
    [
        "apply_secrets",
        "__init__",
        "2026.4.10",
        '"1.0.21"',
        "--no-build-isolation",
        "UV_LINK_MODE",
        "foo::bar()",
    ],
)
def test_identifiers_lead_to_the_section_that_names_them_s2_s3(query: str, mode: SearchMode) -> None:
    world = SearchWorld()
    world.add(
        "parts.md", "# Apply secrets\n\napply secrets init 2026 4 10 build isolation link mode foo bar uv\n"
    )
    name = query.strip('"')
    world.add("whole.md", f"# Other\n\n{FILLER}Use `{name}` here.\n\n{FILLER}")
    page = world.search(query, mode=mode)
    assert _paths(page)[0] == "whole.md"
    assert page.exact_sections == 1


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Vec::drain", "call `std::vec::Vec::drain` on it"),
        ("path.join", "use os.path.join()"),
        ("3.14.1", "in v3.14.1"),
    ],
)
def test_names_are_found_where_they_are_written_longer(query: str, text: str) -> None:
    world = SearchWorld()
    world.add("a.md", f"# A\n\n{text}\n")
    world.add("b.md", "# B\n\nvec drain path join 3 14 1\n")
    page = world.search(query)
    assert _paths(page)[0] == "a.md"
    assert page.exact_sections == 1


def test_parts_of_an_identifier_are_found_too_s2() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nThe function `apply_secrets` does it.\n")
    world.add("b.md", "# B\n\nnothing of it\n")
    assert _paths(world.search("secrets", mode=SearchMode.KEYWORD)) == ["a.md"]


@pytest.mark.parametrize(
    "query",
    ['"--error-on-warnings"', "what? a/b; c#", '"', "(", "*", "a AND (", "x' OR 1=1", "NEAR(a b)", "\\", "%"],
)
def test_nothing_a_user_types_is_an_error_s4(query: str) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nUse --error-on-warnings with a/b in C# now.\n")
    page = world.search(query)
    assert isinstance(page, Page)
    if query.startswith('"--'):
        assert _paths(page) == ["a.md"]


def test_a_why_question_finds_although_most_of_its_words_are_missing_s6() -> None:
    world = SearchWorld()
    world.add("a.md", "# Bot\n\nThe bot stops replying after a network change.\n")
    world.add("b.md", "# Why\n\nThis is why it is not what it was.\n")
    page = world.search("why is X not replying", mode=SearchMode.KEYWORD)
    assert _paths(page) == ["a.md"]


def test_a_small_root_is_not_crowded_out_s7() -> None:
    world = SearchWorld()
    world.add(
        "big.md", "".join(f"# Cache {number}\n\ncache cache cache\n\n" for number in range(500)), root="big"
    )
    world.add("small.md", "# Notes\n\nthe cache is mentioned once among other things\n", root="small")
    snapshots = world.snapshots()
    page = world.search("cache", roots=("small",))
    assert set(snapshots) == {"big", "small"}
    assert _paths(page) == ["small.md"]


def test_more_of_the_question_scores_higher_s8() -> None:
    world = SearchWorld()
    world.add("one.md", "# A\n\nalpha and other things said here\n")
    world.add("two.md", "# B\n\nalpha beta and other things here\n")
    world.add("three.md", "# C\n\nalpha beta gamma and other things\n")
    for mode in (SearchMode.HYBRID, SearchMode.KEYWORD, SearchMode.SEMANTIC):
        page = world.search("alpha beta gamma", mode=mode)
        assert _paths(page) == ["three.md", "two.md", "one.md"]
        scores = [hit.score for hit in page.hits]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[1] > scores[2]


def test_equal_scores_stand_in_path_order_whatever_the_order_of_indexing() -> None:
    world = SearchWorld()
    for name in ("c.md", "a/z.md", "b.md", "a.md"):
        world.add(name, "# Same\n\nidentical words\n")
    assert _all_paths(world.search("identical")) == ["a/z.md", "a.md", "b.md", "c.md"]


def test_accents_need_not_be_typed_and_the_exact_form_ranks_higher_s14() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nla ocupacion del espacio\n")
    world.add("b.md", "# B\n\nla ocupación del espacio\n")
    assert set(_paths(world.search("ocupacion", mode=SearchMode.KEYWORD))) == {"a.md", "b.md"}
    assert _paths(world.search("ocupación", mode=SearchMode.KEYWORD)) == ["b.md", "a.md"]
    world.add("c.md", "# C\n\nthe Châtelier principle\n")
    assert _paths(world.search("chatelier"))[0] == "c.md"


@pytest.mark.parametrize("title", ["3.1.", "Cache", "What is it?", "onServerPrefetch()", "缓存"])
def test_the_exact_title_stands_on_top_s15(title: str) -> None:
    world = SearchWorld()
    words = f"{title} " * 30
    for number in range(30):
        world.add(f"{number:02}.md", f"# About {title} and more {number}\n\n{words}\n")
    world.add("z.md", f"# Zeta\n\n## {title}\n\nshort\n")
    for mode in (SearchMode.HYBRID, SearchMode.KEYWORD):
        assert _hits(world.search(title, mode=mode))[0] == ("z.md", f"Zeta > {title}")


def test_scripts_without_spaces_are_found() -> None:
    world = SearchWorld()
    world.add("a.md", "# 侦听器\n\n你可以手动停止一个侦听器。\n")
    world.add("b.md", "# 组件\n\n组件可以缓存。\n")
    assert _paths(world.search("停止侦听器", mode=SearchMode.KEYWORD))[0] == "a.md"


# --- what is left out -------------------------------------------------------------------------------------


def test_identifiers_that_nothing_contains_give_an_honest_empty_page() -> None:
    world = SearchWorld()
    world.add("a.md", "# Replication\n\nThe replication factor of helios. Enable tls. Max item errors.\n")
    for query in (
        "HELIOS_REPLICATION_FACTOR",
        "--enable-tls",
        "maxItemErrors",
        "`replication_factor`",
        "a_b c_d",
    ):
        page = world.search(query)
        assert page.hits == ()
        assert (page.keyword_match, page.exact_sections) == (KeywordMatch.NO_MATCH, 0)
        assert [near.path for near in page.near_misses] == ["a.md"]
        assert page.near_misses[0].excerpt is None
    assert _paths(world.search("factor of HELIOS_REPLICATION_FACTOR")) == ["a.md"]


def test_a_phrase_must_stand_in_the_section() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nthe exact\nPhrase is here\n")
    world.add("b.md", "# B\n\nexact and then a phrase, exact phrases in another order: phrase exact\n")
    assert _paths(world.search('"exact phrase is"')) == ["a.md"]
    page = world.search('"phrase of nobody"')
    assert page.hits == ()
    assert page.keyword_match is KeywordMatch.FILTERED


def test_a_phrase_may_be_marked_up_and_stand_in_any_part_of_a_section() -> None:
    world = SearchWorld()
    parts = "".join(f"exact words of phrase {number} " * 20 + "\n\n" for number in range(20))
    world.add("a.md", f"# A\n\n{parts}the **exact** `phrase` stands here\n")
    (hit,) = world.search('"exact phrase stands"').hits
    assert hit.part is not None
    assert hit.part > 1
    assert hit.excerpt is not None
    assert "**exact** `phrase` stands" in hit.excerpt.text


def test_excluded_words_and_phrases_leave_sections_out() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\ncache in redis\n")
    world.add("b.md", "# B\n\ncache in memory of the machine\n")
    world.add("c.md", "# C\n\ncache on disk\n")
    assert set(_paths(world.search("cache -redis"))) == {"b.md", "c.md"}
    assert _paths(world.search('cache -redis -"memory of"')) == ["c.md"]
    page = world.search("redis -cache")
    assert page.hits == ()
    assert page.keyword_match is KeywordMatch.FILTERED


def test_parts_of_one_section_do_not_fill_a_page() -> None:
    world = SearchWorld()
    world.add("long.md", "# Long\n\n## Cache\n\n" + ("cache " * 60 + "\n\n") * 60)
    world.add("other.md", "# Other\n\ncache\n")
    hits = _hits(world.search("cache"))
    assert sorted(hits) == [("long.md", "Long > Cache"), ("other.md", "Other")]


def test_a_heading_without_text_stands_below_what_has_some() -> None:
    world = SearchWorld()
    world.add("a.md", "# Cache settings\n\n## Other\n\nunrelated\n")
    world.add("b.md", "# Notes\n\nAbout the settings: the cache has its own.\n")
    hits = _hits(world.search("which cache settings", mode=SearchMode.KEYWORD))
    assert hits[-1] == ("a.md", "Cache settings")
    assert len(hits) == 3


@pytest.mark.parametrize("path", ["CHANGELOG.md", "changelogs/1.x.md", "docs/release-notes.md", "HISTORY.md"])
def test_release_notes_stand_behind_what_says_the_same(path: str) -> None:
    world = SearchWorld()
    world.add(path, "# A title\n\nsame words\n")
    world.add("z/history/changes/guide.md", "# Title\n\nsame words\n")
    assert _paths(world.search("same words", mode=SearchMode.SEMANTIC)) == [
        "z/history/changes/guide.md",
        path,
    ]


def test_equal_files_are_both_listed_s19() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nsame words\n")
    world.add("b.md", "# A\n\nsame words\n")
    assert _all_paths(world.search("same words")) == ["a.md", "b.md"]
    world.drop("a.md")
    assert _paths(world.search("same words")) == ["b.md"]


def test_copies_of_a_text_do_not_fill_a_page_and_are_all_named_where_there_is_room_s19() -> None:
    world = SearchWorld()
    same = "".join(f"same words here {number}\n" for number in range(12))
    for number in range(6):
        world.add(f"copy{number}.md", f"# Words\n\n{same}number {number}\n")
    world.add("other.md", "# Else\n\nsome words in another text\n")
    page = world.search("same words", limit=3, mode=SearchMode.KEYWORD)
    assert _paths(page) == ["copy0.md", "copy1.md", "other.md"]
    page = world.search("same words", limit=10, mode=SearchMode.KEYWORD)
    assert _paths(page) == [
        "copy0.md",
        "copy1.md",
        "other.md",
        *(f"copy{number}.md" for number in range(2, 6)),
    ]
    scores = [hit.score for hit in page.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_hit_says_what_lowered_it_and_explains_how_much() -> None:
    world = SearchWorld()
    world.add("a.md", "---\nstatus: superseded\n---\n# A plan\n\nthe plan for deploys\n")
    world.add("b.md", "# B plan\n\nthe plan for deploys and more\n")
    world.add("CHANGELOG.md", "# 1.0\n\nnow with a plan\n")
    page = world.search("plan", explain=True)
    assert {hit.path: hit.lowered_for for hit in page.hits} == {
        "a.md": ("status: superseded",),
        "b.md": (),
        "CHANGELOG.md": ("release notes",),
    }
    for hit in page.hits:
        amounts = {each.what: each.value for each in hit.contributions}
        assert all(amounts[what] < 0 for what in hit.lowered_for)
    asked_for = world.search("superseded plan")
    assert [hit.lowered_for for hit in asked_for.hits if hit.path == "a.md"] == [()]


def test_the_newer_of_two_leads_where_the_newest_is_asked_for() -> None:
    world = SearchWorld()
    world.add("a.md", "---\ndate: 2025-01-10\n---\n# Caching\n\ndecision on caching: none\n")
    world.add("b.md", "---\ndate: 2026-03-10\n---\n# Caching\n\ndecision on caching: some\n")
    world.add("c.md", "# Caching\n\ndecision on caching: undated\n")
    for mode in (SearchMode.HYBRID, SearchMode.KEYWORD):
        page = world.search("latest decision on caching", mode=mode, explain=True)
        assert _paths(page) == ["b.md", "c.md", "a.md"]
        old = page.hits[2]
        assert old.lowered_for == ("424 days older than the newest",)
        (amount,) = (each.value for each in old.contributions if each.what in old.lowered_for)
        assert amount == pytest.approx(-0.1 * 424 / 454)
        plain = world.search("decision on caching", mode=mode)
        assert _paths(plain) == ["a.md", "b.md", "c.md"]
        assert not any(hit.lowered_for for hit in plain.hits)


def test_a_superseded_document_stands_behind_what_says_the_same() -> None:
    world = SearchWorld()
    world.add("a.md", "---\nstatus: superseded\n---\n# A plan\n\nthe plan for deploys\n")
    world.add("b.md", "# Plan\n\nthe plan for deploys\n")
    assert _paths(world.search("plan for deploys")) == ["b.md", "a.md"]


# --- honesty ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.SEMANTIC])
def test_without_a_model_words_answer_and_the_page_says_why_s16(mode: SearchMode) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n")
    world.model_error = "the model is still loading"
    page = world.search("alpha", mode=mode)
    assert _paths(page) == ["a.md"]
    assert (page.mode, page.degraded) == (SearchMode.KEYWORD, "the model is still loading")


def test_without_any_vector_words_answer_and_the_page_says_why_s16() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n", embed=False)
    page = world.search("alpha")
    assert (page.mode, page.degraded) == (SearchMode.KEYWORD, NOTHING_EMBEDDED)
    assert world.embedded_questions == []
    world.add("b.md", "# B\n\nalpha gamma\n")
    page = world.search("alpha")
    assert (page.mode, page.degraded) == (SearchMode.HYBRID, None)
    assert set(_paths(page)) == {"a.md", "b.md"}


def test_a_section_without_a_vector_is_not_buried_below_those_that_have_one() -> None:
    world = SearchWorld()
    world.add("new.md", "# New\n\nalpha beta gamma delta\n", embed=False)
    for number in range(5):
        world.add(f"old{number}.md", f"# Old\n\nalpha and unrelated words {number}\n")
    assert _paths(world.search("alpha beta gamma delta"))[0] == "new.md"


def test_keyword_mode_embeds_nothing_and_is_not_degraded() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n")
    page = world.search("alpha", mode=SearchMode.KEYWORD)
    assert (page.mode, page.degraded) == (SearchMode.KEYWORD, None)
    assert world.embedded_questions == []


def test_keyword_match_tells_what_became_of_the_words() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n")
    assert world.search("alpha").keyword_match is KeywordMatch.MATCHED
    assert world.search("omega psi").keyword_match is KeywordMatch.NO_MATCH
    assert world.search("omega", mode=SearchMode.KEYWORD).hits == ()


def test_exact_sections_counts_those_that_hold_every_term() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta\n\n# B\n\nalpha\n\n# C\n\nbeta and alphas\n\n# D\n\nnone\n")
    assert world.search("alpha beta").exact_sections == 2
    assert world.search("alpha").exact_sections == 3
    assert world.search("alpha omega").exact_sections == 0
    without = world.search("alpha -beta", mode=SearchMode.EXACT)
    assert without.exact_sections == len(without.hits) == 1


@pytest.mark.parametrize("query", ["", "   ", "a" * 1_000_000])
def test_blank_and_oversized_questions_are_refused_with_a_sentence_s20(query: str) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha\n")
    with pytest.raises(InvalidRequestError) as caught:
        world.search(query)
    assert str(caught.value)


@pytest.mark.parametrize("query", ["?!", "***", "👍"])
def test_a_question_without_a_letter_is_answered_empty_s20(query: str) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha\n")
    page = world.search(query)
    assert page.hits == ()
    assert page.keyword_match is KeywordMatch.NO_TERMS


def test_stop_words_alone_are_looked_for_s20() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nto be or not to be\n")
    assert _paths(world.search("to be or not to be")) == ["a.md"]


def test_nothing_indexed_is_an_empty_page() -> None:
    world = SearchWorld()
    page = world.search("alpha")
    assert page.hits == ()
    assert (page.keyword_match, page.degraded) == (KeywordMatch.NO_MATCH, None)


# --- freshness --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["edit", "delete", "unreadable", "replaced by a folder"])
def test_what_is_no_longer_on_disk_as_indexed_is_left_out_and_reported_c9(change: str) -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha beta gamma\n")
    world.add("b.md", "# B\n\nalpha\n")
    if change == "edit":
        world.files.write("/docs/a.md", "# A\n\nalpha beta omega\n")
    elif change == "unreadable":
        world.files.fail("/docs/a.md", 13)
    else:
        world.files.remove("/docs/a.md")
        if change == "replaced by a folder":
            world.files.make_folder("/docs/a.md")
    page = world.search("alpha beta gamma")
    assert _paths(page) == ["b.md"]
    assert page.stale == (StaleFile("docs", "a.md"),)


def test_a_touched_file_with_the_same_bytes_is_quoted() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nalpha\n")
    world.files.write("/docs/a.md", "# A\n\nalpha\n", mtime_ns=99)
    page = world.search("alpha")
    assert _paths(page) == ["a.md"]
    assert page.stale == ()


def test_each_file_of_a_page_is_read_once() -> None:
    world = SearchWorld()
    world.add("a.md", "".join(f"# H{number}\n\nalpha {number}\n\n" for number in range(5)))
    world.files.reads.clear()
    world.search("alpha")
    assert world.files.reads == ["/docs/a.md"]


# --- the page ---------------------------------------------------------------------------------------------


def test_the_first_hit_is_an_excerpt_and_the_others_are_pointers() -> None:
    world = SearchWorld()
    for number, name in enumerate(("a.md", "b.md", "c.md"), start=2):
        world.add(name, f"# Title\n\nalpha in {name} " + "and so on " * 20 * number + "\n")
    first, *others = world.search("alpha").hits
    assert first.excerpt is not None
    assert first.excerpt.lines == first.lines
    assert first.matched_passage is None
    for hit in others:
        assert hit.excerpt is None
        assert hit.matched_passage is not None
        assert hit.matched_passage.startswith("alpha in ")
        assert hit.matched_passage.endswith("…")
        assert len(hit.matched_passage) <= 4 * POINTER_TOKENS


def test_the_limit_is_kept() -> None:
    world = SearchWorld()
    for number in range(30):
        world.add(f"{number:02}.md", f"# T\n\nalpha {number}\n")
    assert len(world.search("alpha", limit=1).hits) == 1
    assert len(world.search("alpha", limit=25).hits) == 25


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.KEYWORD, SearchMode.SEMANTIC])
def test_the_excerpt_holds_what_answers_in_a_long_section_s18(mode: SearchMode) -> None:
    world = SearchWorld()
    paragraphs = [f"paragraph {number} says something unimportant about things\n\n" for number in range(40)]
    paragraphs[30] = "the retention period is ninety days\n\n"
    world.add("a.md", "x\n\n" * 440 + "# T\n\n" + "".join(paragraphs))
    (hit, *_) = world.search("retention period", mode=mode).hits
    assert hit.excerpt is not None
    assert "ninety days" in hit.excerpt.text
    assert hit.lines.first <= hit.excerpt.lines.first <= hit.excerpt.lines.last <= hit.lines.last
    data, _ = world.files.read("/docs/a.md", bytes_max=1 << 30)
    lines = data.decode().splitlines(keepends=True)
    assert "".join(lines[hit.excerpt.lines.first - 1 : hit.excerpt.lines.last]) == hit.excerpt.text
    assert len(hit.excerpt.text) / 4 <= PAGE_TOKENS


def test_an_excerpt_never_cuts_a_fence() -> None:
    world = SearchWorld()
    code = (
        "```python\n" + "".join(f"value_{number} = compute({number})\n" for number in range(40)) + "```\n\n"
    )
    world.add(
        "a.md",
        "# T\n\n" + ("prose without interest " * 20 + "\n\n") * 4 + code + ("prose " * 40 + "\n\n") * 4,
    )
    (hit,) = world.search("value_20").hits
    assert hit.excerpt is not None
    assert hit.excerpt.text.count("```") == 2


def test_an_excerpt_of_a_table_has_its_header() -> None:
    world = SearchWorld()
    rows = "".join(f"| name{number} | meaning of number {number} |\n" for number in range(30))
    prose = ("prose without interest " * 20 + "\n\n") * 4
    world.add("a.md", f"# T\n\n{prose}| Name | Meaning |\n| --- | --- |\n{rows}\n\n{prose}")
    (hit,) = world.search("name17").hits
    assert hit.excerpt is not None
    assert "| Name | Meaning |" in hit.excerpt.text
    assert "| name17 |" in hit.excerpt.text
