"""A look-up leads to where the name is explained."""

from __future__ import annotations

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.definition_start import begins_with


@pytest.mark.parametrize(
    "text",
    [
        "--locked Assert that the lock file is used.",
        "- `--locked`: assert that",
        "* **--locked** asserts",
        "  1. [`--locked`](options.md) asserts",
        "| `--locked` | asserts |",
        "> `--LOCKED`",
        "- [ ] --locked",
        '<dt class="term" id="option---locked"><a href="#option---locked"><code>--locked</code></a></dt>',
    ],
)
def test_marks_before_the_name_do_not_count(text: str) -> None:
    assert begins_with(text, ["--locked"])


@pytest.mark.parametrize("text", ["use --locked", "--locked-in", "--lockedx", "-locked", "", "```", "locked"])
def test_a_mention_is_no_explanation(text: str) -> None:
    assert not begins_with(text, ["--locked"])


def _world() -> SearchWorld:
    world = SearchWorld()
    world.add("a.md", "# Tips\n\nBuilds with --locked.\n")
    world.add(
        "b.md", "# Options\n\nOther words stand here too.\n\n- `--locked`: assert that the file is used\n"
    )
    return world


def test_the_explanation_leads_where_a_mention_has_more_words() -> None:
    world = _world()
    found = world.search("--locked", explain=True).hits
    assert [hit.path for hit in found] == ["b.md", "a.md"]
    assert found[0].score > found[1].score
    assert "explains what is looked up" in [each.what for each in found[0].contributions]
    assert "explains what is looked up" not in [each.what for each in found[1].contributions]


def test_a_question_with_words_is_no_look_up() -> None:
    world = _world()
    found = world.search("builds --locked", explain=True).hits
    whats = [each.what for hit in found for each in hit.contributions]
    assert len(found) == 2
    assert "explains what is looked up" not in whats


def test_a_heading_that_names_it_explains_it_as_well() -> None:
    world = SearchWorld()
    world.add("a.md", "# uv_link_mode\n\nHow files are put into an environment.\n")
    world.add("b.md", "# Other\n\n- `uv_link_mode` uv_link_mode: see there\n")
    hits = world.search("uv_link_mode", explain=True).hits
    assert all("explains what is looked up" in [each.what for each in hit.contributions] for hit in hits)


def test_a_file_that_changed_since_explains_nothing() -> None:
    world = _world()
    world.files.write("/docs/b.md", "# Options\n\nNow something else.\n")
    page = world.search("--locked")
    assert [hit.path for hit in page.hits] == ["a.md"]
    assert [stale.path for stale in page.stale] == ["b.md"]


def test_the_excerpt_quotes_the_explanation() -> None:
    world = SearchWorld()
    mentions = "".join(f"Builds use --locked {number}\n\n" for number in range(60))
    world.add("a.md", f"# Options\n\n{mentions}- --locked: assert that it is used\n\n{mentions}")
    hit = world.search("--locked").hits[0]
    assert hit.excerpt is not None
    assert "assert that it is used" in hit.excerpt.text
