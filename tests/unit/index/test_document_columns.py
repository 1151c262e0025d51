"""What is kept of documents."""

from __future__ import annotations

import numpy as np

from mdmem_testkit.documents import fingerprint, indexed_file
from mdmemd.index.document_columns import NO_FRONT_MATTER, DocumentColumns, FrontMatter, merge_documents
from mdmemd.model import LineRange, Link, Problem

RICH = indexed_file(
    "rich.md",
    title="Ünique",
    properties={"k": [1, 2.5, None, True, {"z": "ü\ud800"}], "big": 2**62},
    front_matter_lines=LineRange(1, 4),
    tags=("x", "y"),
    aliases=("other",),
    status="draft",
    date="2024-01-01",
    links=(Link("c.md#h", "b/c.md", "h", 3), Link("d", None, None, 4, is_embed=True)),
    problems=(Problem("kind", "message", 2), Problem("kind", "other")),
)
PLAIN = indexed_file("plain.md")


def test_everything_of_a_document_comes_back() -> None:
    columns = DocumentColumns.of([PLAIN, RICH])
    document = RICH.document
    assert len(columns) == 2
    assert columns.titles[1] == "Ünique"
    assert columns.content_hashes[1] == RICH.content_hash
    assert columns.front_matter_of(1) == FrontMatter(
        document.properties,
        document.front_matter_lines,
        document.tags,
        document.aliases,
        document.status,
        document.date,
    )
    assert isinstance(columns.front_matter_of(1).lines, LineRange)
    assert columns.links_of(1) == document.links
    assert columns.problems_of(1) == document.problems


def test_a_document_that_says_nothing_costs_nothing() -> None:
    columns = DocumentColumns.of([PLAIN])
    assert columns.front_matter_of(0) is NO_FRONT_MATTER
    assert (columns.links_of(0), columns.problems_of(0)) == ((), ())
    assert len(columns.front_matter.data) + len(columns.links.data) + len(columns.problems.data) == 0


def test_an_empty_front_matter_is_not_none() -> None:
    columns = DocumentColumns.of([indexed_file("a.md", properties={})])
    assert columns.front_matter_of(0).properties == {}


def test_merging_keeps_the_chosen_with_newer_fingerprints() -> None:
    columns = DocumentColumns.of([PLAIN, RICH])
    merged = merge_documents(
        [(columns, np.array([1]), {1: fingerprint(9), 0: fingerprint(8)}), (columns, np.array([0]), {})]
    )
    assert merged.paths == ("rich.md", "plain.md")
    assert merged.fingerprints == (fingerprint(9), PLAIN.fingerprint)
    assert merged.front_matter_of(0).tags == ("x", "y")
    assert merged.links_of(0) == RICH.document.links
    assert merged.links_of(1) == ()
