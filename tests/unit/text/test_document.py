"""The whole parse: title, metadata, problems, and the fall-backs."""

from __future__ import annotations

import pytest

from mdmem_testkit.document_invariants import check_document
from mdmemd.model import LineRange, Problem
from mdmemd.text import block_parser
from mdmemd.text.document import parse_document, parse_plain
from mdmemd.text.limits import ParseLimits


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("---\ntitle: Front\n---\n# First\n\n# Second\n", "x.md", "First"),
        ("---\ntitle: Front\n---\n## Sub\n", "x.md", "Front"),
        ("---\nname: Skill\n---\n## Sub\n", "x.md", "Skill"),
        ("---\ntitle:\n---\n## Sub\n", "x.md", "Sub"),
        ("#\n\n## Sub\n", "x.md", "Sub"),
        ("#\n", "a/b/note.v2.md", "note.v2"),
        ("text", "README", "README"),
        ("", "a/x.md", "x"),
    ],
)
def test_title(text: str, path: str, expected: str) -> None:
    assert parse_document(text.encode(), path=path).title == expected


def test_metadata_comes_out_as_values() -> None:
    properties = "title: T\ntags: [a]\naliases: [Other, Name]\nstatus: draft\ndate: 2024-05-06\nx: {y: 1}\n"
    text = f"---\n{properties}---\n\n# H\n"
    document = parse_document(text.encode(), path="x.md")
    assert document.front_matter_lines == LineRange(1, 8)
    assert document.properties is not None
    assert document.properties["x"] == {"y": 1}
    assert (document.tags, document.aliases) == (("a",), ("Other", "Name"))
    assert (document.status, document.date) == ("draft", "2024-05-06")


def test_without_front_matter_there_are_no_properties() -> None:
    document = parse_document(b"# T\n", path="2024-05-06-x.md")
    assert (document.properties, document.front_matter_lines, document.status) == (None, None, None)
    assert document.date == "2024-05-06"


def test_a_malformed_front_matter_costs_only_its_properties() -> None:
    document = parse_document(b"---\ntitle: [x\n---\n# Body\n\ntext\n", path="x.md")
    assert document.properties == {}
    assert [problem.kind for problem in document.problems] == ["front_matter"]
    assert [(section.heading_path, section.lines) for section in document.sections] == [
        (("Body",), LineRange(4, 6))
    ]


def test_a_byte_order_mark_changes_nothing() -> None:
    """F3, P4."""
    data = b"---\ntitle: x\n---\n# H\n\ntext\n"
    assert parse_document(b"\xef\xbb\xbf" + data, path="x.md") == parse_document(data, path="x.md")


def test_front_matter_is_no_phantom_section() -> None:
    """F4, P5: CommonMark sees a setext heading in it."""
    document = parse_document(b"---\ntitle: x\ndescription: last line\n---\n\n# H\n", path="x.md")
    assert [section.heading_path for section in document.sections] == [("H",)]


def test_a_file_of_too_many_lines_becomes_plain_windows() -> None:
    data = b"# H\n\n" + b"text\n" * 300
    document = parse_document(data, path="x.md", limits=ParseLimits(lines_max=100))
    assert [problem.kind for problem in document.problems] == ["too_long"]
    assert {section.heading_path for section in document.sections} == {()}
    check_document(document, data, has_windows=True)


def test_a_failure_of_the_library_costs_only_the_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise RecursionError("too deep")

    monkeypatch.setattr(block_parser, "_block_rule", fail)
    data = b"---\ntitle: T\n---\n# H\n\ntext [x](b.md)\n"
    document = parse_document(data, path="x.md")
    assert [problem.kind for problem in document.problems] == ["unparsable"]
    assert (document.title, document.links) == ("T", ())
    assert [passage.text for passage in document.passages] == ["# H text [x](b.md)"]
    check_document(document, data, has_windows=True)


def test_parse_plain_looks_at_no_markdown() -> None:
    """What a parse worker falls back to when its time is up."""
    problem = Problem("timeout", "took too long")
    data = b"# H\n\n[x](b.md) #tag\n" + b"- a\n" * 200
    document = parse_plain(data, path="x.md", problem=problem)
    assert document.problems == (problem,)
    assert (document.links, document.tags) == ((), ())
    assert len(document.sections) > 1
    check_document(document, data, has_windows=True)
