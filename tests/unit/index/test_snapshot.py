"""What a snapshot tells of documents."""

from __future__ import annotations

from mdmem_testkit.documents import fingerprint, indexed_file, page, words
from mdmemd.index.root_index import RootIndex
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.model import IndexedFile, LineRange, PassageKind, Problem


def snapshot_of(*files: IndexedFile) -> RootSnapshot:
    index = RootIndex(dimensions=4, tokenize=words)
    index.apply(files=files, removed=())
    return index.freeze()


def test_a_document_comes_back_with_all_that_was_parsed() -> None:
    file = indexed_file(
        "a.md",
        (("A",), "one\ntwo"),
        ((), ""),
        title="Title",
        properties={"x": [1]},
        front_matter_lines=LineRange(1, 2),
        tags=("t",),
        aliases=("other",),
        status="draft",
        date="2026-01-01",
        problems=(Problem("kind", "message", 3),),
    )
    document = snapshot_of(file).document("a.md")
    assert document is not None
    facts = (document.title, document.fingerprint, document.content_hash, document.properties, document.tags)
    assert facts == ("Title", file.fingerprint, file.content_hash, {"x": [1]}, ("t",))
    assert (document.aliases, document.status, document.date) == (("other",), "draft", "2026-01-01")
    assert document.front_matter_lines == LineRange(1, 2)
    assert document.problems == (Problem("kind", "message", 3),)
    assert document.links == ()
    first, second = document.sections
    assert (first.heading_path, first.level, first.part, first.anchor) == (("A",), 1, None, "")
    assert (first.lines, first.tokens) == (LineRange(1, 2), 1)
    assert second.heading_path == ()
    assert [passage.lines for passage in document.passages(0)] == [LineRange(1, 1), LineRange(2, 2)]
    assert document.passages(0)[0].kind is PassageKind.PARAGRAPH
    assert document.passages(1) == ()


def test_names_that_differ_in_case_space_or_underscore_are_different_documents() -> None:
    """S10."""
    names = ["README.md", "readme.md", "a b.md", "a_b.md", "a-b.md"]
    snapshot = snapshot_of(*(page(name, name) for name in names))
    assert snapshot.documents == 5
    for name in names:
        document = snapshot.document(name)
        assert document is not None
        assert document.path == name


def test_no_character_of_a_path_is_a_wildcard() -> None:
    """S11."""
    snapshot = snapshot_of(page("2026-06-16.md", "x"))
    assert snapshot.document("2026_06_16.md") is None
    assert snapshot.document("%.md") is None
    assert snapshot.document("2026-06-16.md") is not None


def test_documents_are_sorted_by_the_parts_of_their_paths() -> None:
    snapshot = snapshot_of(*(page(name, "x") for name in ["b.md", "a-b/c.md", "a/z.md", "a.md"]))
    assert [each.path for each in snapshot.iter_documents()] == ["a/z.md", "a-b/c.md", "a.md", "b.md"]


def test_a_touched_document_shows_its_new_fingerprint_in_later_snapshots_only() -> None:
    index = RootIndex(dimensions=4, tokenize=words)
    index.apply(files=[page("a.md", "x", version=1)], removed=())
    before = index.freeze().document("a.md")
    index.touch("a.md", fingerprint(2))
    index.touch("unknown.md", fingerprint(2))
    after = index.freeze().document("a.md")
    assert before is not None
    assert after is not None
    assert (before.fingerprint, after.fingerprint) == (fingerprint(1), fingerprint(2))
