"""Hostile documents cost seconds, not hours (P20, F2): work is linear in the size of the file.

Each input takes well under a second; work that grew with the square of its size would take minutes.
"""

from __future__ import annotations

import time

import pytest

from mdmem_testkit.document_invariants import check_document, may_have_windows
from mdmemd.text import block_parser
from mdmemd.text.document import parse_document

_CEILING_SECONDS = 15.0

_HOSTILE = {
    "brackets": "[](" * 80_000,
    "open brackets": "[" * 100_000,
    "angles": "<" * 200_000,
    "open tags": "<a \n" * 20_000,
    "comments": "<!--" * 50_000,
    "backtick runs": "`a" * 100_000,
    "runs of all lengths": " ".join("`" * length for length in range(1, 500)),
    "list 2,000 deep": "".join("  " * depth + "- a\n" for depth in range(2_000)),
    "markers on one line": "- " * 50_000 + "a",
    "quotes on one line": ">" * 50_000 + "a",
    "lazy lines under nested containers": "- > " * 40 + "x\n" + "lazy\n" * 5_000,
    "table of 50,000 rows": "|a|b|\n|-|-|\n" + "|x|y|\n" * 50_000,
    "table of 5,000 columns": "|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n" + "|x" * 5_000 + "|\n",
    "line of 5 MB": "word " * 1_000_000,
    "word of 2 MB": "a" * 2_000_000,
    "heading of 2 MB": "# " + "a" * 2_000_000,
    "heading of brackets": "# " + "[](" * 80_000,
    "unclosed fences": "```js x\n\n# H\n\n" * 5_000,
    "unclosed dialect blocks": "{{< highlight x >}}\n\n" * 20_000,
    "formulas that never end": "$$\n\n" * 20_000,
    "equal headings": "# a\n" * 20_000,
    "definitions": "[a]: b '\n\n" * 10_000,
    "admonitions": "!!! note\n\n    x\n\n" * 5_000,
    "combining marks": "a" + "\u0301" * 100_000,
    "blank lines": "\n" * 200_000 + "x",
    "too many lines": "- a\n" * 300_000,
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_input_is_parsed_in_linear_time(name: str) -> None:
    data = _HOSTILE[name].encode()
    started = time.process_time()
    document = parse_document(data, path="a/b.md")
    assert time.process_time() - started < _CEILING_SECONDS
    is_plain = any(problem.kind == "too_long" for problem in document.problems)
    check_document(document, data, has_windows=is_plain or may_have_windows(document))


def test_what_follows_a_hostile_block_is_found() -> None:
    for name in (
        "brackets",
        "list 2,000 deep",
        "markers on one line",
        "quotes on one line",
        "table of 50,000 rows",
    ):
        document = parse_document((_HOSTILE[name] + "\n\n## After\n\n## More\n").encode(), path="x.md")
        assert [section.heading_path[-1:] for section in document.sections][-2:] == [("After",), ("More",)]


def test_a_lack_of_memory_says_nothing_about_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """F2: it is told as such by whoever set the limit, and not as a document that cannot be parsed."""

    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(block_parser, "_document_leaves", full)
    with pytest.raises(MemoryError):
        parse_document(b"# A\n", path="a.md")
