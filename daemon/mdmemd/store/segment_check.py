"""Whether a segment from somewhere else can be one: every number in its range, every path inside its root.

A checksum tells that a file is as it was written, not that a friend wrote it. What this lets through makes no
reader of a segment look outside its columns, and no reader of a document outside its root. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray
from mdmemd.index.attributes import KINDS, Attributes
from mdmemd.index.document_columns import DocumentColumns
from mdmemd.index.segment import PASSAGE_KINDS, SectionColumns, Segment
from mdmemd.index.text_table import TextTable
from mdmemd.sync.scope import SUFFIXES

PATH_CHARACTERS_MAX = 4_096


def check_segment(segment: Segment) -> None:
    """Raises ``ValueError`` with a clause that says what is wrong."""
    passages, postings = segment.passages, segment.postings
    count = segment.section_count
    _check_starts("sections", segment.section_starts, count)
    _check_sections(segment.sections, passages=len(passages.keys))
    _check_starts("terms", postings.starts, len(postings.sections))
    _check_table("terms", postings.vocabulary)
    _check_range("section of a term", postings.sections, count)
    _check_range("kind of a passage", passages.kinds.astype(np.int64), len(PASSAGE_KINDS))
    if len(passages.keys) and int(passages.keys.min()) < 0:
        raise ValueError("a key is negative")
    if passages.numbers.size and int(passages.numbers.min()) < 0:
        raise ValueError("a number is negative")
    if len(segment.numbers_of_paths) != len(segment.documents):
        raise ValueError("a path is twice in it")
    for path in segment.numbers_of_paths:
        _check_path(path)
    _check_documents(segment.documents)
    _check_attributes(segment.attributes, documents=len(segment.documents))


def _check_sections(sections: SectionColumns, *, passages: int) -> None:
    _check_starts("passages", sections.passage_starts, passages)
    _check_starts("headings", sections.heading_starts, len(sections.heading_numbers))
    _check_table("headings", sections.headings)
    _check_range("number of a heading", sections.heading_numbers, len(sections.headings))
    _check_texts(sections.anchors)
    if len(sections.anchors) != len(sections):
        raise ValueError("its sections do not fit each other")
    for numbers in (sections.numbers, sections.lengths):
        if numbers.size and int(numbers.min()) < 0:
            raise ValueError("a number is negative")


def _check_documents(documents: DocumentColumns) -> None:
    columns = (documents.titles, documents.front_matter, documents.links, documents.problems)
    for column in columns:
        _check_texts(column)
    if any(len(column) != len(documents) for column in columns):
        raise ValueError("its documents do not fit each other")
    for number in range(len(documents)):
        matter = documents.front_matter_of(number)
        texts: list[object] = [*matter.tags, *matter.aliases]
        texts += [link.target for link in documents.links_of(number)]
        texts += [
            each for problem in documents.problems_of(number) for each in (problem.kind, problem.message)
        ]
        if not all(type(text) is str for text in texts):
            raise ValueError("a tag, alias, link or problem is no text")
        if not isinstance(matter.properties, dict | None):
            raise ValueError("front matter is no map")


def _check_attributes(attributes: Attributes, *, documents: int) -> None:
    if len(attributes.paths) != documents or list(attributes.paths) != sorted(attributes.paths):
        raise ValueError("its paths are not in order")
    _check_range("document of a path", attributes.by_path, documents)
    _check_range("kind of a document", attributes.kinds.astype(np.int64), len(KINDS))
    maps = (attributes.tags, attributes.properties, attributes.links, attributes.notes, attributes.names)
    for each in maps:
        _check_starts("attributes", each.starts, len(each.documents))
        _check_range("document of an attribute", each.documents, documents)
        if list(each.texts) != sorted(each.texts):
            raise ValueError("its attributes are not in order")


def _check_table(what: str, table: TextTable) -> None:
    _check_texts(table.texts)
    if len(table.texts) != len(table.hashes) or np.any(table.hashes[1:] < table.hashes[:-1]):
        raise ValueError(f"its table of {what} is not in order")


def _check_texts(texts: Iterable[str]) -> None:
    """Decodes each text; one that is no UTF-8 raises ``UnicodeDecodeError``, a ``ValueError``."""
    for _ in texts:
        pass


def _check_starts(what: str, starts: IntArray | Int32Array, end: int) -> None:
    if not len(starts) or int(starts[0]) != 0 or int(starts[-1]) != end or np.any(np.diff(starts) < 0):
        raise ValueError(f"runs of {what} are not in order")


def _check_range(what: str, numbers: IntArray | Int32Array, end: int) -> None:
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= end):
        raise ValueError(f"the {what} is out of range")


def _check_path(path: str) -> None:
    parts = path.split("/")
    is_plain = "\0" not in path and len(path) <= PATH_CHARACTERS_MAX and not {"", ".", ".."} & set(parts)
    if not is_plain or not path.lower().endswith(SUFFIXES):
        raise ValueError(f"{path!r} is no path of a document")
