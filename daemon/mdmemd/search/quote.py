"""The text of indexed lines, read from disk at the moment of the answer.

Invariants: nothing stale is ever quoted: a file counts as current when its ``stat`` is what was indexed, else
when the BLAKE2b-128 of its bytes is; anything else, gone and unreadable included, is stale. Each file is read
at most once a ``Quoter``, which lives for one question on one thread of the query pool. Deliberately knows no
headings: ``reading`` and ``excerpt`` say which lines.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

from mdmemd.index.snapshot import DocumentRecord
from mdmemd.model import LineRange
from mdmemd.ports import FileSystem
from mdmemd.search.page import StaleFile
from mdmemd.text.source import SourceText

QUOTE_BYTES_MAX = 10 * 1024 * 1024
"""Larger files are not indexed, so that a file which grew beyond it is stale by definition."""

CONTENT_HASH_BYTES = 16


class Quoter:
    """Reads documents for one answer. ``folders`` maps the names of roots to their absolute folders."""

    def __init__(self, *, files: FileSystem, folders: Mapping[str, str]) -> None:
        self._files = files
        self._folders = folders
        self._sources: dict[tuple[str, str], SourceText | None] = {}

    def source(self, root: str, document: DocumentRecord) -> SourceText | None:
        """The decoded file, or ``None`` where it no longer is what was indexed."""
        key = (root, document.path)
        if key not in self._sources:
            self._sources[key] = self._read(root, document)
        return self._sources[key]

    def text(self, root: str, document: DocumentRecord, lines: LineRange) -> str | None:
        """These lines verbatim, or ``None`` where the file no longer is what was indexed."""
        source = self.source(root, document)
        return None if source is None else source.slice(lines)

    def stale(self) -> tuple[StaleFile, ...]:
        """The documents asked for so far that were found stale, in the order asked."""
        return tuple(StaleFile(*key) for key, source in self._sources.items() if source is None)

    def _read(self, root: str, document: DocumentRecord) -> SourceText | None:
        path = os.path.join(self._folders[root], document.path)
        try:
            data, fingerprint = self._files.read(path, bytes_max=QUOTE_BYTES_MAX)
        except OSError:
            return None
        if fingerprint != document.fingerprint and content_hash(data) != document.content_hash:
            return None
        return SourceText.decode(data)


def content_hash(data: bytes) -> bytes:
    """BLAKE2b-128 of a file's bytes, which is how the index knows content."""
    return hashlib.blake2b(data, digest_size=CONTENT_HASH_BYTES).digest()
