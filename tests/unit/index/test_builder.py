"""Parsed files to a segment."""

from __future__ import annotations

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index.builder import build_segment
from mdmemd.index.segment import Segment
from mdmemd.index.term_columns import Field
from mdmemd.model import IndexedFile, ParsedDocument


def build(*files: IndexedFile) -> tuple[Segment, list[str]]:
    embedded: list[str] = []

    def key_of(text: str) -> int:
        embedded.append(text)
        return len(embedded)

    return build_segment(files, tokenize=words, key_of=key_of), embedded


def frequencies(segment: Segment, term: str, section: int) -> tuple[int, ...]:
    run = segment.postings.find(term)
    assert run is not None
    position = segment.postings.sections[run].tolist().index(section)
    return tuple(int(column[run][position]) for column in segment.postings.frequencies)


def test_the_three_fields() -> None:
    file = indexed_file("dir file.md", (("Top", "Sub"), "text Sub"), title="Title")
    segment, _ = build(file)
    assert frequencies(segment, "Sub", 0) == (1, 0, 1)
    assert frequencies(segment, "Top", 0) == (0, 1, 0)
    assert frequencies(segment, "Title", 0) == (0, 1, 0)
    assert frequencies(segment, "dir", 0) == (0, 1, 0)
    assert frequencies(segment, "text", 0) == (0, 0, 1)
    assert segment.sections.lengths[:, 0].tolist() == [1, 4, 2]


def test_the_title_stands_for_a_missing_heading() -> None:
    segment, embedded = build(indexed_file("a.md", ((), "text"), title="Title"))
    assert frequencies(segment, "Title", 0)[Field.TITLE] == 1
    assert embedded == ["Title: text"]


def test_passages_are_grouped_by_section_whatever_their_order() -> None:
    file = indexed_file("a.md", (("A",), "one\ntwo"), (("B",), "three"))
    document = file.document
    shuffled = (document.passages[2], document.passages[0], document.passages[1])
    reordered = ParsedDocument(document.title, document.sections, shuffled)
    segment, embedded = build(IndexedFile(file.path, file.fingerprint, file.content_hash, reordered))
    assert embedded == ["A: one", "A: two", "B: three"]
    assert segment.passages.keys.tolist() == [1, 2, 3]
    assert segment.passages.numbers[:, 0].tolist() == [1, 2, 3]


def test_files_without_sections_and_sections_without_passages() -> None:
    segment, embedded = build(indexed_file("a.md"), indexed_file("b.md", (("B",), "")))
    assert embedded == []
    assert [segment.sections_of(0), segment.sections_of(1)] == [range(0), range(1)]
    assert segment.passages_of(range(1)) == range(0)
    assert segment.document_of(0) == 1
