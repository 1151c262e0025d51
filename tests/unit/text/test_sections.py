"""Sections, parts and windows."""

from __future__ import annotations

import pytest

from mdmemd.model import ChunkMode, ParsedDocument, Section
from mdmemd.text.document import parse_document
from mdmemd.text.limits import ParseLimits

Row = tuple[str, int, int, int]


def parsed(text: str, mode: ChunkMode = ChunkMode.HEADER, **limits: int) -> ParsedDocument:
    return parse_document(text.encode(), path="x.md", chunk_mode=mode, limits=ParseLimits(**limits))


def rows(text: str, mode: ChunkMode = ChunkMode.HEADER) -> list[Row]:
    """(breadcrumb, level, first line, last line) of each section."""
    return [(section.breadcrumb, section.level, *section.lines) for section in parsed(text, mode).sections]


def texts(document: ParsedDocument) -> list[str]:
    return [section.text for section in document.sections]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n   \n\t\n\n", []),
        ("# Only line", [("Only line", 1, 1, 1)]),
        ("intro\n\n# A\n\na\n\n## B\n", [("", 0, 1, 2), ("A", 1, 3, 6), ("A > B", 2, 7, 7)]),
        ("\n\n# A\n", [("A", 1, 3, 3)]),
        (
            "Title\nover two\n===\n\nSecond\n---\n",
            [("Title over two", 1, 1, 4), ("Title over two > Second", 2, 5, 6)],
        ),
        ("- item\n---\n\ntext\n\n---\n", [("", 0, 1, 6)]),
        ("#no\n\n#\u3000no\n\n####### no\n", [("", 0, 1, 5)]),
        ("   ## Ind\n\n    # code\n", [("Ind", 2, 1, 3)]),
        ("#\ttab\t#\n", [("tab", 1, 1, 1)]),
        ("#\n\n##\n", [("(untitled)", 1, 1, 2), ("(untitled) > (untitled)", 2, 3, 3)]),
        ("> # quoted\n\n- # listed\n", [("", 0, 1, 3)]),
        ("<h1>HTML</h1>\n\n## Real\n", [("", 0, 1, 2), ("Real", 2, 3, 3)]),
        ("<pre>\n\n# no\n</pre>\n# Yes\n", [("", 0, 1, 4), ("Yes", 1, 5, 5)]),
        ("---\nt: x\n---\n", []),
        ("---\nt: x\n---\nintro\n\n# H\n", [("", 0, 4, 5), ("H", 1, 6, 6)]),
        ("---\nt: x\n# Heading\n", [("", 0, 1, 2), ("Heading", 1, 3, 3)]),
        ("# A\r\n\r\ntext\r\n# B\r\n", [("A", 1, 1, 3), ("B", 1, 4, 4)]),
        ("# A\r\rtext\r# B\r", [("A", 1, 1, 3), ("B", 1, 4, 4)]),
        ("# A\n\x0c\n## B\n#\x0cno\n", [("A", 1, 1, 2), ("A > B", 2, 3, 4)]),
    ],
)
def test_headings_make_sections(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected
    assert rows(text, ChunkMode.AUTO) == expected


@pytest.mark.parametrize("depth", [9, 12, 60, 2_000])
def test_what_follows_a_deep_list_or_quote_is_found(depth: int) -> None:
    """F1, P22: the library drops the rest of the file at ten levels unless told otherwise."""
    outline = "".join("  " * level + "- x\n" for level in range(depth))
    assert rows(outline + "\n## After\n")[-1][0] == "After"
    assert rows("> " * depth + "x\n\n## After\n")[-1][0] == "After"
    assert rows("- " * depth + "x\n\n## After\n")[-1][0] == "After"


def test_a_deep_list_keeps_its_text() -> None:
    outline = "".join("  " * level + f"- word{level}\n" for level in range(150))
    joined = " ".join(passage.text for passage in parsed(outline).passages)
    assert all(f"word{level}" in joined for level in range(150))


def section_numbers(sections: tuple[Section, ...]) -> list[int | None]:
    return [section.part for section in sections]


PARAGRAPHS = "\n\n".join(f"Paragraph {number}. " + "Some words to fill it up. " * 8 for number in range(30))


@pytest.mark.parametrize("tokens_max", [10, 25, 60, 250])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_join_back_byte_for_byte(tokens_max: int, end: str) -> None:
    text = f"# Title\n\n{PARAGRAPHS}\n\n```py\n{'x = 1' * 30}\n```\n\n\n- a\n- b\n".replace("\n", end)
    document = parsed(text, section_tokens_max=tokens_max)
    assert "".join(texts(document)) == text
    assert section_numbers(document.sections) == list(range(1, len(document.sections) + 1))
    assert all(section.heading_path == ("Title",) for section in document.sections)
    assert all(section.text.strip() for section in document.sections)
    assert max(section.tokens for section in document.sections) <= tokens_max + 1


def test_a_section_of_exactly_the_limit_is_whole() -> None:
    text = "# T\n\n" + "a" * 35
    assert section_numbers(parsed(text, section_tokens_max=10).sections) == [None]
    assert section_numbers(parsed(text + "a", section_tokens_max=10).sections) == [1, 2]


def test_parts_are_cut_between_blocks() -> None:
    document = parsed("# T\n\n" + PARAGRAPHS, section_tokens_max=250)
    assert all(section.text.startswith(("# T", "Paragraph")) for section in document.sections)


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\n" + "word " * 20 + "\n\n```\n{code}\n```\n\nafter\n",
        "# T\n\n" + "word " * 20 + "\n```\n{code}\n```\nafter\n",
        "# T\n\n- item\n\n    ```\n    {code}\n    ```\n- " + "word " * 60 + "\n",
        "# T\n```\n{code}\n```\n",
        "# T " + "long " * 10 + "\n\n```\n{code}\n```\n",
    ],
)
def test_a_fence_that_fits_into_a_part_is_never_cut(text: str) -> None:
    indent = "    " if "    ```" in text else ""
    text = text.replace("{code}", f"\n{indent}".join(f"line {number}" for number in range(14)))
    document = parsed(text, section_tokens_max=50)
    assert "".join(texts(document)) == text
    for section in document.sections:
        assert section.text.count("```") % 2 == 0


