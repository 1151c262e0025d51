"""Links: found where they are, resolved where they point into the root (P18, P20)."""

from __future__ import annotations

import pytest

from mdmemd.model import Link
from mdmemd.text.document import parse_document


def links(text: str, path: str = "docs/guide/a.md") -> list[Link]:
    return list(parse_document(text.encode(), path=path).links)


def link(text: str) -> Link:
    (found,) = links(text)
    return found


@pytest.mark.parametrize(
    ("text", "target", "path", "heading"),
    [
        ("[x](b.md)", "b.md", "docs/guide/b.md", None),
        ("[x](../b.md#Some%20Part)", "../b.md#Some%20Part", "docs/b.md", "Some Part"),
        ("[x](/b.md)", "/b.md", "b.md", None),
        ("[x](./c/../b.md?plain=1)", "./c/../b.md?plain=1", "docs/guide/b.md", None),
        ("[x](<b c.md>)", "b c.md", "docs/guide/b c.md", None),
        ("[x](b%20c.md)", "b%20c.md", "docs/guide/b c.md", None),
        ("[x](b_(c).md 'title')", "b_(c).md", "docs/guide/b_(c).md", None),
        ('[x](b.md "a (title)")', "b.md", "docs/guide/b.md", None),
        ("[a [b] c](b.md)", "b.md", "docs/guide/b.md", None),
        ("[x](\n  b.md\n)", "b.md", "docs/guide/b.md", None),
        ("[x](a\\_b.md)", "a_b.md", "docs/guide/a_b.md", None),
        ("[x](#part)", "#part", "docs/guide/a.md", "part"),
        ("[x](https://e.x/b.md#c)", "https://e.x/b.md#c", None, "c"),
        ("[x](mailto:a@b.c)", "mailto:a@b.c", None, None),
        ("[x](//e.x/b)", "//e.x/b", None, None),
        ("[x](../../../etc/passwd)", "../../../etc/passwd", None, None),
        ("[x](/../b.md)", "/../b.md", None, None),
        ("<https://e.x>", "https://e.x", None, None),
        ('<a href="b.md">x</a>', "b.md", "docs/guide/b.md", None),
        ('text <a class="c" href="b.md">x</a>', "b.md", "docs/guide/b.md", None),
        ("[[Other note]]", "Other note", "Other note.md", None),
        ("[[Other note#Part|alias]]", "Other note#Part|alias", "Other note.md", "Part"),
        ("[[#Part]]", "#Part", "docs/guide/a.md", "Part"),
        ("[[folder/b.md]]", "folder/b.md", "folder/b.md", None),
        ("[x][r]\n\n[r]: b.md", "b.md", "docs/guide/b.md", None),
        ("[R][]\n\n[r]: b.md", "b.md", "docs/guide/b.md", None),
        ("[r]\n\n[r]: b.md 'title'", "b.md", "docs/guide/b.md", None),
        ("> - [x](b.md)", "b.md", "docs/guide/b.md", None),
        ("# A [x](b.md)", "b.md", "docs/guide/b.md", None),
        ("!!! note\n\n    [x](b.md)", "b.md", "docs/guide/b.md", None),
    ],
)
def test_one_link(text: str, target: str, path: str | None, heading: str | None) -> None:
    found = link(text)
    assert (found.target, found.path, found.heading, found.is_embed) == (target, path, heading, False)


@pytest.mark.parametrize("text", ["![x](b.png)", "![[b.png]]", '<img src="b.png">', "![x][r]\n\n[r]: b.png"])
def test_images_and_embeds_are_embeds(text: str) -> None:
    assert link(text).is_embed


def test_an_image_within_a_link_gives_both() -> None:
    assert [(found.target, found.is_embed) for found in links("[![alt](i.png)](b.md)")] == [
        ("i.png", True),
        ("b.md", False),
    ]


def test_the_line_is_that_of_the_link() -> None:
    text = "# T\n\none\ntwo [x](b.md)\n\n- a\n  b [y](c.md)\n\n|A|\n|-|\n|[[n\\|z]]|\n"
    assert [(found.target, found.line) for found in links(text)] == [("b.md", 4), ("c.md", 7), ("n|z", 11)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n[x](b.md)\n```",
        "    [x](b.md)",
        "`[x](b.md)`",
        "`` a ` [x](b.md) ``",
        "\\[x](b.md)",
        "[x] (b.md)",
        "[x]()",
        "- [ ] task\n- [x] done",
        "> [!note] callout",
        "[24:33] minutes",
        "text[^1]\n\n[^1]: footnote",
        "[x](b c.md)",
        "$$\n[x](b.md)\n$$",
        "[[]]",
    ],
)
def test_no_link(text: str) -> None:
    """P18 and code."""
    assert links(text) == []


@pytest.mark.parametrize(
    "text",
    ["[](" * 20_000, "[" * 50_000, "[a](<" * 20_000, '[a](b "' * 20_000, "<a " * 50_000, "`a" * 50_000],
)
def test_hostile_brackets_give_no_links(text: str) -> None:
    """P20."""
    assert links("x " + text) == []
