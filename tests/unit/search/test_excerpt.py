"""Which lines are quoted: the blocks that answer, with neighbours, within the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.excerpt import GAP, choose_excerpt
from mdmemd.search.page import Excerpt
from mdmemd.text.token_estimate import estimate_tokens

PROSE = "prose without any interest " * 8 + "\n\n"


def _excerpt(
    text: str, question: str, *, tokens_max: int, cosines: Sequence[float] = (), is_sparing: bool = False
) -> Excerpt:
    world = SearchWorld()
    world.add("a.md", text)
    found, source = world.quotable("a.md", question, cosines={0: cosines})
    return choose_excerpt(found, source=source, tokens_max=tokens_max, is_sparing=is_sparing)


def _lines(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


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
        assert found.text == _lines(text, *found.lines)
        assert tokens_max - 10 <= estimate_tokens(found.text) <= tokens_max
        assert found.cut is None


def test_the_heading_comes_with_the_first_block() -> None:
    assert _excerpt("# A\n\nalpha\n\n" + PROSE * 9, "alpha", tokens_max=20).text == "# A\n\nalpha\n"


def test_two_blocks_that_answer_are_quoted_with_a_mark_for_what_stands_between() -> None:
    text = "# A\n\n" + PROSE * 3 + "alpha here\n\n" + PROSE * 4 + "beta there\n\n" + PROSE * 3
    found = _excerpt(text, "alpha beta", tokens_max=20)
    assert found.text == f"alpha here\n\n{GAP}\n\nbeta there\n"
    assert found.lines == (9, 19)
    assert found.cut == "lines 9, 19"
    together = _excerpt(text, "alpha beta", tokens_max=10_000)
    assert (together.text, together.cut) == (text, None)


def test_a_sparing_excerpt_leaves_out_what_hardly_answers() -> None:
    text = "# A\n\n" + PROSE * 8 + "alpha beta\n\n" + PROSE * 8
    plenty = _excerpt(text, "alpha beta", tokens_max=300)
    sparing = _excerpt(text, "alpha beta", tokens_max=300, is_sparing=True)
    assert "alpha beta" in sparing.text
    assert estimate_tokens(sparing.text) < 60 < estimate_tokens(plenty.text)
    short = "# A\n\nalpha beta\n\n" + PROSE * 3
    assert _excerpt(short, "alpha beta", tokens_max=300, is_sparing=True).text == short


def test_what_surrounds_a_good_block_is_quoted_before_what_stands_alone() -> None:
    near, far = "code of the near one", "code of the far one"
    text = f"# A\n\n{far}\n\n" + PROSE * 9 + f"alpha beta\n\n{near}\n\n" + PROSE * 9
    found = _excerpt(text, "alpha beta gamma", tokens_max=15)
    assert near in found.text
    assert far not in found.text


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
    assert found.text == _lines(text, *found.lines)
    assert _excerpt(text, "python value_0", tokens_max=12).text.startswith("value_0 = compute(0)\n")
    assert "```" not in _excerpt(text, "value_59", tokens_max=200).text


def test_a_fence_in_a_list_is_whole_or_not_begun() -> None:
    code = "".join(f"  value_{number} = compute({number})\n" for number in range(30))
    text = f"# A\n\n- alpha here\n\n  ```python\n{code}  ```\n\n- omega {'word ' * 200}\n"
    found = _excerpt(text, "alpha", tokens_max=100)
    assert found.text == "- alpha here\n\n"
    assert found.cut == "lines 3-4 of a list at lines 3-38"
    assert _excerpt(text, "alpha", tokens_max=300).text.endswith("value_29 = compute(29)\n  ```\n")


def test_the_marker_of_an_admonition_is_quoted_with_what_it_holds_or_not_at_all() -> None:
    text = f"# A\n\n{PROSE}!!! tip\n\n    about alpha\n\n{PROSE * 3}!!! note\n\n{PROSE * 9}"
    cosines = [0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.8, *[0.1] * 9]
    found = _excerpt(text, "alpha", tokens_max=16, cosines=cosines)
    assert found.text == "!!! tip\n\n    about alpha\n"


def test_a_line_beyond_any_budget_is_cut_and_that_is_said() -> None:
    found = _excerpt("# A\n\n" + "alpha " * 400 + "\n", "alpha", tokens_max=50)
    assert found.text.endswith("alpha ")
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
