"""From a typed path to one indexed document, and never to anything else."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.errors import AmbiguousError, DaemonError, InvalidRequestError, NotFoundError, RefusedError
from mdmemd.index.snapshot import RootSnapshot, SectionRecord, SegmentView
from mdmemd.search.listing import list_documents
from mdmemd.search.locate import FoundDocument, find_document
from mdmemd.text.section_id import section_id

Form = Literal["NFC", "NFD"]


def _find(world: SearchWorld, path: str) -> FoundDocument:
    return find_document(path, roots=world.snapshots(), folders=world.folders, files=world.files)


def _named(world: SearchWorld, path: str) -> tuple[str, str]:
    found = _find(world, path)
    return found.root, found.document.path


@pytest.fixture
def world() -> SearchWorld:
    world = SearchWorld()
    for path in ("guide/install.md", "guide/use.md", "api/install.md", "install.md"):
        world.add(path, f"# {path}\n\ntext\n")
    world.add("guide/use.md", "# Notes\n\ntext\n", root="notes")
    return world


def test_a_root_relative_path_wins_over_longer_paths_that_end_like_it(world: SearchWorld) -> None:
    assert _named(world, "install.md") == ("docs", "install.md")
    assert _named(world, "./guide//install.md") == ("docs", "guide/install.md")


def test_an_absolute_path_is_accepted(world: SearchWorld) -> None:
    assert _named(world, "/notes/guide/use.md") == ("notes", "guide/use.md")


def test_an_absolute_path_through_a_link_is_accepted(world: SearchWorld) -> None:
    world.files.link("/home/docs", "/docs")
    assert _named(world, "/home/docs/guide/install.md") == ("docs", "guide/install.md")


def test_the_innermost_of_nested_roots_answers(world: SearchWorld) -> None:
    world.folders["inner"] = "/docs/guide"
    world.add("deep.md", "# Deep\n\ntext\n", root="inner")
    assert _named(world, "/docs/guide/deep.md") == ("inner", "deep.md")
    assert _named(world, "/docs/guide/use.md") == ("docs", "guide/use.md")


def test_a_unique_end_of_a_path_is_enough(world: SearchWorld) -> None:
    assert _named(world, "api/install.md") == ("docs", "api/install.md")
    world.add("a/b/only.md", "# Only\n\ntext\n")
    assert _named(world, "b/only.md") == ("docs", "a/b/only.md")
    with pytest.raises(NotFoundError):
        _find(world, "nly.md")


def test_an_ambiguous_path_lists_paths_that_are_accepted_back(world: SearchWorld) -> None:
    with pytest.raises(AmbiguousError) as caught:
        _find(world, "guide/use.md")
    assert caught.value.candidates == ("/docs/guide/use.md", "/notes/guide/use.md")
    assert [_named(world, each)[0] for each in caught.value.candidates] == ["docs", "notes"]


def test_an_unknown_path_names_its_neighbours(world: SearchWorld) -> None:
    with pytest.raises(NotFoundError) as caught:
        _find(world, "Install.MD")
    assert caught.value.candidates == ("api/install.md", "guide/install.md", "install.md")


def test_wildcards_of_other_languages_are_literal_s11() -> None:
    world = SearchWorld()
    world.add("2026-06-16.md", "# A\n\ntext\n")
    for path in ("2026_06_16.md", "2026%06%16.md", "*.md", "2026?06-16.md"):
        with pytest.raises(NotFoundError):
            _find(world, path)
    world.add("2026_06_16.md", "# B\n\ntext\n")
    assert _named(world, "2026_06_16.md")[1] == "2026_06_16.md"


def test_names_that_differ_little_are_different_documents_s10() -> None:
    world = SearchWorld()
    names = ("README.md", "readme.md", "a b.md", "a_b.md", "a-b.md")
    for name in names:
        world.add(name, f"# {name}\n\ntext\n")
    assert [_named(world, name)[1] for name in names] == list(names)
    assert len(list_documents(world.snapshots())) == len(names)


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_unicode_forms_of_a_name_are_one_name_s14(stored: Form, typed: Form) -> None:
    world = SearchWorld()
    world.add(unicodedata.normalize(stored, "Möten/Tagesordnung.md"), "# A\n\ntext\n")
    path = unicodedata.normalize(typed, "Möten/Tagesordnung.md")
    assert _find(world, path).document.title == "A"
    assert _find(world, f"/docs/{path}").document.title == "A"
    assert len(list_documents(world.snapshots(), prefix=unicodedata.normalize(typed, "Möten/"))) == 1


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("../../etc/passwd", InvalidRequestError),
        ("guide/../../../etc/passwd", InvalidRequestError),
        ("/docs/../etc/passwd", InvalidRequestError),
        ("/etc/passwd", RefusedError),
        ("/docs2/install.md", RefusedError),
        ("%2e%2e%2fetc%2fpasswd", NotFoundError),
        ("\\\\server\\share\\a.md", NotFoundError),
        ("install.md\0.txt", InvalidRequestError),
        ("~root/install.md", NotFoundError),
        ("file:///etc/passwd", NotFoundError),
        ("", InvalidRequestError),
        ("/", RefusedError),
        (".", InvalidRequestError),
        ("/docs", NotFoundError),
        ("/docs/secret.txt", NotFoundError),
    ],
)
def test_no_spelling_leads_out_of_a_root_x4(world: SearchWorld, path: str, error: type[DaemonError]) -> None:
    world.files.write("/etc/passwd", "secret")
    world.files.write("/docs/secret.txt", "secret")
    with pytest.raises(error) as caught:
        _find(world, path)
    assert str(caught.value)
    assert caught.value.remedy


def test_the_name_of_the_root_may_stand_before_the_path(world: SearchWorld) -> None:
    assert _named(world, "notes/guide/use.md") == ("notes", "guide/use.md")
    world.add("notes/guide/use.md", "# Mine\n\ntext\n")
    assert _named(world, "notes/guide/use.md") == ("docs", "notes/guide/use.md")


def _id(root: str, path: str, *heading_path: str, part: int | None = None) -> str:
    return section_id(root, path, heading_path, part=part)


def test_an_id_of_a_section_names_its_document(world: SearchWorld) -> None:
    for root, path in (("docs", "guide/use.md"), ("notes", "guide/use.md"), ("docs", "install.md")):
        title = "Notes" if root == "notes" else path
        assert _named(world, _id(root, path, title)) == (root, path)
        assert _named(world, _id(root, path, title, part=9)) == (root, path)


def test_an_id_lasts_while_the_file_and_its_heading_keep_their_names(world: SearchWorld) -> None:
    asked = _id("docs", "api/install.md", "api/install.md")
    world.add("api/install.md", "# Before\n\nnew\n\n# api/install.md\n\nanother text\n\n## Below\n\nx\n")
    world.add("api/install.md", "# api/install.md\n\nx\n", root="other")
    assert _named(world, asked) == ("docs", "api/install.md")
    world.add("api/install.md", "# Renamed\n\nanother text\n\n## Below\n\nx\n")
    with pytest.raises(NotFoundError, match=re.escape(f"No section has the id {asked}.")):
        _named(world, asked)  # two documents have this path now


def test_a_stale_id_names_the_sections_of_its_file(world: SearchWorld) -> None:
    stale = _id("docs", "api/install.md", "Old title")
    with pytest.raises(
        NotFoundError, match=r"may be one of api/install\.md whose heading was changed"
    ) as caught:
        _named(world, stale)
    assert caught.value.candidates == ("api/install.md#api/install.md",)


def test_only_documents_that_an_id_can_be_of_are_looked_at(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question for one id must cost the same however many documents there are."""
    asked = _id("docs", "guide/use.md", "guide/use.md")
    looked_at = []
    record = SegmentView.section

    def section(view: SegmentView, number: int) -> SectionRecord:
        looked_at.append(number)
        return record(view, number)

    monkeypatch.setattr(RootSnapshot, "iter_documents", None)
    monkeypatch.setattr(SegmentView, "section", section)
    assert _named(world, asked) == ("docs", "guide/use.md")
    assert len(looked_at) <= 2, "one section in each of two roots"


def test_two_documents_with_the_same_id_are_told_apart_by_the_caller(
    world: SearchWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdmemd.search.locate.section_id", lambda *_, part: "^00000000")
    monkeypatch.setattr(RootSnapshot, "coded_documents", lambda self, _: self.iter_documents())
    with pytest.raises(AmbiguousError, match="names 5 documents"):
        _named(world, "^00000000")


def test_a_mistyped_name_is_answered_with_those_like_it(world: SearchWorld) -> None:
    with pytest.raises(NotFoundError) as caught:
        _named(world, "guide/instll.md")
    assert caught.value.candidates == ("api/install.md", "guide/install.md", "install.md")
