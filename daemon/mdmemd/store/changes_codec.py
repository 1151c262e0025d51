"""What was deleted and touched in the segments of one generation, to the body of a piece and back. Pure.

Columns: the number of segments (``<i4``, one value), then for each segment its identity (``|u1`` 8), the
numbers of its deleted documents (``<i4``), the numbers of its touched documents (``<i4``) and their
fingerprints (``<u8``, as in ``segment_codec``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array
from mdmemd.index.segment import IDENTITY_BYTES
from mdmemd.index.snapshot import SegmentView
from mdmemd.model import Fingerprint
from mdmemd.ports import ReadableBuffer
from mdmemd.store.columns import ColumnReader, ColumnWriter
from mdmemd.store.segment_codec import FINGERPRINT_FIELDS, fingerprint_rows, fingerprints_of


@dataclass(frozen=True, slots=True, eq=False)
class SegmentChanges:
    """What has become of one segment: its deleted documents, and newer fingerprints, by number."""

    deleted: Int32Array
    fingerprints: Mapping[int, Fingerprint]


def encode_changes(views: Sequence[SegmentView]) -> list[ReadableBuffer]:
    """The body of a generation's changes."""
    writer = ColumnWriter()
    writer.array("<i4", np.array([len(views)]))
    for view in views:
        writer.array("|u1", np.frombuffer(view.segment.identity, np.uint8))
        writer.array("<i4", view.deletions.document_numbers())
        writer.array("<i4", np.fromiter(view.fingerprints, np.int32, len(view.fingerprints)))
        writer.array("<u8", fingerprint_rows(view.fingerprints.values()))
    return writer.parts


def decode_changes(body: memoryview) -> dict[bytes, SegmentChanges]:
    """Changes by identity of the segment. Raises ``PieceError``."""
    reader = ColumnReader(body)
    changes: dict[bytes, SegmentChanges] = {}
    for _ in range(int(reader.array("<i4", 1)[0])):
        identity = reader.array("|u1", IDENTITY_BYTES).tobytes()
        deleted = reader.array("<i4", -1)
        touched = reader.array("<i4", -1).tolist()
        fingerprints = fingerprints_of(reader.array("<u8", len(touched), FINGERPRINT_FIELDS))
        changes[identity] = SegmentChanges(deleted, dict(zip(touched, fingerprints, strict=True)))
    reader.end()
    return changes
