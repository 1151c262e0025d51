"""What travels between the daemon and its parse child, over the child's standard input and output.

Format: each frame is a 4-byte little-endian length and that many bytes. A file goes as two frames, ``Job`` in
msgpack and the bytes of the file; its answer is any number of ``Piece`` and then ``End``, or ``NoMemory``,
all in msgpack. Both ends are of one build: there is no version. msgpack and not pickle, so that a child which
was taken over by what it parsed cannot run code in the daemon. Pieces are small because decoding one holds
the interpreter.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, TypeVar

import msgspec

from mdmemd.model import (
    ChunkMode,
    DocumentTerms,
    Link,
    ParsedDocument,
    ParsedFile,
    Passage,
    Problem,
    Section,
)

T = TypeVar("T")

_LENGTH = struct.Struct("<I")

PIECE_ITEMS = 2_000
"""Takes about 5 ms to decode."""


class Job(msgspec.Struct, frozen=True, array_like=True):
    """One file: with ``give_up`` as plain line windows, which then have that problem.

    ``cpu_seconds`` is what it may take; the child dies of ``SIGPROF`` when that is used up.
    """

    path: str
    chunk_mode: ChunkMode
    cpu_seconds: float
    give_up: Problem | None


class Piece(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Some of the long lists of a document, in their order."""

    sections: tuple[Section, ...] = ()
    passages: tuple[Passage, ...] = ()
    links: tuple[Link, ...] = ()
    vocabulary: tuple[str, ...] = ()


class End(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Everything but the lists that came in pieces."""

    document: ParsedDocument
    terms: DocumentTerms


class NoMemory(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The file needs more memory than the child may have; the child ends after this."""


encode = msgspec.msgpack.Encoder().encode
decode_job = msgspec.msgpack.Decoder(Job).decode
_decode_answer = msgspec.msgpack.Decoder(Piece | End | NoMemory).decode


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Write one frame; the caller flushes."""
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)


def read_frame(stream: IO[bytes]) -> bytes:
    """The body of the next frame. Raises ``EOFError`` where the other side has gone."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return _read(stream, length)


def answer_frames(document: ParsedDocument, terms: DocumentTerms) -> Iterator[bytes]:
    """The bodies of a whole answer."""
    for sections in _pieces(document.sections):
        yield encode(Piece(sections=sections))
    for passages in _pieces(document.passages):
        yield encode(Piece(passages=passages))
    for links in _pieces(document.links):
        yield encode(Piece(links=links))
    for words in _pieces(terms.vocabulary):
        yield encode(Piece(vocabulary=words))
    yield encode(End(replace(document, sections=(), passages=(), links=()), replace(terms, vocabulary=())))


def read_answer(stream: IO[bytes]) -> ParsedFile | None:
    """A whole answer; ``None`` where the child's memory was not enough.

    Raises ``EOFError`` where the child has gone, ``ValueError`` where it wrote something else.
    """
    sections: list[Section] = []
    passages: list[Passage] = []
    links: list[Link] = []
    vocabulary: list[str] = []
    while True:
        match _decode_answer(read_frame(stream)):
            case Piece() as piece:
                sections += piece.sections
                passages += piece.passages
                links += piece.links
                vocabulary += piece.vocabulary
            case End(document, terms):
                return ParsedFile(
                    replace(document, sections=tuple(sections), passages=tuple(passages), links=tuple(links)),
                    replace(terms, vocabulary=tuple(vocabulary)),
                )
            case NoMemory():
                return None


def _pieces(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    for start in range(0, len(items), PIECE_ITEMS):
        yield items[start : start + PIECE_ITEMS]


def _read(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the pipe has ended")
    return data
