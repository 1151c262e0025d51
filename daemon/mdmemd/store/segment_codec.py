"""A segment of the index to the body of a piece and back. Pure.

Columns, in order (d documents, s sections, p passages, t terms, n postings, h headings; ``columns`` has the
types):

==============================  =====  ==============================================================
identity                        |u1 8
paths                           texts  d
facts                           texts  d, each a JSON list: title, properties, front matter lines, tags,
                                       aliases, status, date, links, problems
fingerprints                    <u8    d x 5: size, mtime, ctime, inode, device, modulo 2^64
content hashes                  |u1    d x 16
runs of sections                <i8    d + 1
heading table                   texts  distinct headings
headings                        <i4    h numbers in that table, outermost first, section after section
runs of headings                <i8    s + 1
anchors                         texts  s
section numbers                 <i4    s x 5, as ``SectionColumns.numbers``
section lengths                 <i4    3 x s
runs of passages                <i8    s + 1
passage numbers                 <i4    p x 4, as ``PassageColumns.numbers``
passage kinds                   |u1    p positions in ``PASSAGE_KINDS``, whose order is therefore fixed
passage keys                    <i4    p
content ids                     |u1    p x 16
vocabulary                      texts  t, by number
runs of postings                <i8    t + 1
postings                        <i4    n sections
frequencies of title, path,     |u1    n each
body
==============================  =====  ==============================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import ByteArray, run_starts
from mdmemd.index.postings import Postings
from mdmemd.index.segment import IDENTITY_BYTES, DocumentFacts, PassageColumns, SectionColumns, Segment
from mdmemd.model import Fingerprint, LineRange, Link, Problem
from mdmemd.ports import ReadableBuffer
from mdmemd.store.columns import ColumnReader, ColumnWriter
from mdmemd.text.content_id import CONTENT_ID_BYTES

CONTENT_HASH_BYTES = 16
FINGERPRINT_FIELDS = 5

_WORD = 2**64
_HALF_WORD = 2**63


def encode_segment(segment: Segment) -> list[ReadableBuffer]:
    """The body of a segment's piece."""
    writer = ColumnWriter()
    writer.array("|u1", np.frombuffer(segment.identity, np.uint8))
    _write_documents(writer, segment)
    _write_sections(writer, segment.sections)
    passages = segment.passages
    writer.array("<i4", passages.numbers)
    writer.array("|u1", passages.kinds)
    writer.array("<i4", passages.keys)
    writer.array("|u1", passages.content_ids)
    postings = segment.postings
    writer.texts(list(postings.vocabulary))
    writer.array("<i8", postings.starts)
    writer.array("<i4", postings.sections)
    for frequencies in postings.frequencies:
        writer.array("|u1", frequencies)
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
    vocabulary = reader.texts()
    starts = reader.array("<i8", len(vocabulary) + 1)
    count = int(starts[-1])
    postings = Postings(
        vocabulary=dict(zip(vocabulary, range(len(vocabulary)), strict=True)),
        starts=starts,
        sections=reader.array("<i4", count),
        frequencies=(reader.array("|u1", count), reader.array("|u1", count), reader.array("|u1", count)),
    )
    reader.end()
    return Segment(documents, section_starts, sections, passages, postings, identity)


# --- documents ----------------------------------------------------------------------------------------------


def _write_documents(writer: ColumnWriter, segment: Segment) -> None:
    documents = segment.documents
    writer.texts([facts.path for facts in documents])
    writer.texts([_facts_json(facts) for facts in documents])
    writer.array("<u8", fingerprint_rows(facts.fingerprint for facts in documents))
    writer.array("|u1", _byte_rows([facts.content_hash for facts in documents], CONTENT_HASH_BYTES))
    writer.array("<i8", segment.section_starts)


def _read_documents(reader: ColumnReader) -> tuple[DocumentFacts, ...]:
    paths, facts = reader.texts(), reader.texts()
    fingerprints = fingerprints_of(reader.array("<u8", len(paths), FINGERPRINT_FIELDS))
    hashes = reader.array("|u1", len(paths), CONTENT_HASH_BYTES)
    return tuple(
        _facts(path, fingerprint, content_hash.tobytes(), json.loads(text))
        for path, text, fingerprint, content_hash in zip(paths, facts, fingerprints, hashes, strict=True)
    )


def _facts_json(facts: DocumentFacts) -> str:
    properties = None if facts.properties is None else dict(facts.properties)
    links = [[link.target, link.path, link.heading, link.line, link.is_embed] for link in facts.links]
    problems = [[problem.kind, problem.message, problem.line] for problem in facts.problems]
    values: list[Any] = [facts.title, properties, facts.front_matter_lines, facts.tags, facts.aliases]
    values += [facts.status, facts.date, links, problems]
    return json.dumps(values, separators=(",", ":"))


def _facts(path: str, fingerprint: Fingerprint, content_hash: bytes, values: Any) -> DocumentFacts:
    title, properties, lines, tags, aliases, status, date, links, problems = values
    return DocumentFacts(
        path=path,
        title=title,
        fingerprint=fingerprint,
        content_hash=content_hash,
        properties=properties,
        front_matter_lines=None if lines is None else LineRange(*lines),
        tags=tuple(tags),
        aliases=tuple(aliases),
        status=status,
        date=date,
        links=tuple(Link(*link) for link in links),
        problems=tuple(Problem(*problem) for problem in problems),
    )


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


def _byte_rows(rows: Sequence[bytes], width: int) -> ByteArray:
    return np.frombuffer(b"".join(rows), np.uint8).reshape(-1, width)


# --- sections -----------------------------------------------------------------------------------------------


def _write_sections(writer: ColumnWriter, sections: SectionColumns) -> None:
    table: dict[str, int] = {}
    headings = [table.setdefault(text, len(table)) for text in chain.from_iterable(sections.heading_paths)]
    writer.texts(list(table))
    writer.array("<i4", np.array(headings, np.int32))
    writer.array("<i8", run_starts([len(path) for path in sections.heading_paths]))
    writer.texts(sections.anchors)
    writer.array("<i4", sections.numbers)
    writer.array("<i4", sections.lengths)
    writer.array("<i8", sections.passage_starts)


def _read_sections(reader: ColumnReader, count: int) -> SectionColumns:
    table = reader.texts()
    headings = [table[number] for number in reader.array("<i4", -1).tolist()]
    starts = reader.array("<i8", count + 1).tolist()
    return SectionColumns(
        heading_paths=tuple(tuple(headings[start:end]) for start, end in pairwise(starts)),
        anchors=tuple(reader.texts()),
        numbers=reader.array("<i4", count, 5),
        lengths=reader.array("<i4", 3, count),
        passage_starts=reader.array("<i8", count + 1),
    )
