"""A root's index as one portable file.

Format: pieces as in ``piece``, one after another, with ``ARCHIVE_KEY`` in place of a root's key: first
``arch``, a JSON object with the fields of ``ArchiveFacts``; then the segments, then the runs of vectors; last
``aend``, a JSON array with the checksums of all pieces before it. Nothing is between the pieces or behind
the last. Paths are relative to the root, and fingerprints of files are not used. Segments hold only what
lives: nothing that was deleted travels.

Invariants of reading: the file is not trusted. No more is read than the file holds and no piece larger than
``PIECE_BYTES_MAX``; a piece counts only if all of it is as it was written, a segment only if
``segment_check`` finds nothing wrong with it. Pure but for the file that it is given to read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from mdmemd.index.arrays import Int32Array
from mdmemd.index.deletions import Deletions
from mdmemd.index.image import RootImage, SavedVectors
from mdmemd.index.merge import MergeInput, merge_segments
from mdmemd.index.segment import Segment
from mdmemd.index.snapshot import RootSnapshot, SegmentView
from mdmemd.index.vector_rows import HalfMatrix
from mdmemd.model import ChunkMode, Fingerprint
from mdmemd.ports import ArchiveSource, ReadableBuffer
from mdmemd.store.columns import ColumnWriter
from mdmemd.store.piece import (
    CHECKSUM_BYTES,
    HEADER_BYTES,
    PieceError,
    PieceKind,
    checksum_of,
    read_header,
    seal,
    unseal,
)
from mdmemd.store.segment_check import check_segment
from mdmemd.store.segment_codec import decode_segment, encode_segment
from mdmemd.store.vectors_codec import RUN_ROWS_MAX, decode_vectors

ARCHIVE_KEY = bytes(16)
PIECE_BYTES_MAX = 1 << 30
FACTS_BYTES_MAX = 1 << 20
UNIT_TOLERANCE = 0.01
"""How far the length of a vector of binary16 components may be from 1."""

NO_FILE = Fingerprint(size=-1, mtime_ns=0, ctime_ns=0, inode=0, device=0)
"""No file has it, so that each is read and compared by its content hash."""


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """What the index in an archive was made of and by.

    Attributes:
        name: the root's name where it was exported.
        chunk_mode, feature, text, tokenizer, model, dimensions: see ``manifest.Making``.
        vectors_by: fingerprint of the encoder that gave the vectors, empty where there are none.
        documents, passages, embedded: live ones.
        segments, vectors: how many pieces of each follow.
    """

    name: str
    chunk_mode: ChunkMode
    feature: int
    text: int
    tokenizer: int
    model: str
    dimensions: int
    vectors_by: str
    documents: int
    passages: int
    embedded: int
    segments: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Archive:
    """What was read."""

    facts: ArchiveFacts
    image: RootImage


# --- writing ------------------------------------------------------------------------------------------------


def encode_archive(snapshot: RootSnapshot, facts: ArchiveFacts) -> Iterator[ReadableBuffer]:
    """The parts of the file; ``segments`` and ``vectors`` of the facts are filled in here."""
    segments = [_compact(view) for view in snapshot.segments]
    segments = [segment for segment in segments if segment.documents]
    keys = np.unique(np.concatenate([np.zeros(0, np.int32), *(each.passages.keys for each in segments)]))
    slots = snapshot.vectors.slots.find(keys)
    has_vector = (slots >= 0) & (slots < snapshot.vectors.count)
    embedded, rows = keys[has_vector], slots[has_vector]
    runs = [slice(start, start + RUN_ROWS_MAX) for start in range(0, len(embedded), RUN_ROWS_MAX)]
    facts = replace(facts, segments=len(segments), vectors=len(runs))
    checksums: list[str] = []

    def piece(kind: PieceKind, body: Sequence[ReadableBuffer]) -> tuple[ReadableBuffer, ...]:
        sealed = seal(kind, body, root=ARCHIVE_KEY)
        checksums.append(sealed.checksum.hex())
        return sealed.parts

    yield from piece(PieceKind.ARCHIVE, [json.dumps(asdict(facts)).encode()])
    for segment in segments:
        passages = replace(segment.passages, keys=_renumbered(segment.passages.keys, keys))
        yield from piece(PieceKind.SEGMENT, encode_segment(replace(segment, passages=passages)))
    for run in runs:
        writer = ColumnWriter()
        writer.array("<i4", _renumbered(embedded[run], keys))
        writer.array("<f2", snapshot.vectors.rows.take(rows[run].astype(np.int64)))
        yield from piece(PieceKind.VECTORS, writer.parts)
    yield from piece(PieceKind.ARCHIVE_END, [json.dumps(checksums).encode()])


def _compact(view: SegmentView) -> Segment:
    """The segment without what was deleted from it."""
    segment = view.segment
    if view.live_documents.all() and not view.fingerprints:
        return segment
    live_sections = view.live_sections
    if live_sections is None:
        live_sections = np.ones(segment.section_count, np.bool_)
    return merge_segments([MergeInput(segment, view.live_documents, live_sections, view.fingerprints)])


def _renumbered(keys: Int32Array, all_keys: Int32Array) -> Int32Array:
    """Keys as positions among all that are used, so that a reader can bound them."""
    return np.searchsorted(all_keys, keys).astype(np.int32)


# --- reading ------------------------------------------------------------------------------------------------


def read_facts(source: ArchiveSource) -> tuple[ArchiveFacts, str]:
    """The first piece and its checksum.

    Raises ``PieceError``, ``NewerFormatError``, ``OSError``.
    """
    content = _read_piece(source, PieceKind.ARCHIVE, bytes_max=FACTS_BYTES_MAX)
    try:
        fields = json.loads(bytes(unseal(PieceKind.ARCHIVE, content, root=ARCHIVE_KEY)))
        fields["chunk_mode"] = ChunkMode(fields["chunk_mode"])
        facts = ArchiveFacts(**fields)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PieceError(f"its fields are not as expected ({error})") from error
    texts = (facts.name, facts.model, facts.vectors_by)
    numbers = [value for name, value in asdict(facts).items() if name not in ("name", "model", "vectors_by")]
    are_numbers = all(type(value) is int and value >= 0 for value in numbers if value != facts.chunk_mode)
    if not all(type(text) is str for text in texts) or not are_numbers:
        raise PieceError("its fields are not as expected")
    return facts, checksum_of(content).hex()


def read_archive(source: ArchiveSource, *, use_vectors: bool) -> Archive:
    """The whole file, checked; without ``use_vectors`` they are checked and left out.

    Raises ``PieceError``, ``NewerFormatError``, ``OSError``.
    """
    facts, checksum = read_facts(source)
    checksums = [checksum]

    def body(kind: PieceKind) -> memoryview:
        content = _read_piece(source, kind, bytes_max=PIECE_BYTES_MAX)
        checksums.append(checksum_of(content).hex())
        return unseal(kind, content, root=ARCHIVE_KEY)

    segments = [_segment(body(PieceKind.SEGMENT)) for _ in range(facts.segments)]
    _check_together(segments, facts)
    passages = sum(len(segment.passages.keys) for segment in segments)
    vectors = _vectors([body(PieceKind.VECTORS) for _ in range(facts.vectors)], facts, keys_max=passages)
    try:
        told = json.loads(bytes(body(PieceKind.ARCHIVE_END)))
    except (ValueError, RecursionError) as error:
        raise PieceError("its end is not as expected") from error
    if told != checksums[:-1] or source.read(1):
        raise PieceError("its pieces are not those that were written together")
    views = tuple(
        SegmentView(segment, Deletions().frozen(), dict.fromkeys(range(len(segment.documents)), NO_FILE))
        for segment in segments
    )
    return Archive(facts, RootImage(views, vectors if use_vectors else SavedVectors.none()))


def _read_piece(source: ArchiveSource, kind: PieceKind, *, bytes_max: int) -> bytes:
    header = source.read(HEADER_BYTES)
    length = read_header(header, kind)
    if length > min(bytes_max, source.size_bytes):
        raise PieceError("it is cut off, or a piece of it is larger than any can be")
    return header + source.read(length + CHECKSUM_BYTES)


def _segment(body: memoryview) -> Segment:
    try:
        segment = decode_segment(body)
        check_segment(segment)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
        raise PieceError(f"a segment cannot be ({error})") from error
    return segment


def _check_together(segments: Sequence[Segment], facts: ArchiveFacts) -> None:
    paths = [path for segment in segments for path in segment.numbers_of_paths]
    passages = sum(len(segment.passages.keys) for segment in segments)
    if (len(paths), passages) != (facts.documents, facts.passages) or len(set(paths)) != len(paths):
        raise PieceError("its documents are not those that were written")
    if any(int(segment.passages.keys.max(initial=0)) >= max(passages, 1) for segment in segments):
        raise PieceError("a key is larger than any can be")


def _vectors(bodies: Sequence[memoryview], facts: ArchiveFacts, *, keys_max: int) -> SavedVectors:
    keys: list[Int32Array] = []
    rows: list[HalfMatrix] = []
    for body in bodies:
        found = decode_vectors(body, dimensions=facts.dimensions)
        lengths = np.linalg.norm(found[1].astype(np.float32), axis=1)
        if not np.all(np.abs(lengths - 1) < UNIT_TOLERANCE):
            raise PieceError("a vector has not the length 1")
        keys.append(found[0])
        rows.append(found[1])
    joined = np.concatenate([np.zeros(0, np.int32), *keys])
    is_bounded = int(joined.min(initial=0)) >= 0 and int(joined.max(initial=0)) < max(keys_max, 1)
    if not is_bounded or len(np.unique(joined)) != len(joined):
        raise PieceError("the keys of its vectors cannot be")
    return SavedVectors(joined, tuple(rows), None)
