"""One file from the walk's word that it differs to what the index shall do about it.

Invariants: only the walk knows that a file belongs to the root: what stands at its path now may be a link out
of it, so a file that is no longer the one seen is not used. Equal content is not parsed again. Runs on the
writer for small files and on the reader of large ones for the others; does no IO but through the
``FileSystem`` port.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.model import ChunkMode, Fingerprint, IndexedFile, ParsedFile, Problem
from mdmemd.ports import FileSystem
from mdmemd.search.quote import content_hash
from mdmemd.sync.scan import TOO_LARGE

log = logging.getLogger(__name__)

_LASTING = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL, errno.ELOOP, errno.ENOTDIR, errno.EISDIR})
"""What the file itself must change for; anything else may be over at the next look."""

FAILED = Problem("failed", "its indexing failed; the log says why")
"""The problem of a document that brings out a bug."""


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file that differs from the index.

    Attributes:
        folder: the root's.
        path: relative to it.
        seen: what the walk saw.
        known_hash: of the content that the index has, ``None`` where it has none.
        chunk_mode: the root's.
    """

    folder: str
    path: str
    seen: Fingerprint
    known_hash: bytes | None
    chunk_mode: ChunkMode


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The content is what the index has; only the fingerprint is new."""

    path: str
    fingerprint: Fingerprint


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The file is there and cannot be used.

    It leaves the index and is not tried again until ``seen`` changes; unless the fault is the disk's or the
    system's and ``is_passing``: then what is indexed stays, and every look tries again.
    """

    path: str
    seen: Fingerprint
    problem: Problem
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """The file is no longer the one that was seen, or is gone: another walk must say what that means."""

    path: str
    seen: Fingerprint


@dataclass(frozen=True, slots=True)
class Larger:
    """The file has more bytes than were asked for."""

    path: str


Outcome = IndexedFile | Unchanged | Unreadable | Replaced | Larger

Parse = Callable[[bytes, FileToRead], ParsedFile]
"""Never raises on a document; ``OSError`` where parsing itself is not possible just now."""


def read_file(files: FileSystem, wanted: FileToRead, *, parse: Parse, bytes_max: int) -> Outcome:
    """Read and parse one file; never raises for what a file or a disk can do."""
    path = wanted.path
    try:
        content, fingerprint = files.read(os.path.join(wanted.folder, path), bytes_max=bytes_max)
    except FileNotFoundError:
        return Replaced(path, wanted.seen)
    except OSError as error:
        if error.errno == errno.EFBIG:
            return Larger(path)
        problem = Problem("unreadable", f"cannot be read: {error.strerror}")
        return Unreadable(path, wanted.seen, problem, is_passing=error.errno not in _LASTING)
    if (fingerprint.inode, fingerprint.device) != (wanted.seen.inode, wanted.seen.device):
        return Replaced(path, wanted.seen)
    hash_ = content_hash(content)
    if hash_ == wanted.known_hash:
        return Unchanged(path, fingerprint)
    try:
        parsed = parse(content, wanted)
    except OSError as error:
        problem = Problem("unparsed", f"cannot be parsed: {error.strerror}")
        return Unreadable(path, wanted.seen, problem, is_passing=True)
    except Exception:  # a bug that one document brings out must not cost the others
        log.exception("parsing %s failed", path)
        return failed(wanted)
    return IndexedFile(path, fingerprint, hash_, parsed.document, parsed.terms)


def too_large(wanted: FileToRead) -> Unreadable:
    """What a file is that has more bytes than any document may have."""
    return Unreadable(wanted.path, wanted.seen, TOO_LARGE)


def failed(wanted: FileToRead) -> Unreadable:
    """What a file is that brings out a bug."""
    return Unreadable(wanted.path, wanted.seen, FAILED)
