"""What a hit may quote: its section, and of a long one the parts around."""

from __future__ import annotations

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.excerpt import choose_excerpt
from mdmemd.search.quotable import PARTS_EACH_SIDE

PARAGRAPH = "prose without any interest " * 20 + "\n\n"


def _world(paragraphs: int, *, answer_at: int) -> SearchWorld:
    text = [PARAGRAPH] * paragraphs
    text[answer_at] = "here is alpha\n\n"
    world = SearchWorld()
    world.add(
        "a.md", "# First\n\nalpha of another section\n\n# Long\n\n" + "".join(text) + "# Last\n\nalpha\n"
    )
    return world


def test_the_part_beside_the_one_found_may_answer() -> None:
    world = _world(10, answer_at=9)
    sections = world.document("a.md").sections
    assert [section.part for section in sections] == [None, 1, 2, None]
    found, source = world.quotable("a.md", "alpha", section=1)
    assert (found.lines.first, found.lines.last) == (sections[1].lines.first, sections[2].lines.last)
    assert "here is alpha" in choose_excerpt(found, source=source, tokens_max=60).text


def test_parts_far_away_and_other_sections_are_not_looked_at() -> None:
    world = _world(60, answer_at=59)
    sections = world.document("a.md").sections
    middle = 4
    found, _ = world.quotable("a.md", "alpha", section=middle)
    assert found.lines.first == sections[middle - PARTS_EACH_SIDE].lines.first
    assert found.lines.last == sections[middle + PARTS_EACH_SIDE].lines.last
    alone, _ = world.quotable("a.md", "alpha", section=0)
    assert alone.lines == sections[0].lines


def test_a_section_that_is_named_like_the_question_begins_with_what_it_is() -> None:
    world = SearchWorld()
    rest = "".join(f"alpha_beta() called {number} times, and {PARAGRAPH}" for number in range(4))
    world.add("a.md", f"# alpha_beta()\n\nThe mean of all.\n\n{rest}# Other\n\nThe mean of all.\n\n{rest}")
    for section, is_first in ((0, True), (1, False)):
        found, source = world.quotable("a.md", "alpha_beta()", section=section)
        assert (found.scores.best == 0) is is_first
        assert ("The mean of all." in choose_excerpt(found, source=source, tokens_max=20).text) is is_first


def test_parts_that_overlap_give_each_passage_once() -> None:
    world = SearchWorld()
    world.add("plain.md", "".join(f"line {number} of text\n\n" for number in range(120)))
    sections = world.document("plain.md").sections
    assert sections[1].lines.first < sections[0].lines.last
    found, _ = world.quotable("plain.md", "line", section=1)
    assert len(set(found.passages)) == len(found.passages)
    assert list(found.passages) == sorted(found.passages, key=lambda passage: passage.lines)
    assert len(found.scores.passages) == len(found.passages)
