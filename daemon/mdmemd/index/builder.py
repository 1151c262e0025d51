"""Parsed files to one segment: ``term_columns`` says which words are indexed. Called by the writer only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from mdmemd.index.arrays import Int32Array, run_starts
from mdmemd.index.attributes import Attributes
from mdmemd.index.document_columns import DocumentColumns
from mdmemd.index.embedded_text import embedded_text
from mdmemd.index.postings import PostingsBuilder
from mdmemd.index.segment import PASSAGE_KINDS, PassageColumns, SectionColumns, Segment
from mdmemd.index.term_columns import Tokenizer
from mdmemd.index.text_arena import TextArena
from mdmemd.index.text_table import TextTable
from mdmemd.model import IndexedFile, ParsedDocument, Passage, Section
from mdmemd.text.content_id import CONTENT_ID_BYTES, content_id

_KIND_NUMBERS = {kind: number for number, kind in enumerate(PASSAGE_KINDS)}


def build_segment(
    files: Sequence[IndexedFile], *, tokenize: Tokenizer, key_of: Callable[[str], int]
) -> Segment:
    """A segment of these files, in their order; ``key_of`` gets each passage's embedded text once."""
    sections = [section for file in files for section in file.document.sections]
    placed = [placed for file in files for placed in _passages_by_section(file.document)]
    passages = [passage for _, found in placed for passage in found]
    postings_builder = PostingsBuilder()
    for file in files:
        if file.terms is None:
            postings_builder.add_document(file.document, path=file.path, tokenize=tokenize)
        else:
            postings_builder.add_terms(file.terms)
    postings, lengths = postings_builder.build()
    headings, heading_numbers = _headings(sections)
    documents = DocumentColumns.of(files)
    # last, since what it counts could not be taken back if something above failed
    keys = [key_of(text) for texts, _ in placed for text in texts]
    content_ids = b"".join(content_id(text) for texts, _ in placed for text in texts)
    return Segment(
        documents=documents,
        section_starts=run_starts([len(file.document.sections) for file in files]),
        sections=SectionColumns(
            headings=headings,
            heading_numbers=heading_numbers,
            heading_starts=run_starts([len(section.heading_path) for section in sections]).astype(np.int32),
            anchors=TextArena.of(section.anchor for section in sections),
            numbers=np.array([_section_numbers(section) for section in sections], np.int32).reshape(-1, 5),
            lengths=lengths,
            passage_starts=run_starts([len(found) for _, found in placed]),
        ),
        passages=PassageColumns(
            numbers=np.array([(*each.lines, *each.block) for each in passages], np.int32).reshape(-1, 4),
            kinds=np.array([_KIND_NUMBERS[each.kind] for each in passages], np.uint8),
            keys=np.array(keys, np.int32),
            content_ids=np.frombuffer(content_ids, np.uint8).reshape(-1, CONTENT_ID_BYTES),
        ),
        postings=postings,
        attributes=Attributes.of(files),
    )


def _headings(sections: Sequence[Section]) -> tuple[TextTable, Int32Array]:
    """The distinct headings, and the numbers of those of each section, one section after another."""
    arrivals: dict[str, int] = {}
    found = [arrivals.setdefault(text, len(arrivals)) for text in chain(*(s.heading_path for s in sections))]
    table, numbers = TextTable.of(arrivals)
    return table, numbers[np.array(found, np.int64)].astype(np.int32)


def _section_numbers(section: Section) -> tuple[int, int, int, int, int]:
    return section.level, section.part or 0, section.lines.first, section.lines.last, section.tokens


def _passages_by_section(document: ParsedDocument) -> list[tuple[list[str], list[Passage]]]:
    """For each section its passages, in their order, and their embedded texts."""
    found: list[tuple[list[str], list[Passage]]] = [([], []) for _ in document.sections]
    for passage in document.passages:
        texts, passages = found[passage.section]
        texts.append(embedded_text(document, document.sections[passage.section], passage))
        passages.append(passage)
    return found
