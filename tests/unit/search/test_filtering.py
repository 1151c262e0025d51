"""Filters as written: what they mean, and the sentence where they mean nothing."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import AmbiguousError, InvalidRequestError, NotFoundError, RefusedError
from mdmemd.model import SearchMode
from mdmemd.search.page import Filter, KeywordMatch

NFC, NFD = (unicodedata.normalize(form, "Möten") for form in ("NFC", "NFD"))


@pytest.fixture
def world() -> SearchWorld:
    world = SearchWorld()
    world.add("guides/deploy.md", "---\ntags: [Ops, ops/release]\nstatus: done\n---\n# Deploy\n\nShip it.\n")
    world.add("guides/undo.md", "---\nstatus: [draft, Done]\n---\n# Undo\n\nBack to [deploy](deploy.md).\n")
    world.add("notes/2026_06_16.md", "# Day\n\nSee [[deploy]] and [[Undo]]. #ops\n")
    world.add("notes/2026-06-16.md", "# Other day\n\nNothing.\n")
    world.add("top.md", "# Top\n\n[Guide](guides/deploy.md)\n")
    world.add(f"{NFD}/a.md", "# Meeting\n\nÄ\n")
    world.add(
        "m/1.md", "---\nid: 1\nnamespace: n\nversion: 1\n---\n# Fact\n\nShips float.\n", root="memories"
    )
    return world


@pytest.mark.parametrize(
    ("where", "paths"),
    [
        (Filter(groups=("guides",)), ["guides/deploy.md", "guides/undo.md"]),
        (Filter(groups=("guides/",)), ["guides/deploy.md", "guides/undo.md"]),
        (Filter(groups=(".",)), ["top.md"]),
        (Filter(groups=("guides", "m")), ["guides/deploy.md", "guides/undo.md", "memories:m/1.md"]),
        (Filter(tags=("OPS",)), ["guides/deploy.md", "notes/2026_06_16.md"]),
        (Filter(tags=("#ops/release",)), ["guides/deploy.md"]),
        (Filter(tags=("ops", "ops/release")), ["guides/deploy.md"]),
        (Filter(properties=("status=done",)), ["guides/deploy.md", "guides/undo.md"]),
        (Filter(properties=("status=draft", "Status = DONE")), ["guides/deploy.md", "guides/undo.md"]),
        (Filter(properties=("status=draft",)), ["guides/undo.md"]),
        (Filter(properties=("status", "namespace")), []),
        (Filter(kind="memory"), ["memories:m/1.md"]),
        (Filter(kind="Memory", groups=("guides",)), []),
        (Filter(paths=("notes/2026_06_16.md",)), ["notes/2026_06_16.md"]),
        (Filter(paths=("2026*",)), ["notes/2026-06-16.md", "notes/2026_06_16.md"]),
        (Filter(paths=("guides/*o.md", "top.md")), ["guides/undo.md", "top.md"]),
        (Filter(paths=(NFC,)), [f"{NFD}/a.md"]),
        (Filter(paths=(f"{NFD}/",)), [f"{NFD}/a.md"]),
        (Filter(groups=(NFC,)), [f"{NFD}/a.md"]),
        (Filter(paths=("/memories/m",)), ["memories:m/1.md"]),
        (Filter(paths=("/docs/guides/u*",)), ["guides/undo.md"]),
        (Filter(paths=("/docs",), kind="memory"), []),
        (Filter(links_to="guides/deploy.md"), ["guides/undo.md", "notes/2026_06_16.md", "top.md"]),
        (Filter(links_to="/docs/guides/undo.md"), ["notes/2026_06_16.md"]),
        (Filter(linked_from="2026_06_16.md"), ["guides/deploy.md", "guides/undo.md"]),
        (Filter(linked_from="notes/2026-06-16.md"), []),
        (Filter(links_to="guides/deploy.md", linked_from="top.md"), []),
    ],
)  # fmt: skip
def test_what_a_filter_lets_through_s11_s14(world: SearchWorld, where: Filter, paths: list[str]) -> None:
    assert world.listed(where) == paths


@pytest.mark.parametrize(
    ("where", "message", "nearest"),
    [
        (Filter(tags=("opps",)), "the tag 'opps'", "ops"),
        (Filter(groups=("guide",)), "no group 'guide'", "guides"),
        (Filter(groups=("guides/deploy.md",)), "no group", "guides"),
        (Filter(properties=("staus=done",)), "the property 'staus'", "status"),
        (Filter(properties=("status=dome",)), "status=dome", "done"),
        (Filter(paths=("guide",)), "'guide' fits no document", "guides"),
        (Filter(paths=("notes/2026%06%16.md",)), "fits no document", "notes/2026_06_16.md"),
        (Filter(paths=("*.rst",)), "fits no document", ""),
        (Filter(links_to="guides/deplo.md"), "'guides/deplo.md'", "guides/deploy.md"),
        (Filter(linked_from="absent.md"), "'absent.md'", ""),
    ],
)
def test_a_name_that_does_not_exist_is_an_error_with_the_nearest(
    world: SearchWorld, where: Filter, message: str, nearest: str
) -> None:
    with pytest.raises(NotFoundError) as raised:
        world.listed(where)
    assert message in str(raised.value)
    assert raised.value.remedy
    assert not nearest or nearest in raised.value.candidates


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (Filter(since="soon"), "since"),
        (Filter(before="2026-02-30"), "before"),
        (Filter(since="2026-02-02", before="2026-02-02"), "Nothing is dated"),
        (Filter(kind="note"), "no kind 'note'"),
        (Filter(properties=("=done",)), "names no property"),
        (Filter(paths=("../x",)), "leaves its root"),
        (Filter(links_to="a\0b"), "NUL"),
    ],
)
def test_what_cannot_be_meant_is_an_error(world: SearchWorld, where: Filter, message: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        world.listed(where)
    assert message in str(raised.value)
    assert raised.value.remedy


def test_paths_outside_the_roots_and_documents_of_one_name(world: SearchWorld) -> None:
    with pytest.raises(RefusedError):
        world.listed(Filter(paths=("/etc",)))
    world.add("old/deploy.md", "# Old\n\ntext\n")
    with pytest.raises(AmbiguousError) as raised:
        world.listed(Filter(links_to="deploy.md"))
    assert "/docs/old/deploy.md" in raised.value.candidates


def test_links_of_two_roots_have_nothing_in_common(world: SearchWorld) -> None:
    world.add("m/2.md", "# Two\n\nSee [one](1.md).\n", root="memories")
    assert world.listed(Filter(linked_from="m/2.md")) == ["memories:m/1.md"]
    assert world.listed(Filter(links_to="guides/deploy.md", linked_from="m/2.md")) == []
    assert world.listed(Filter(links_to="m/1.md", linked_from="top.md")) == []


def test_a_glob_fits_an_empty_document_too(world: SearchWorld) -> None:
    world.add("blank.md", "")
    assert world.listed(Filter(paths=("blan?.md",))) == ["blank.md"]


def test_a_deleted_document_is_known_no_more(world: SearchWorld) -> None:
    world.drop("guides/undo.md")
    with pytest.raises(NotFoundError):
        world.listed(Filter(properties=("status=draft",)))


def test_dates_are_those_of_the_document_else_of_its_file() -> None:
    world = SearchWorld()
    world.add("old.md", "---\ndate: 2020-01-01\n---\n# Old\n\ntext\n")
    world.add("2024-05-06 note.md", "# Note\n\ntext\n")
    world.add("plain.md", "# Plain\n\ntext\n")
    assert world.document("plain.md").fingerprint.mtime_ns / 1e9 < world.clock.time()  # both in January 1970
    assert world.listed(Filter(before="today")) == ["plain.md"]
    assert world.listed(Filter(since="today")) == ["2024-05-06 note.md", "old.md"]
    assert world.listed(Filter(since="2019", before="2024-05-06")) == ["old.md"]
    assert world.listed(Filter(since="2024-05-06")) == ["2024-05-06 note.md"]


# --- in a question ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", SearchMode)
def test_a_small_folder_is_not_crowded_out_s7(mode: SearchMode) -> None:
    world = SearchWorld()
    many = "".join(f"# H{number}\n\nalpha beta gamma\n\n" for number in range(400))
    for number in range(4):
        world.add(f"large/{number}.md", many)
    few = "".join(f"# Few {number}\n\nalpha and other words {number}\n\n" for number in range(5))
    world.add("small/few.md", few)
    world.add("few.md", few, root="other")
    for page in (
        world.search("alpha words", mode=mode, limit=10, where=Filter(groups=("small",))),
        world.search("alpha words", mode=mode, limit=10, roots=("other",)),
    ):
        assert len(page.hits) == 5
        assert {hit.path.split("/")[-1] for hit in page.hits} == {"few.md"}


def test_a_page_says_how_much_was_searched_and_where_the_words_are(world: SearchWorld) -> None:
    page = world.search("ship", where=Filter(groups=("guides",)))
    assert (page.filtered_sections, page.keyword_match) == (2, KeywordMatch.MATCHED)
    assert page.hits[0].path == "guides/deploy.md"
    assert page.hits[0].kind == "document"
    elsewhere = world.search("ship", mode=SearchMode.KEYWORD, where=Filter(groups=("notes",)))
    assert (elsewhere.hits, elsewhere.filtered_sections) == ((), 2)
    assert elsewhere.keyword_match is KeywordMatch.FILTERED
    assert elsewhere.exact_sections == 0
    nowhere = world.search("zebra", mode=SearchMode.KEYWORD, where=Filter(groups=("notes",)))
    assert nowhere.keyword_match is KeywordMatch.NO_MATCH
    assert world.search("ship").filtered_sections is None
    assert world.search("the", where=Filter(kind="memory")).filtered_sections == 1
    (memory,) = world.search("ships float", where=Filter(kind="memory")).hits
    assert memory.kind == "memory"


def test_an_identifier_outside_the_filter_gets_an_honest_empty_page(world: SearchWorld) -> None:
    world.add("guides/env.md", "# Env\n\nSet `SHIP_TOKEN`.\n")
    page = world.search("SHIP_TOKEN", where=Filter(groups=("notes",)))
    assert (page.hits, page.keyword_match) == ((), KeywordMatch.FILTERED)
    assert (
        world.search("NO_SUCH_TOKEN", where=Filter(groups=("notes",))).keyword_match is KeywordMatch.NO_MATCH
    )


def test_two_equal_files_are_both_there_and_one_stays_s19(world: SearchWorld) -> None:
    text = "---\ntags: [twin]\n---\n# Twin\n\nSame words.\n"
    world.add("a/t.md", text)
    world.add("b/t.md", text)
    where = Filter(tags=("twin",))
    assert world.listed(where) == ["a/t.md", "b/t.md"]
    world.drop("a/t.md")
    assert world.listed(where) == ["b/t.md"]
    assert [hit.path for hit in world.search("same words", where=where).hits] == ["b/t.md"]


def test_a_filter_with_nothing_in_it_is_none(world: SearchWorld) -> None:
    assert world.resolved(replace(Filter(kind="memory"), kind=""), world.snapshots()) == {}
