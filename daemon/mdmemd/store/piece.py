"""The frame around every file of a saved index but ``CURRENT``. Pure.

Format, little-endian:

=======  =====  ==================================================================================
offset   bytes
=======  =====  ==================================================================================
0        8      ``MAGIC``
8        4      kind of piece, ASCII
12       4      ``FORMAT``
16       16     key of the root (``layout.root_key``)
32       8      length of the body
40       n      body
40 + n   16     BLAKE2b-128 of everything before
=======  =====  ==================================================================================

A piece is opened only if all of it is as it was written. The magic, the place of the format number and the
checksum over all the rest stay the same in every format, so that any version can tell a newer piece, which it
leaves alone, from a damaged one. The format's number goes up when an older reader could not read it; history:

1. Segments, changes, vectors as columns; manifest as JSON.
2. Segments end in the attributes of their documents.
3. Lengths of texts in bytes; terms and headings as tables; front matter, links and problems apart.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from mdmemd.ports import ReadableBuffer
from mdmemd.store.layout import ROOT_KEY_BYTES

FORMAT = 3
MAGIC = b"mdmemIDX"
CHECKSUM_BYTES = 16

_HEADER = struct.Struct(f"<8s4sI{ROOT_KEY_BYTES}sQ")
HEADER_BYTES = _HEADER.size


class PieceKind(Enum):
    """What a piece holds."""

    MANIFEST = b"mani"
    SEGMENT = b"segm"
    CHANGES = b"chng"
    VECTORS = b"vect"
    ARCHIVE = b"arch"
    ARCHIVE_END = b"aend"


class PieceError(Exception):
    """A piece is not what was written. The message is a clause without a full stop."""


class NewerFormatError(Exception):
    """A whole piece of a format that only a newer version reads."""


@dataclass(frozen=True, slots=True)
class SealedPiece:
    """A piece ready to be written."""

    parts: tuple[ReadableBuffer, ...]
    size_bytes: int
    checksum: bytes


def seal(kind: PieceKind, body: Sequence[ReadableBuffer], *, root: bytes) -> SealedPiece:
    """Frame a body of views of single bytes; nothing of it is copied."""
    body_bytes = sum(map(len, body))
    header = _HEADER.pack(MAGIC, kind.value, FORMAT, root, body_bytes)
    digest = hashlib.blake2b(header, digest_size=CHECKSUM_BYTES)
    for part in body:
        digest.update(part)
    checksum = digest.digest()
    size_bytes = HEADER_BYTES + body_bytes + CHECKSUM_BYTES
    return SealedPiece((header, *body, checksum), size_bytes, checksum)


def unseal(kind: PieceKind, content: bytes, *, root: bytes) -> memoryview:
    """The body.

    Raises:
        PieceError: it is damaged, or another kind's or another root's.
        NewerFormatError: it is intact and newer.
    """
    if len(content) < HEADER_BYTES + CHECKSUM_BYTES or content[: len(MAGIC)] != MAGIC:
        raise PieceError("it is cut off or no file of mdmem")
    view = memoryview(content)
    digest = hashlib.blake2b(view[:-CHECKSUM_BYTES], digest_size=CHECKSUM_BYTES).digest()
    if digest != view[-CHECKSUM_BYTES:]:
        raise PieceError("its checksum does not fit")
    _, found_kind, found_format, found_root, length = _HEADER.unpack_from(content)
    if found_format > FORMAT:
        raise NewerFormatError(f"format {found_format}")
    if found_format < FORMAT:
        raise PieceError(f"it has the old format {found_format}")
    if found_kind != kind.value or found_root != root:
        raise PieceError("it belongs elsewhere")
    if length != len(content) - HEADER_BYTES - CHECKSUM_BYTES:
        raise PieceError("its length does not fit")
    return view[HEADER_BYTES:-CHECKSUM_BYTES]


def read_header(header: bytes, kind: PieceKind) -> int:
    """The length of the body that follows, from the first ``HEADER_BYTES`` of a piece.

    Says nothing about the rest: ``unseal`` does. Raises ``PieceError`` where it begins no such piece.
    """
    if len(header) < HEADER_BYTES or header[: len(MAGIC)] != MAGIC:
        raise PieceError("it is cut off or no file of mdmem")
    _, found_kind, _, _, length = _HEADER.unpack_from(header)
    if found_kind != kind.value:
        raise PieceError("it belongs elsewhere")
    return int(length)


def checksum_of(content: bytes) -> bytes:
    """The checksum that a piece ends in."""
    return content[-CHECKSUM_BYTES:]
