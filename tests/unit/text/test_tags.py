"""Which ``#word`` is a tag (P18)."""

from __future__ import annotations

import pytest

from mdmemd.text.document import parse_document


def tags(text: str) -> tuple[str, ...]:
    return parse_document(text.encode(), path="x.md").tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text #tag and #nested/tag-2_x.", ("tag", "nested/tag-2_x")),
        ("#first-in-line is no heading", ("first-in-line",)),
        ("(see #one), #two! #three: #four?", ("one", "two", "three", "four")),
        ("# Heading #tag", ("tag",)),
        ("- item #tag\n\n> quote #other", ("tag", "other")),
        ("#日本 #été", ("日本", "été")),
        ("#a #b #a", ("a", "b")),
        ("---\ntags: [x, '#y', 2024]\ntag: z\n---\n#x #w", ("x", "y", "2024", "z", "w")),
        ("---\ntags: '#a #b'\n---\n", ("a", "b")),
    ],
)
def test_tags(text: str, expected: tuple[str, ...]) -> None:
    assert tags(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "C# and F# and issue #12",
        "colours #fff #a1b2c3 #00ff00aa",
        "`#code` and\n\n```\n#code\n```",
        "    #code",
        "https://e.x/a#part",
        "[x](#part) and a#b",
        "[24:33] [!note] [x] #",
        "#include<stdio.h>",
        "<div>\n#html\n</div>",
        "## #",
        "$$\n#math\n$$",
    ],
)
def test_no_tags(text: str) -> None:
    assert tags(text) == ()
