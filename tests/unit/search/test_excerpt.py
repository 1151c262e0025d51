"""Which lines are quoted: the blocks that answer, with neighbours, within the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.excerpt import POINTER_CHARS_MAX, choose_excerpt, pointer_text
from mdmemd.search.matched_passage import passage_scores
from mdmemd.search.page import Excerpt
from mdmemd.search.query import parse_query
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

PROSE = "prose without any interest " * 8 + "\n\n"


def _excerpt(text: str, question: str, *, tokens_max: int, cosines: Sequence[float] = ()) -> Excerpt:
    world = SearchWorld()
    world.add("a.md", text)
    document = world.document("a.md")
    source = SourceText.decode(text.encode())
    concepts = parse_query(question).concepts
    passages = document.passages(0)
    scores = passage_scores(source, passages, concepts=concepts, idf=[1.0] * len(concepts), cosines=cosines)
    return choose_excerpt(document.sections[0], passages, scores, source=source, tokens_max=tokens_max)


def test_a_small_section_is_quoted_whole() -> None:
    text = "# A\n\nalpha\n\nbeta\n"
    assert _excerpt(text, "alpha", tokens_max=20).text == text


def test_neighbours_come_while_the_budget_lasts_and_the_excerpt_is_the_files_own_lines() -> None:
    paragraphs = [f"paragraph {number} about nothing\n\n" for number in range(40)]
    paragraphs[20] = "here is alpha\n\n"
    text = "# A\n\n" + "".join(paragraphs)
    for tokens_max in (10, 40, 90):
        found = _excerpt(text, "alpha", tokens_max=tokens_max)
        assert "here is alpha" in found.text
        assert found.text == "".join(text.splitlines(keepends=True)[found.lines.first - 1 : found.lines.last])
        assert tokens_max - 10 <= estimate_tokens(found.text) <= tokens_max
        assert found.cut is None


def test_the_heading_comes_with_the_first_block() -> None:
    assert _excerpt("# A\n\nalpha\n\n" + PROSE * 9, "alpha", tokens_max=20).text == "# A\n\nalpha\n"


def test_two_blocks_that_answer_are_quoted_together_where_the_budget_has_room_between() -> None:
    text = "# A\n\n" + PROSE * 3 + "alpha here\n\n" + "gap\n\n" * 4 + "beta there\n\n" + PROSE * 3
    found = _excerpt(text, "alpha beta", tokens_max=40)
    assert "alpha here" in found.text
    assert "beta there" in found.text


def test_the_list_is_quoted_that_a_line_with_a_colon_announces() -> None:
    items = "".join(f"- choice {number}\n" for number in range(8))
    text = f"# A\n\n{PROSE}Which alpha options exist:\n\n{items}\n{PROSE}alpha is popular\n\n{PROSE}"
    found = _excerpt(text, "which alpha options exist", tokens_max=60)
    assert "choice 0" in found.text
    assert "choice 7" in found.text


def test_of_a_list_too_large_for_the_budget_whole_items_are_quoted_and_that_is_said() -> None:
    items = "".join(f"- choice {number} {'word ' * 10}\n" for number in range(30))
    found = _excerpt(f"# A\n\nThe alpha options:\n\n{items}", "alpha choice 17", tokens_max=100)
    assert "- choice 17 " in found.text
    assert found.text.startswith("- choice")
    assert found.text.endswith("word \n")
    assert estimate_tokens(found.text) <= 100
    assert found.cut == f"lines {found.lines.first}-{found.lines.last} of a list at lines 5-34"


def test_rows_of_a_large_table_stand_under_its_header() -> None:
    rows = "".join(f"| name{number} | meaning of number {number} |\n" for number in range(60))
    found = _excerpt(f"# A\n\n| Name | Meaning |\n| :-- | --- |\n{rows}", "name47", tokens_max=80)
    assert found.text.startswith("| Name | Meaning |\n| :-- | --- |\n| name")
    assert "| name47 |" in found.text
    assert estimate_tokens(found.text) <= 80
    assert found.lines.first <= 5 + 47 <= found.lines.last
    assert found.cut is not None
    assert found.cut.endswith("of a table at lines 3-64, under its header")


def test_a_fence_is_whole_or_cut_at_lines_and_that_is_said() -> None:
    code = "".join(f"value_{number} = compute({number})\n" for number in range(60))
    text = f"# A\n\n{PROSE}```python\n{code}```\n"
    whole = _excerpt(text, "value_20", tokens_max=420)
    assert whole.text.count("```") == 2
    assert whole.cut is None
    found = _excerpt(text, "value_20", tokens_max=200)
    assert found.cut is not None
    assert "of a code block at lines 5-66" in found.cut
    assert "value_20 = compute(20)\n" in found.text
    assert found.text == "".join(text.splitlines(keepends=True)[found.lines.first - 1 : found.lines.last])


def test_a_line_beyond_any_budget_is_cut_and_that_is_said() -> None:
    found = _excerpt("# A\n\n" + "alpha " * 400 + "\n", "alpha", tokens_max=50)
    assert found.cut == "the beginning of line 3, which is too long"
    assert estimate_tokens(found.text) <= 50


def test_a_block_that_the_next_part_of_the_section_shares_is_not_called_whole() -> None:
    code = "".join(f"value_{number} = compute({number})\n" for number in range(400))
    found = _excerpt(f"# A\n\n```python\n{code}```\n", "value_3", tokens_max=5000)
    assert found.cut is not None
    assert found.cut.endswith("of a code block at lines 3-404")


def test_meaning_chooses_the_block_where_words_do_not() -> None:
    text = "# A\n\n" + PROSE * 3 + "the one\n\n" + PROSE * 3
    cosines = [0.1, math.nan, 0.1, 0.6, 0.1, 0.1, 0.1]
    assert "the one" in _excerpt(text, "omega", tokens_max=12, cosines=cosines).text


def test_a_short_passage_is_its_own_pointer() -> None:
    assert pointer_text("  one\n two\tthree ") == "one two three"


def test_a_long_passage_is_cut_at_a_word() -> None:
    cut = pointer_text("word " * 40)
    assert cut == ("word " * 20).strip() + "…"
    assert len(cut) <= POINTER_CHARS_MAX


@pytest.mark.parametrize(
    "text", ["文" * 300, "e\u0301" * 200, "x" * 300, "👨‍👩‍👧" * 60, "a" * 49 + " " + "b" * 300]
)
def test_a_passage_without_spaces_is_cut_between_characters(text: str) -> None:
    cut = pointer_text(text)
    assert cut.endswith("…")
    assert POINTER_CHARS_MAX // 2 < len(cut) <= POINTER_CHARS_MAX
    assert text.startswith(cut[:-1])
    assert not text[len(cut) - 1 :].startswith(("\u0301", "\u200d"))
    assert not cut[:-1].endswith("\u200d")