def test_a_heading_is_not_left_alone() -> None:
    for body in ("word " * 39, "- " + "word " * 39, "w" * 195):
        document = parsed("# Heading\n\n" + body + "\n", section_tokens_max=50)
        assert document.sections[0].text.strip() != "# Heading"


def test_blank_lines_never_make_a_part() -> None:
    document = parsed("# T\n\n" + "word " * 38 + "\n" * 300 + "more " * 38 + "\n\n\n", section_tokens_max=50)
    assert all(section.text.strip() for section in document.sections)


def test_a_list_is_cut_between_its_items() -> None:
    items = "".join(f"- item {number}\n  continued {number}\n" for number in range(40))
    document = parsed(items, section_tokens_max=50)
    assert all(section.text.startswith("- item") for section in document.sections)


def test_the_children_of_a_cut_section_keep_its_path() -> None:
    document = parsed("# T\n\n" + PARAGRAPHS + "\n\n## T2\n", section_tokens_max=250)
    assert document.sections[-1].heading_path == ("T", "T2")
    assert document.sections[-1].part is None


LONG = "".join(f"line {number}\n" for number in range(1, 201))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LONG, [(1, 80), (61, 140), (121, 200)]),
        ("# T\n" + LONG, [(1, 80), (61, 140), (121, 201)]),
        ("".join(f"{number}\n" for number in range(84)), [(1, 84)]),
        ("".join(f"{number}\n" for number in range(85)), [(1, 80), (61, 85)]),
        ("".join(f"{number}\n" for number in range(80)), [(1, 80)]),
    ],
)
def test_a_long_file_without_structure_becomes_windows(text: str, expected: list[tuple[int, int]]) -> None:
    document = parsed(text, ChunkMode.AUTO)
    assert [tuple(section.lines) for section in document.sections] == expected
    assert section_numbers(document.sections) == (
        [None] if len(expected) == 1 else list(range(1, len(expected) + 1))
    )


def test_auto_follows_two_headings() -> None:
    document = parsed("# A\n" + LONG + "# B\n" + LONG, ChunkMode.AUTO)
    assert {section.heading_path for section in document.sections} == {("A",), ("B",)}
    assert "".join(texts(document)) == "# A\n" + LONG + "# B\n" + LONG


def test_window_mode_names_the_nearest_heading_before_each_window() -> None:
    text = "intro\n" * 10 + "# A\n" + "a\n" * 60 + "## B\n" + "b\n" * 60
    document = parsed(text, ChunkMode.WINDOW)
    found = [(section.breadcrumb, section.level, tuple(section.lines)) for section in document.sections]
    assert found == [("", 0, (1, 80)), ("A", 1, (61, 132))]


def test_windows_of_long_lines_are_bounded() -> None:
    text = "".join(f"{number} " + "word " * 100 + "\n" for number in range(300)) + "x" * 100_000 + "\n" + LONG
    text += "y" * 100_000 + "\n\n\n"
    document = parsed(text, ChunkMode.AUTO)
    assert max(section.tokens for section in document.sections) <= 2_400
    starts = [section.lines.first for section in document.sections]
    assert starts == sorted(starts)


def test_explicit_anchors_are_kept() -> None:
    assert parsed("## Install {#setup}\n").sections[0].anchor == "setup"


def test_tokens_do_not_depend_on_line_ends() -> None:
    text = "# T\n\none\ntwo\nthree\n"
    counts = {parsed(text.replace("\n", end)).sections[0].tokens for end in ("\n", "\r\n", "\r")}
    assert len(counts) == 1
