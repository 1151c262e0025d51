"""A segment of the index to the body of a piece and back. Pure.

Columns, in order (d documents, s sections, p passages, t terms, n postings, h headings; ``columns`` has the
types):

==============================  =====  ==============================================================
identity                        |u1 8
paths                           texts  d
fingerprints                    <u8    d x 5: size, mtime, ctime, inode, device, modulo 2^64
content hashes                  |u1    d x 16
titles                          texts  d
front matter, links, problems   texts  d each, JSON as ``index.document_columns`` has it
runs of sections                <i8    d + 1
headings                        table  distinct headings
heading numbers                 <i4    h in that table, outermost first, section after section
runs of headings                <i4    s + 1
anchors                         texts  s
section numbers                 <i4    s x 5, as ``SectionColumns.numbers``
section lengths                 <i4    3 x s
runs of passages                <i8    s + 1
passage numbers                 <i4    p x 4, as ``PassageColumns.numbers``
passage kinds                   |u1    p positions in ``PASSAGE_KINDS``, whose order is therefore fixed
passage keys                    <i4    p
content ids                     |u1    p x 16
vocabulary                      table  t
runs of postings                <i8    t + 1
postings                        <i4    n sections
frequencies of title, path,     |u1    n each
body
attributes                             as ``attributes_codec`` has them
==============================  =====  ==============================================================
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import ByteArray
from mdmemd.index.document_columns import DocumentColumns
from mdmemd.index.postings import Postings
from mdmemd.index.segment import IDENTITY_BYTES, PassageColumns, SectionColumns, Segment
from mdmemd.model import Fingerprint
from mdmemd.ports import ReadableBuffer
from mdmemd.store.attributes_codec import read_attributes, write_attributes
from mdmemd.store.columns import ColumnReader, ColumnWriter
from mdmemd.text.content_id import CONTENT_ID_BYTES

FINGERPRINT_FIELDS = 5
CONTENT_HASH_BYTES = 16

_WORD = 2**64
_HALF_WORD = 2**63


def encode_segment(segment: Segment) -> list[ReadableBuffer]:
    """The body of a segment's piece."""
    writer = ColumnWriter()
    writer.array("|u1", np.frombuffer(segment.identity, np.uint8))
    _write_documents(writer, segment.documents)
    writer.array("<i8", segment.section_starts)
    _write_sections(writer, segment.sections)
    passages = segment.passages
    writer.array("<i4", passages.numbers)
    writer.array("|u1", passages.kinds)
    writer.array("<i4", passages.keys)
    writer.array("|u1", passages.content_ids)
    postings = segment.postings
    writer.table(postings.vocabulary)
    writer.array("<i8", postings.starts)
    writer.array("<i4", postings.sections)
    for frequencies in postings.frequencies:
        writer.array("|u1", frequencies)
    write_attributes(writer, segment.attributes)
    return writer.parts


def decode_segment(body: memoryview) -> Segment:
    """The segment of a piece's body. Raises ``PieceError``, or ``ValueError`` where values cannot be."""
    reader = ColumnReader(body)
    identity = reader.array("|u1", IDENTITY_BYTES).tobytes()
    documents = _read_documents(reader)
    section_starts = reader.array("<i8", len(documents) + 1)
    sections = _read_sections(reader, int(section_starts[-1]))
    count = int(sections.passage_starts[-1])
    passages = PassageColumns(
        numbers=reader.array("<i4", count, 4),
        kinds=reader.array("|u1", count),
        keys=reader.array("<i4", count),
        content_ids=reader.array("|u1", count, CONTENT_ID_BYTES),
    )
    vocabulary = reader.table()
    starts = reader.array("<i8", len(vocabulary) + 1)
    count = int(starts[-1])
    postings = Postings(
        vocabulary=vocabulary,
        starts=starts,
        sections=reader.array("<i4", count),
        frequencies=(reader.array("|u1", count), reader.array("|u1", count), reader.array("|u1", count)),
    )
    attributes = read_attributes(reader, documents=len(documents))
    reader.end()
    return Segment(documents, section_starts, sections, passages, postings, attributes, identity)


# --- documents ----------------------------------------------------------------------------------------------


def _write_documents(writer: ColumnWriter, documents: DocumentColumns) -> None:
    writer.texts(documents.paths)
    writer.array("<u8", fingerprint_rows(documents.fingerprints))
    hashes = np.frombuffer(b"".join(documents.content_hashes), np.uint8)
    writer.array("|u1", hashes.reshape(-1, CONTENT_HASH_BYTES))
    for texts in (documents.titles, documents.front_matter, documents.links, documents.problems):
        writer.arena(texts)


def _read_documents(reader: ColumnReader) -> DocumentColumns:
    paths = tuple(reader.texts())
    return DocumentColumns(
        paths=paths,
        fingerprints=tuple(fingerprints_of(reader.array("<u8", len(paths), FINGERPRINT_FIELDS))),
        content_hashes=_byte_rows(reader.array("|u1", len(paths), CONTENT_HASH_BYTES)),
        titles=reader.arena(),
        front_matter=reader.arena(),
        links=reader.arena(),
        problems=reader.arena(),
    )


def _byte_rows(rows: ByteArray) -> tuple[bytes, ...]:
    packed, width = rows.tobytes(), rows.shape[1]
    return tuple(packed[start : start + width] for start in range(0, len(packed), width))


def fingerprint_rows(fingerprints: Iterable[Fingerprint]) -> npt.NDArray[np.uint64]:
    """Fingerprints as rows; a value beyond 64 bits comes back as another, so that its file is read again."""
    values = [
        value % _WORD
        for each in fingerprints
        for value in (each.size, each.mtime_ns, each.ctime_ns, each.inode, each.device)
    ]
    return np.array(values, np.uint64).reshape(-1, FINGERPRINT_FIELDS)


def fingerprints_of(rows: npt.NDArray[np.uint64]) -> list[Fingerprint]:
    """The fingerprints of rows."""
    return [
        Fingerprint(size, _signed(mtime_ns), _signed(ctime_ns), inode, device)
        for size, mtime_ns, ctime_ns, inode, device in rows.tolist()
    ]


def _signed(value: int) -> int:
    """Times before 1970 are negative."""
    return value - _WORD if value >= _HALF_WORD else value


# --- sections -----------------------------------------------------------------------------------------------


def _write_sections(writer: ColumnWriter, sections: SectionColumns) -> None:
    writer.table(sections.headings)
    writer.array("<i4", sections.heading_numbers)
    writer.array("<i4", sections.heading_starts)
    writer.arena(sections.anchors)
    writer.array("<i4", sections.numbers)
    writer.array("<i4", sections.lengths)
    writer.array("<i8", sections.passage_starts)


def _read_sections(reader: ColumnReader, count: int) -> SectionColumns:
    return SectionColumns(
        headings=reader.table(),
        heading_numbers=reader.array("<i4", -1),
        heading_starts=reader.array("<i4", count + 1),
        anchors=reader.arena(),
        numbers=reader.array("<i4", count, 5),
        lengths=reader.array("<i4", 3, count),
        passage_starts=reader.array("<i8", count + 1),
    )
