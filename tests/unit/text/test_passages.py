"""Passages: one per paragraph, item, row, block; bounded, complete, with the right lines (P9, P10, P21)."""

from __future__ import annotations

import pytest

from mdmemd.model import ChunkMode, LineRange, ParsedDocument
from mdmemd.text.document import parse_document
from mdmemd.text.limits import ParseLimits


def parsed(text: str) -> ParsedDocument:
    return parse_document(text.encode(), path="x.md", chunk_mode=ChunkMode.HEADER)


def passages(text: str) -> list[tuple[str, str]]:
    return [(passage.kind.value, passage.text) for passage in parsed(text).passages]


def lines(text: str) -> list[tuple[LineRange, LineRange]]:
    return [(passage.lines, passage.block) for passage in parsed(text).passages]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# T\n\none\ntwo\n\nthree\n", [("paragraph", "one two"), ("paragraph", "three")]),
        ("- a\n- b\n  more\n\n  c\n", [("list_item", "a"), ("list_item", "b more c")]),
        ("1. a\n   - x\n   - y\n2. b\n", [("list_item", "a x y"), ("list_item", "b")]),
        ("- run\n\n  ```sh\n  make\n  ```\n", [("list_item", "run make")]),
        ("- |A|B|\n  |-|-|\n  |1|2|\n", [("list_item", "A: 1; B: 2")]),
        ("|A|B|\n|-|-|\n|1|2|\n|3|4|\n", [("table_row", "A: 1; B: 2"), ("table_row", "A: 3; B: 4")]),
        ("|A|B|\n|-|-|\n", [("table_row", "A; B")]),
        ("```py\na = 1\n\nb = 2\n```\n", [("code", "a = 1 b = 2")]),
        ("    a = 1\n\n    b = 2\n", [("code", "a = 1 b = 2")]),
        ("> one\n>\n> two\n", [("quote", "one"), ("quote", "two")]),
        ("> ```\n> code\n> ```\n", [("code", "code")]),
        ("> |A|B|\n> |-|-|\n> |1|2|\n", [("quote", "A: 1; B: 2")]),
        ("> - a\n> - b\n", [("list_item", "a"), ("list_item", "b")]),
        ("> [!note] Title\n> body\n", [("quote", "[!note] Title body")]),
        ("<div>\n<p>Hello</p>\n</div>\n", [("html", "Hello")]),
        ("<!-- nothing -->\n\n<br>\n", []),
        ("$$\na = b\n$$\n", [("other", "$$ a = b $$")]),
        ("text[^1]\n\n[^1]: word\n", [("paragraph", "text[^1]"), ("other", "[^1]: word")]),
        ("[r]: https://e.x 'x'\n", [("other", "[r]: https://e.x 'x'")]),
        ("Term\n: definition\n", [("paragraph", "Term : definition")]),
        ("# Only a heading\n\n---\n", []),
        ("- # heading in an item\n", [("list_item", "heading in an item")]),
        ("- [ ] task\n- [x]\n-\n", [("list_item", "[ ] task"), ("list_item", "[x]")]),
        ("a\n***\nb\n", [("paragraph", "a"), ("paragraph", "b")]),
    ],
)
def test_one_passage_each(text: str, expected: list[tuple[str, str]]) -> None:
    assert passages(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# T\n\none\ntwo\n", [((3, 4), (3, 4))]),
        ("- a\n- b\n  more\n\n\nx\n", [((1, 1), (1, 3)), ((2, 3), (1, 3)), ((6, 6), (6, 6))]),
        ("|A|\n|-|\n|1|\n|2|\n\n", [((3, 3), (1, 4)), ((4, 4), (1, 4))]),
        ("```\na\n```\n\n", [((1, 3), (1, 3))]),
        ("> a\n>\n> b\n", [((1, 1), (1, 3)), ((3, 3), (1, 3))]),
        ("---\nt: x\n---\nbody\n", [((4, 4), (4, 4))]),
        ("\n\n\nbody\n", [((4, 4), (4, 4))]),
    ],
)
def test_lines_of_the_passage_and_of_its_block(
    text: str, expected: list[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    assert lines(text) == expected


def test_each_passage_belongs_to_its_section() -> None:
    document = parsed("intro\n\n# A\n\na\n\n# B\n\n# C\n\nc\n")
    found = [(document.sections[passage.section].breadcrumb, passage.text) for passage in document.passages]
    assert found == [("", "intro"), ("A", "a"), ("C", "c")]


def test_a_window_of_a_long_paragraph_has_its_own_lines() -> None:
    """P21: the line of the sentence, not of the paragraph's start."""
    sentences = [f"Sentence number {number} says something of its own here." for number in range(100)]
    document = parsed("# T\n\n" + "\n".join(sentences) + "\n")
    assert len(document.passages) > 5
    assert " ".join(passage.text for passage in document.passages) == " ".join(sentences)
    for passage in document.passages:
        first = int(passage.text.split()[2])
        assert passage.lines.first == 3 + first
        assert passage.text.endswith(".")


def test_a_long_code_block_is_cut_between_lines() -> None:
    code = [f"value_{number} = compute({number})" for number in range(60)]
    document = parsed("```py\n" + "\n".join(code) + "\n```\n")
    assert " ".join(passage.text for passage in document.passages) == " ".join(code)
    assert all(passage.text.endswith(")") for passage in document.passages)
    assert (document.passages[0].lines.first, document.passages[-1].lines.last) == (1, 62)


def test_a_huge_table_cell_is_bounded() -> None:
    """P9: a cell of 21,000 characters."""
    document = parsed("|A|B|\n|-|-|\n|" + "word " * 4_200 + "|x|\n")
    assert max(len(passage.text) for passage in document.passages) <= 600
    assert " ".join(passage.text for passage in document.passages).count("word") == 4_200


@pytest.mark.parametrize("text", ["word " * 20_000, "a" * 100_000, "漢" * 30_000])
def test_one_giant_line_is_cut_without_loss(text: str) -> None:
    """P10."""
    document = parsed(text)
    assert max(len(passage.text) for passage in document.passages) <= 600
    assert max(section.tokens for section in document.sections) <= 800
    joined = "".join(passage.text for passage in document.passages)
    assert joined.replace(" ", "") == text.replace(" ", "")
    assert {passage.lines for passage in document.passages} == {LineRange(1, 1)}


def test_a_table_over_several_parts_keeps_its_header_in_every_row() -> None:
    rows = [f"| name {number} | value {number} |" for number in range(400)]
    document = parsed("# T\n\n| Name | Value |\n|--|--|\n" + "\n".join(rows) + "\n")
    assert len(document.sections) > 1
    expected = [f"Name: name {number}; Value: value {number}" for number in range(400)]
    assert [passage.text for passage in document.passages] == expected
    for passage in document.passages:
        section = document.sections[passage.section]
        assert section.lines.first <= passage.lines.first <= section.lines.last


def test_a_block_that_a_part_boundary_cuts_gives_passages_on_both_sides() -> None:
    lines_of_code = [f"line {number}" for number in range(30)]
    limits = ParseLimits(section_tokens_max=12)
    text = "```\n" + "\n".join(lines_of_code) + "\n```\n"
    document = parse_document(text.encode(), path="x.md", chunk_mode=ChunkMode.HEADER, limits=limits)
    assert len({passage.section for passage in document.passages}) > 2
    assert " ".join(passage.text for passage in document.passages) == " ".join(lines_of_code)
