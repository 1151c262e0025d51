"""Terms taken out of a document beforehand give the same postings as terms taken out of it by the index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index.builder import build_segment
from mdmemd.index.segment import Segment
from mdmemd.index.term_columns import document_terms
from mdmemd.model import IndexedFile

FILES = [
    indexed_file("a.md", (("Top",), "one two two"), (("Top", "Sub"), "two three")),
    indexed_file("b.md", ((), "three four"), title="Title"),
    indexed_file("empty.md"),
]


def counted(file: IndexedFile) -> IndexedFile:
    return replace(file, terms=document_terms(file.document, path=file.path, tokenize=words))


def build(*files: IndexedFile) -> Segment:
    return build_segment(files, tokenize=words, key_of=lambda _: 0)


def test_a_segment_is_the_same_whoever_took_the_terms_out() -> None:
    for chosen in ([0, 1, 2], [0], [1], [2], []):
        plain = build(*FILES)
        mixed = build(*(counted(file) if number in chosen else file for number, file in enumerate(FILES)))
        assert list(mixed.postings.vocabulary.texts) == list(plain.postings.vocabulary.texts)
        np.testing.assert_array_equal(mixed.postings.starts, plain.postings.starts)
        np.testing.assert_array_equal(mixed.postings.sections, plain.postings.sections)
        np.testing.assert_array_equal(mixed.postings.frequencies, plain.postings.frequencies)
        np.testing.assert_array_equal(mixed.sections.lengths, plain.sections.lengths)


def test_terms_beforehand_are_not_taken_out_again() -> None:
    files = [counted(file) for file in FILES]

    def never(text: str) -> list[str]:
        raise AssertionError(text)

    build_segment(files, tokenize=never, key_of=lambda _: 0)
