"""What is embedded for a passage."""

from __future__ import annotations

from mdmem_testkit.documents import indexed_file
from mdmemd.index.embedded_text import embedded_text
from mdmemd.text.content_id import CONTENT_ID_BYTES, content_id


def test_breadcrumb_comes_first() -> None:
    document = indexed_file("a.md", (("Guide", "Install"), "Run it.")).document
    assert embedded_text(document, document.sections[0], document.passages[0]) == "Guide > Install: Run it."


def test_title_stands_for_an_empty_breadcrumb() -> None:
    document = indexed_file("a.md", ((), "Hello."), title="Notes").document
    assert embedded_text(document, document.sections[0], document.passages[0]) == "Notes: Hello."


def test_content_id_is_of_the_whole_text() -> None:
    assert len(content_id("a")) == CONTENT_ID_BYTES
    assert content_id("a: b") == content_id("a: b") != content_id("a: b ")


def test_lone_surrogates_have_an_id() -> None:
    assert content_id("\ud800") != content_id("\ud801")
