"""What stands beside a pointer: the best passages as one line, within its tokens."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.search.pointer_text import GAP, clipped, pointer_text
from mdmemd.text.token_estimate import estimate_tokens

FILLER = "Nothing of interest stands in this sentence."


def _pointer(text: str, question: str, *, tokens_max: int, cosines: Sequence[float] = ()) -> str | None:
    world = SearchWorld()
    world.add("a.md", text)
    found, source = world.quotable("a.md", question, cosines={0: cosines})
    return pointer_text(found, source=source, tokens_max=tokens_max)


def test_a_short_section_is_all_of_it_without_its_heading() -> None:
    assert _pointer("# A\n\none\ntwo\n\nthree\n", "two", tokens_max=20) == "one two three"


def test_a_heading_alone_has_nothing_to_say() -> None:
    assert _pointer("# A\n", "a", tokens_max=20) is None


def test_the_best_passages_come_in_their_order_with_marks_for_what_was_left_out() -> None:
    text = f"# A\n\nalpha one\n\n{FILLER}\n\n{FILLER}\n\nalpha beta\n"
    assert _pointer(text, "alpha beta", tokens_max=8) == f"alpha one {GAP} alpha beta"


def test_what_a_passage_announces_comes_with_it() -> None:
    text = f"# A\n\n{FILLER}\n\nTo see alpha run:\n\n```sh\nshow it\n```\n\nalpha is nice\n"
    assert _pointer(text, "see alpha", tokens_max=9) == "To see alpha run: show it"


def test_fences_and_marks_of_admonitions_are_no_text() -> None:
    code = "~~~~python title=x\n```\nalpha()\n```\n~~~~\n"
    assert _pointer(f"# A\n\n{code}", "alpha", tokens_max=20) == "alpha()"
    assert _pointer("# A\n\n- one\n\n  ```sh\n  two\n  ```\n", "one", tokens_max=20) == "- one two"
    noted = '!!! note\n\n    alpha\n\n=== "Linux"\n\n    beta\n\n!!! tip "Gamma"\n    delta\n'
    assert _pointer(f"# A\n\n{noted}", "alpha", tokens_max=20) == "alpha Linux: beta Gamma: delta"


def test_of_a_passage_that_is_too_long_the_sentences_that_answer_are_shown() -> None:
    text = f"# A\n\n{FILLER} {FILLER} The alpha is in here. {FILLER}\n"
    assert _pointer(text, "alpha", tokens_max=8) == f"{GAP} The alpha is in here. {GAP}"
    wide = "# A\n\n" + "这里没有答案。" * 6 + "阿尔法在这里。" + "这里没有答案。" * 6 + "\n"
    assert _pointer(wide, "阿尔法", tokens_max=9) == f"{GAP} 阿尔法在这里。 {GAP}"


def test_the_tags_of_an_html_block_take_no_room() -> None:
    term = '<dt class="term" id="x"><a class="anchor" href="#x"><code>--dry</code></a></dt>'
    text = f"# A\n\n<dl>\n{term}\n<dd>Only look</dd>\n</dl>\n"
    assert _pointer(text, "dry", tokens_max=12) == "--dry Only look"
    assert _pointer("# A\n\nuse `Option<T>` here\n", "option", tokens_max=12) == "use `Option<T>` here"


@pytest.mark.parametrize("tokens_max", [1, 5, 12, 40, 100])
def test_it_keeps_its_tokens(tokens_max: int) -> None:
    text = "# A\n\n" + "".join(f"alpha {number} {FILLER} {FILLER}\n\n" for number in range(9))
    found = _pointer(text, "alpha 3", tokens_max=tokens_max)
    assert found
    assert estimate_tokens(found) <= tokens_max + 2


def test_a_long_text_is_cut_at_a_word() -> None:
    cut = clipped("word " * 40, tokens_max=25)
    assert cut == ("word " * 20).strip() + GAP


@pytest.mark.parametrize(
    "text", ["文" * 300, "e\u0301" * 200, "x" * 300, "👨‍👩‍👧" * 60, "a" * 49 + " " + "b" * 300]
)
def test_a_text_without_spaces_is_cut_between_characters(text: str) -> None:
    cut = clipped(text, tokens_max=25)
    assert cut.endswith(GAP)
    assert 10 <= len(cut) <= 100
    assert text.startswith(cut[:-1])
    assert not text[len(cut) - 1 :].startswith(("\u0301", "\u200d"))
    assert not cut[:-1].endswith("\u200d")


def test_a_text_without_spaces_is_not_cut_within_a_character_p14() -> None:
    flag = "\U0001f1e9\U0001f1ea"
    for tokens_max in range(4, 12):
        assert not clipped(flag * 40, tokens_max=tokens_max).removesuffix(GAP).replace(flag, "")
