"""Which lines are quoted: whole blocks around the match, within the budget."""

from __future__ import annotations

import pytest

from mdmemd.index.snapshot import PassageRecord, SectionRecord
from mdmemd.model import LineRange, PassageKind
from mdmemd.search.excerpt import EXCERPT_TOKENS_MAX, POINTER_CHARS_MAX, excerpt_lines, pointer_text

TOKENS_A_LINE = 20


def _section(lines: int, *, first: int = 1) -> SectionRecord:
    return SectionRecord(("Title",), 1, None, LineRange(first, first + lines - 1), lines * TOKENS_A_LINE, "")


def _passages(*blocks: tuple[int, int]) -> tuple[PassageRecord, ...]:
    return tuple(
        PassageRecord(LineRange(*block), LineRange(*block), PassageKind.PARAGRAPH) for block in blocks
    )


def _choose(section: SectionRecord, passages: tuple[PassageRecord, ...], anchor: int) -> tuple[int, int]:
    def tokens(lines: LineRange) -> int:
        return TOKENS_A_LINE * (lines.last - lines.first + 1)

    return excerpt_lines(section, passages, anchor=anchor, tokens=tokens)


def test_a_small_section_is_quoted_whole() -> None:
    assert _choose(_section(15), _passages((3, 5), (7, 9)), 1) == (1, 15)


def test_a_section_without_passages_is_quoted_whole() -> None:
    assert _choose(_section(200), (), 0) == (1, 200)


def test_the_block_that_matched_comes_with_one_before_and_three_after() -> None:
    blocks = [(line, line) for line in range(3, 100, 2)]
    assert _choose(_section(100), _passages(*blocks), 20) == (41, 49)


def test_neighbours_stay_out_where_they_would_break_the_budget() -> None:
    section = _section(60)
    assert _choose(section, _passages((3, 20), (22, 30), (32, 60)), 1) == (22, 30)


def test_a_block_larger_than_the_budget_stays_whole() -> None:
    section = _section(100)
    assert 40 * TOKENS_A_LINE > EXCERPT_TOKENS_MAX
    assert _choose(section, _passages((3, 10), (12, 51), (53, 99)), 1) == (12, 51)


def test_the_heading_comes_with_the_first_block() -> None:
    assert _choose(_section(100, first=11), _passages((13, 16), (18, 60), (62, 110)), 0) == (11, 16)


def test_the_rows_of_a_table_are_one_block_with_its_header() -> None:
    table = LineRange(20, 26)
    rows = tuple(PassageRecord(LineRange(line, line), table, PassageKind.TABLE_ROW) for line in range(22, 27))
    passages = (*_passages((3, 18)), *rows, *_passages((28, 60)))
    assert _choose(_section(60), passages, 4) == (20, 26)


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
