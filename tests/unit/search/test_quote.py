"""Nothing stale is quoted, and each file is read once."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.search_world import SearchWorld
from mdmemd.model import LineRange
from mdmemd.search import quote
from mdmemd.search.page import StaleFile
from mdmemd.search.quote import QUOTE_BYTES_MAX, Quoter


def _quoter(world: SearchWorld) -> Quoter:
    return Quoter(files=world.files, folders=world.folders)


def test_indexed_lines_are_quoted_and_the_file_is_read_once() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\none\n\ntwo\n")
    document = world.document("a.md")
    world.files.reads.clear()
    quoter = _quoter(world)
    assert quoter.text("docs", document, LineRange(3, 3)) == "one\n"
    assert quoter.text("docs", document, LineRange(5, 5)) == "two\n"
    assert world.files.reads == ["/docs/a.md"]
    assert quoter.stale() == ()


def test_another_content_of_the_same_size_is_stale() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\none\n")
    document = world.document("a.md")
    world.files.write("/docs/a.md", "# A\n\ntwo\n")
    quoter = _quoter(world)
    assert quoter.text("docs", document, LineRange(3, 3)) is None
    assert quoter.stale() == (StaleFile("docs", "a.md"),)


def test_the_same_content_with_another_stat_is_current() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\none\n")
    document = world.document("a.md")
    world.files.remove("/docs/a.md")
    world.files.write("/docs/a.md", "# A\n\none\n", mtime_ns=1)
    assert _quoter(world).text("docs", document, LineRange(3, 3)) == "one\n"


def test_what_cannot_be_read_is_stale() -> None:
    world = SearchWorld()
    world.add("a.md", "# A\n\none\n")
    document = world.document("a.md")
    for code in (errno.EACCES, errno.EIO, errno.EMFILE):
        world.files.fail("/docs/a.md", code)
        assert _quoter(world).source("docs", document) is None
    world.files.fail("/docs/a.md", None)
    world.files.write("/docs/a.md", b"x" * (QUOTE_BYTES_MAX + 1))
    assert _quoter(world).source("docs", document) is None


def test_what_one_question_reads_and_keeps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """R2: a phrase is looked for in hundreds of candidates, which may lie in large files."""
    monkeypatch.setattr(quote, "READ_BYTES_MAX", 350)
    monkeypatch.setattr(quote, "KEPT_BYTES_MAX", 150)
    world = SearchWorld()
    for number in range(5):
        world.add(f"{number}.md", f"# {number}\n\n{'x' * 90}\n")
    quoter = Quoter(files=world.files, folders=world.folders)
    documents = list(world.snapshots()["docs"].iter_documents())
    found = [quoter.source("docs", document) is not None for document in documents]
    assert found == [True, True, True, False, False]
    assert quoter.is_exhausted
    assert quoter.stale() == ()
    world.files.reads.clear()
    assert quoter.source("docs", documents[2]) is not None
    assert world.files.reads == []
