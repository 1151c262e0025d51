"""Fences by CommonMark, and the recovery rule (P1, P2)."""

from __future__ import annotations

import pytest

from mdmemd.text.document import parse_document


def headings(text: str) -> list[str]:
    document = parse_document(text.encode(), path="x.md")
    first_parts = [section for section in document.sections if section.part in (None, 1)]
    return [section.heading_path[-1] for section in first_parts if section.heading_path]


def problems(text: str) -> list[tuple[str, int | None]]:
    return [(problem.kind, problem.line) for problem in parse_document(text.encode(), path="x.md").problems]


@pytest.mark.parametrize(
    "text",
    [
        '```python title="a.py"\n# note\n```\n\n## Real\n',
        "~~~\n```\n# no\n~~~\n\n## Real\n",
        "`````\n```\n# no\n````\n# no\n``````\n\n## Real\n",
        "```\n# no\n``` not closing\n# no\n   ```\n\n## Real\n",
        "``` not `a` fence\n\n## Real\n",
        "~~~ yes `fence` ~~~\n# no\n~~~\n\n## Real\n",
        "1. step\n\n   ```sh\n   # comment\n   ```\n\n## Real\n",
        "- x\n  ~~~\n  # comment\n  ~~~\n\n## Real\n",
        "> ```\n> # no\n\n## Real\n",
        "    ```\n    # code\n\n## Real\n",
        "```js\n## in a template string\n\n## after a blank line\n```\n\n## Real\n",
        "````\n```python\n\n## sample\n```\n````\n\n## Real\n",
    ],
)
def test_closed_fences_hide_their_lines(text: str) -> None:
    """P1, P2: attributes, lengths, indentation, containers."""
    assert headings(text) == ["Real"]
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n```js\ncall()\n\n## B\n\ntext\n\n## C\n", ["A", "B", "C"]),
        ("# A\n\n~~~go\ncall()\n\n# B\n", ["A", "B"]),
        ("# A\n\n```bash\nmake\n\n## B\n", ["A", "B"]),
        ("# A\n\n```{.js .wide}\ncall()\n\n# B\n", ["A", "B"]),
        ("# A\n\n## A1\n\n```bash\n# install\nmake\n\n## B\n", ["A", "A1", "B"]),
        ("# A\n\n```js\nx\n\n## B\n\n~~~json\n{}\n\n# C\n", ["A", "B", "C"]),
        ("# A\n\n```bash\npip\n\n## B\n\n```python\nx\n```\n\n## C\n", ["A", "B", "C"]),
    ],
)
def test_a_forgotten_closing_fence_costs_no_heading(text: str, expected: list[str]) -> None:
    assert headings(text) == expected
    assert {kind for kind, _ in problems(text)} == {"unclosed_fence"}


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n```python\n# comment\n\n## comment too\n\nx = 1\n",
        "# A\n\n```bash\nmake\n\n# comment\n",
        "# A\n\n```js\nx\n## not after a blank line\n",
        "# A\n\ntext\n```\n",
        "# A\n\n- item\n\n  ```js\n  x\n\n  ## inside the item\n",
    ],
)
def test_what_may_be_a_comment_stays_code(text: str) -> None:
    assert headings(text) == ["A"]


@pytest.mark.parametrize("language", ["", "markdown", "md", "text"])
def test_a_sample_of_markdown_may_show_fences(language: str) -> None:
    text = f"```{language}\nintro\n\n## Sample\n\n```python\nx\n```\n\n## Real\n"
    assert headings(text) == ["Real"]


def test_a_recovery_that_would_lose_a_heading_is_not_done() -> None:
    """Ended early, the first fence would turn its closing line into an opening one and hide the rest."""
    text = "# A\n\n```js\nx\n\n## inside\n\n~~~\n\n```python\n\n~~~\n```\n\n## Later\n\n```\n\n## Last\n```\n"
    assert {"A", "Later"} <= set(headings(text))


def test_the_place_of_the_unclosed_fence_is_reported() -> None:
    assert problems("# A\n\n```python\nx = 1\n") == [("unclosed_fence", 3)]
    assert problems("# A\n\n```js\nx\n\n## B\n") == [("unclosed_fence", 3)]


def test_recovery_work_is_bounded() -> None:
    """Each recovery scans what follows; after 64 of them an unclosed fence runs to the end of the file."""
    found = headings("```js x\n\n# H\n\n" * 2_000)
    assert len(found) == 64
