"""The terms of sections, one section after another, as columns of numbers: what postings are built from.

The indexed words of a section are three fields: its own heading (the document's title where it has none, as
in the embedded text), its path (the headings above, the document's title, the file's path), and its text.
Used by the writer, and for large files by the parse child, which is why this loads no numpy.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import chain

from mdmemd.model import DocumentTerms, ParsedDocument

Tokenizer = Callable[[str], Sequence[str]]
"""Text to index terms, in order, with repetitions."""


class Field(IntEnum):
    """Where in a section a term stands."""

    TITLE = 0
    PATH = 1
    BODY = 2


class TermColumns:
    """Grows by a section at a time. ``terms`` and ``lengths`` have one column a field."""

    def __init__(self) -> None:
        self.vocabulary: defaultdict[str, int] = defaultdict()
        self.vocabulary.default_factory = self.vocabulary.__len__  # a new term gets the next number
        self.terms = tuple(array("i") for _ in Field)
        self.lengths = tuple(array("i") for _ in Field)

    def add_section(self, *, title: Iterable[str], path: Iterable[str], body: Iterable[str]) -> None:
        """Append a section with the terms of its three fields, in any order, with repetitions."""
        number = self.vocabulary.__getitem__
        for terms, lengths, words in zip(self.terms, self.lengths, (title, path, body), strict=True):
            before = len(terms)
            terms.extend(map(number, words))
            lengths.append(len(terms) - before)

    def add_document(self, document: ParsedDocument, *, path: str, tokenize: Tokenizer) -> None:
        """Append all sections of the document at the root-relative ``path``."""
        title_terms = tokenize(document.title)
        document_terms = [*title_terms, *tokenize(path)]
        heading_terms: dict[str, Sequence[str]] = {}  # a heading is in the path of every section below it
        for section in document.sections:
            for heading in section.heading_path:
                if heading not in heading_terms:
                    heading_terms[heading] = tokenize(heading)
            above: Iterable[str] = chain.from_iterable(
                heading_terms[heading] for heading in section.heading_path[:-1]
            )
            self.add_section(
                title=heading_terms[section.heading_path[-1]] if section.heading_path else title_terms,
                path=chain(above, document_terms),
                body=tokenize(section.text),
            )

    def add_terms(self, document: DocumentTerms) -> None:
        """Append the sections of a document whose terms have been taken out of it already."""
        numbers = list(map(self.vocabulary.__getitem__, document.vocabulary))
        for column, added in zip(self.terms, document.terms, strict=True):
            column.extend(map(numbers.__getitem__, memoryview(added).cast("i")))
        for column, added in zip(self.lengths, document.lengths, strict=True):
            column.frombytes(added)


def document_terms(document: ParsedDocument, *, path: str, tokenize: Tokenizer) -> DocumentTerms:
    """The terms of one document by themselves."""
    columns = TermColumns()
    columns.add_document(document, path=path, tokenize=tokenize)
    title, heading_path, body = (column.tobytes() for column in columns.terms)
    title_lengths, path_lengths, body_lengths = (column.tobytes() for column in columns.lengths)
    return DocumentTerms(
        vocabulary=tuple(columns.vocabulary),
        terms=(title, heading_path, body),
        lengths=(title_lengths, path_lengths, body_lengths),
    )
