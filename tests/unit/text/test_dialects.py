"""No dialect loses text or invents a heading."""

from __future__ import annotations

import pytest

from mdmemd.model import ParsedDocument, PassageKind
from mdmemd.text.document import parse_document


def parsed(text: str, path: str = "x.md") -> ParsedDocument:
    return parse_document(text.encode(), path=path)


def headings(text: str, path: str = "x.md") -> list[str]:
    return [section.heading_path[-1] for section in parsed(text, path).sections if section.heading_path]


def passages(text: str, path: str = "x.md") -> list[tuple[str, str]]:
    return [(passage.kind.value, passage.text) for passage in parsed(text, path).passages]


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n$$\na\n= b\n$$\n\n## B\n",
        "# A\n\n$$ x\n# y\n---\nz $$\n\n## B\n",
        "# A\n\ntext\n$$\n# y\n$$\n\n## B\n",
        "# A\n\n%%\n# hidden\n\n## hidden\n%%\n\n## B\n",
        "# A\n\n{{< highlight bash >}}\n# comment\n\n# more\n{{< /highlight >}}\n\n## B\n",
        "# A\n\n{% highlight ruby %}\n# comment\n{% endhighlight %}\n\n## B\n",
        "# A\n\n{% comment %}\n# x\n{% endcomment %}\n\n## B\n",
        "# A\n\n!!! note\n\n    # inside\n\n## B\n",
        "# A\n\n> [!note]- Title\n> # inside\n\n## B\n",
        "# A\n\n<!--\n\n# comment\n\n-->\n\n## B\n",
        "# A\n\n<div>\n# inside\n</div>\n\n## B\n",
        "# A\n\n{/* # comment */}\n\n## B\n",
    ],
)
def test_no_heading_is_invented(text: str) -> None:
    assert headings(text) == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n$$\n\n## B\n",
        "# A\n\n$$ x $$\n## B\n",
        "# A\n\nit costs $$\n\n## B\n\n$$\n",
        "# A\n\n%%\n\n## B\n",
        "# A\n\n%% inline %%\n## B\n",
        "# A\n\n{{< highlight bash >}}\n\n## B\n",
        "# A\n\n::: tip\n\n## B\n\n:::\n",
        "# A\n\n{% raw %}\n## B\n{% endraw %}\n",
        "# A\n\n{{< tabs >}}\n## B\n{{< /tabs >}}\n",
        "# A\n\n<Tabs>\n\n## B\n\n</Tabs>\n",
    ],
)
def test_no_heading_is_lost(text: str) -> None:
    assert headings(text) == ["A", "B"]


def test_an_admonition_is_prose_not_code() -> None:
    content = "    First paragraph.\n\n    - an item\n\n    ```py\n    x = 1\n    ```\n"
    text = '!!! note "Mind"\n\n' + content + "\nAfter.\n"
    assert passages(text) == [
        ("paragraph", '!!! note "Mind"'),
        ("paragraph", "First paragraph."),
        ("list_item", "an item"),
        ("code", "x = 1"),
        ("paragraph", "After."),
    ]


def test_lines_within_an_admonition_are_those_of_the_file() -> None:
    document = parsed('# T\n\n??? tip\n\n    one\n\n    === "Tab"\n\n        two\n')
    assert [(passage.text, passage.lines, passage.block) for passage in document.passages] == [
        ("??? tip", (3, 3), (3, 3)),
        ("one", (5, 5), (5, 9)),
        ('=== "Tab"', (7, 7), (5, 9)),
        ("two", (9, 9), (5, 9)),
    ]


def test_indented_code_after_an_ordinary_paragraph_stays_code() -> None:
    assert passages("Run:\n\n    make\n") == [("paragraph", "Run:"), ("code", "make")]


def test_nested_admonitions_end() -> None:
    text = "".join("    " * depth + '!!! note "x"\n\n' for depth in range(100)) + "    " * 100 + "deep\n"
    assert "deep" in passages(text)[-1][1]


def test_container_markers_go_their_titles_stay() -> None:
    assert passages("::: tip Good to know\nText.\n:::\n") == [("paragraph", "tip Good to know Text.")]


def test_module_code_of_mdx_is_no_prose() -> None:
    text = "import {\n  Tabs,\n} from '@theme/Tabs'\nexport const x = [1](2)\n\nimport matters [l](b.md)\n"
    other, paragraph = PassageKind.OTHER.value, PassageKind.PARAGRAPH.value
    assert [kind for kind, _ in passages(text, "x.mdx")] == [other, paragraph]
    assert [kind for kind, _ in passages(text, "x.md")] == [paragraph, paragraph]
    assert [link.target for link in parsed(text, "x.mdx").links] == ["b.md"]


def test_in_mdx_a_fence_ends_the_html_block_around_it() -> None:
    """JSX tags wrap fences without blank lines; by CommonMark the comment would be a heading."""
    text = "# A\n\n<Tab>\n  ```sh\n  one\n\n  # comment\n  two\n  ```\n</Tab>\n\n## B\n"
    assert headings(text, "x.mdx") == ["A", "B"]
    assert "comment" in headings(text, "x.md")
    assert ("code", "one # comment two") in passages(text, "x.mdx")
