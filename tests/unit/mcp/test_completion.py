"""Completion: what begins with the typed text first, at most as many as the protocol allows."""

from __future__ import annotations

from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmemd.mcp.completion import VALUES_MAX, Completion, complete


def library() -> FakeService:
    return FakeService(
        section("docs", "guides/install.md", "Install"),
        section("docs", "guides/install.md", "Install", "On Linux"),
        section("docs", "installing.md", "Old"),
        section("notes", "soup.md", "Soup"),
        roots=(root_status("docs", "/docs"), root_status("notes", "/notes")),
    )


def test_roots() -> None:
    assert complete(library(), "root", typed="", known={}) == Completion(("docs", "notes"), 2)
    assert complete(library(), "root", typed="O", known={}).values == ("docs", "notes")
    assert complete(library(), "root", typed="NO", known={}).values == ("notes",)


def test_paths_of_the_root_that_is_known_and_of_all() -> None:
    found = complete(library(), "path", typed="inst", known={"root": "docs"})
    assert found.values == ("installing.md", "guides/install.md")
    assert "soup.md" in complete(library(), "path", typed="", known={}).values
    assert complete(library(), "path", typed="", known={"root": "do"}) == Completion((), 0)


def test_headings_of_the_document_that_is_known() -> None:
    known = {"root": "docs", "path": "guides/install.md"}
    assert complete(library(), "heading", typed="linux", known=known).values == ("Install > On Linux",)
    assert complete(library(), "heading", typed="", known={"root": "docs"}) == Completion((), 0)
    assert complete(library(), "heading", typed="", known=known | {"path": "gone.md"}) == Completion((), 0)


def test_other_arguments_have_no_candidates() -> None:
    assert complete(library(), "question", typed="", known={}) == Completion((), 0)


def test_the_number_of_values_is_bounded_and_the_total_is_not() -> None:
    service = FakeService(roots=tuple(root_status(f"r{number}", "/r") for number in range(VALUES_MAX + 1)))
    found = complete(service, "root", typed="r", known={})
    assert (len(found.values), found.total) == (VALUES_MAX, VALUES_MAX + 1)
