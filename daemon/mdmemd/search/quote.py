"""The text of indexed lines, read from disk at the moment of the answer.

Invariants: nothing stale is ever quoted: a file counts as current when its ``stat`` is what was indexed, else
when the BLAKE2b-128 of its bytes is; anything else, gone and unreadable included, is stale. What a question
reads and what it keeps are bounded. A ``Quoter`` lives for one question on one thread of the query pool.
Deliberately knows no headings: ``reading`` and ``excerpt`` say which lines.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping

from mdmemd.index.snapshot import DocumentRecord
from mdmemd.model import LineRange
from mdmemd.ports import FileSystem
from mdmemd.search.page import StaleFile
from mdmemd.text.source import SourceText

QUOTE_BYTES_MAX = 10 * 1024 * 1024
"""Larger files are not indexed, so that a file which grew beyond it is stale by definition."""

READ_BYTES_MAX = 64 * 1024 * 1024
"""What one question may read: a phrase can be looked for in hundreds of candidates, each in a large file."""

KEPT_BYTES_MAX = 16 * 1024 * 1024
"""Decoded files that are kept for further sections of theirs; four questions at a time have as much each."""

_Key = tuple[str, str]

CONTENT_HASH_BYTES = 16


class Quoter:
    """Reads documents for one answer. ``folders`` maps the names of roots to their absolute folders."""

    def __init__(self, *, files: FileSystem, folders: Mapping[str, str]) -> None:
        self._files = files
        self._folders = folders
        self._kept: OrderedDict[_Key, tuple[int, SourceText]] = OrderedDict()
        self._stale: dict[_Key, None] = {}
        self._bytes_read = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether a file was left out because reading more would cost too much for one question."""
        return self._bytes_read > READ_BYTES_MAX

    def source(self, root: str, document: DocumentRecord) -> SourceText | None:
        """The decoded file; ``None`` where it no longer is what was indexed, or enough has been read."""
        key = (root, document.path)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        if key in self._stale:
            return None
        self._bytes_read += document.fingerprint.size
        if self.is_exhausted:
            return None
        source = self._read(root, document)
        if source is None:
            self._stale[key] = None
            return None
        self._kept[key] = (document.fingerprint.size, source)
        while len(self._kept) > 1 and sum(size for size, _ in self._kept.values()) > KEPT_BYTES_MAX:
            self._kept.popitem(last=False)
        return source

    def text(self, root: str, document: DocumentRecord, lines: LineRange) -> str | None:
        """These lines verbatim, or ``None`` where ``source`` gives none."""
        source = self.source(root, document)
        return None if source is None else source.slice(lines)

    def stale(self) -> tuple[StaleFile, ...]:
        """The documents asked for so far that were found stale, in the order asked."""
        return tuple(StaleFile(*key) for key in self._stale)

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
