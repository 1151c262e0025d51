"""What somebody who mistyped may have meant."""

from __future__ import annotations

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.model import SearchMode
from mdmemd.search import respelling
from mdmemd.search.page import Filter, KeywordMatch


@pytest.fixture
def world() -> SearchWorld:
    found = SearchWorld()
    found.add(
        "settings.md",
        """
        # Settings

        Set `UV_LINK_MODE` to copy, or pass --no-build-isolation. Caching of Café versions: 1.0.21.

        # Secrets

        Call apply_secrets() and onRenderTriggered in python311; many installations do.
        """,
    )
    found.add("notes/other.md", "# Other\n\nAn environment; policies.\n")
    return found


def meant(world: SearchWorld, question: str, where: Filter | None = None) -> dict[str, tuple[str, ...]]:
    page = world.search(question, where=where or Filter())
    return {each.asked: each.written for each in page.did_you_mean}


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("UV_LINK_MOED", "UV_LINK_MODE"),
        ("uv_lnk_mode", "UV_LINK_MODE"),
        ("--no-buld-isolation", "--no-build-isolation"),
        ("--no-build-isolaton", "--no-build-isolation"),
        ("aply_secrets", "apply_secrets"),
        ("onRenderTrigered", "onRenderTriggered"),
        ("instalations", "installations"),
        ("enviroment", "environment"),
        ("polices", "policies"),
    ],
)
def test_a_mistyped_word_is_told_as_the_file_writes_it(world: SearchWorld, asked: str, written: str) -> None:
    assert meant(world, asked) == {asked: (written,)}


def test_a_mistyped_word_among_others_changes_nothing_of_the_answer(world: SearchWorld) -> None:
    page = world.search("set UV_LNK_MODE to copy", mode=SearchMode.KEYWORD)
    assert [each.asked for each in page.did_you_mean] == ["UV_LNK_MODE"]
    assert page.keyword_match is KeywordMatch.MATCHED
    unlike = world.search("set UV_ZZZZ_MODE to copy", mode=SearchMode.KEYWORD)
    assert unlike.did_you_mean == ()
    assert page.hits == unlike.hits


@pytest.mark.parametrize(
    "question",
    [
        "UV_LINK_MODE",
        "installation",
        "1.0.22",
        "python312",
        "cafes",
        "weather",
        "copi",
        "bopy",
        "版木",
        "kaching",
        "zzzzzz UV_ZZ",
    ],
)
def test_what_is_right_or_another_word_is_not_corrected(world: SearchWorld, question: str) -> None:
    """Known words, other numbers, far words, short words, pairs of characters, other first letters."""
    assert meant(world, question) == {}


def test_only_what_the_filter_lets_through_is_told(world: SearchWorld) -> None:
    notes = Filter(groups=("notes",))
    assert meant(world, "enviroment", notes) == {"enviroment": ("environment",)}
    assert meant(world, "UV_LINK_MOED", notes) == {}


def test_a_word_that_stands_only_in_a_heading_or_path_is_told() -> None:
    world = SearchWorld()
    world.add("deploymint.md", "# Orchestration\n\nText.\n\n## Below\n\nMore.\n")
    assert meant(world, "Orchestation") == {"Orchestation": ("Orchestration",)}
    assert meant(world, "deploymnt.md") == {"deploymnt.md": ("deploymint.md",)}


def test_words_of_equal_distance_are_told_in_the_order_of_their_frequency() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\nBUILD_DIRS\n\n# B\n\nBUILD_DIRX\n\n# C\n\nBUILD_DIRX\n")
    assert meant(world, "BUILD_DIR") == {"BUILD_DIR": ("BUILD_DIRX", "BUILD_DIRS")}


def test_a_second_page_does_not_tell_again() -> None:
    world = SearchWorld()
    for number in range(4):
        world.add(f"{number}.md", f"# N{number}\n\nconfiguration number {number}\n")
    first = world.search("number confguration", limit=2)
    assert [each.asked for each in first.did_you_mean] == ["confguration"]
    assert first.cursor is not None
    assert world.search("number confguration", limit=2, cursor=first.cursor).did_you_mean == ()


def test_a_changed_file_is_not_quoted(world: SearchWorld) -> None:
    world.files.write("/docs/settings.md", "# Settings\n\nUV_LINK_MOOD\n")
    page = world.search("UV_LINK_MOED", mode=SearchMode.KEYWORD)
    assert page.did_you_mean == ()
    assert [each.path for each in page.stale] == ["settings.md"]


def test_a_large_index_is_not_searched_for_every_word(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only for identifiers, and where nothing else was found."""
    monkeypatch.setattr(respelling, "TERMS_MAX", 1)
    assert meant(world, "enviroment and policies") == {}
    assert meant(world, "enviroment") == {"enviroment": ("environment",)}
    assert meant(world, "UV_LNK_MODE and policies") == {"UV_LNK_MODE": ("UV_LINK_MODE",)}
