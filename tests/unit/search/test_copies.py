"""The third copy of a text is one too many."""

from __future__ import annotations

from mdmemd.search.copies import Copies

TEXT = "# Options\n\n" + "".join(f"option {number} does this\n" for number in range(20))


def surplus(*texts: str) -> list[bool]:
    copies = Copies()
    return [copies.is_surplus(text) for text in texts]


def test_two_of_a_text_may_stand_and_more_may_not() -> None:
    assert surplus(TEXT, TEXT, TEXT, "other words", TEXT) == [False, False, True, False, True]


def test_headings_white_space_and_a_line_may_differ() -> None:
    other = (
        TEXT.replace("# Options", "## More options").replace("\n", "  \r\n").replace("option 3 ", "option X ")
    )
    assert surplus(TEXT, other, TEXT) == [False, False, True]


def test_what_shares_half_its_lines_is_no_copy() -> None:
    half = "".join(f"option {number} does this\n" for number in range(10, 30))
    assert surplus(TEXT, half, half.replace("2", "X"), TEXT) == [False] * 4


def test_headings_alone_are_no_copies() -> None:
    assert surplus("# A\n", "# A\n", "# A\n") == [False] * 3
