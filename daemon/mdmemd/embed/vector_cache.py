"""Remembers vectors by content, so that a lost index or a second worktree is not embedded again.

Invariants: it can be deleted at any time, and a new one is begun then; it never raises for anything that is
wrong with the disk or the file, and never gives a vector other than the one stored. What may go wrong, and
what becomes of it:

=============================================  ============================================================
the file is damaged, or of another version     moved aside (one such file is kept) and a new one begun
disk full, folder read-only, locked, IO error  off for ``RETRY_SECONDS``: nothing is found, nothing stored
=============================================  ============================================================

Both are logged and told in ``message`` for status. Used by the embedder thread only; after that thread has
ended, whoever stopped it closes the cache. ``message`` may be read on any thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from mdmemd.embed.vector_file import SIDE_FILES, OtherSchemaError, VectorFile
from mdmemd.model import FloatVector
from mdmemd.ports import Clock

log = logging.getLogger(__name__)

T = TypeVar("T")

BYTES_MAX = 1 << 30
"""Room for about 1.2 million vectors of 384 dimensions."""

RETRY_SECONDS = 300.0
SECONDS_PER_DAY = 86_400
ASIDE = ".unusable"

_FILE_ERRORS = (sqlite3.Error, OtherSchemaError, OSError, UnicodeDecodeError)
"""What an operation on the file may raise; the last where SQLite quotes damaged bytes in its message."""

_DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_FORMAT,
    }
)
"""Primary result codes that mean a damaged file.

``SQLITE_ERROR`` does, since the statements are fixed: a table is missing.
"""


class VectorCache:
    """The cache in the file ``path``, which may take ``bytes_max`` bytes."""

    def __init__(self, path: str, *, clock: Clock, bytes_max: int = BYTES_MAX) -> None:
        self._path = path
        self._clock = clock
        self._bytes_max = bytes_max
        self._file: VectorFile | None = None
        self._off_until = clock.monotonic()
        self._opened: tuple[int, int] | None = None
        self._set_aside_message: str | None = None
        self._off_message: str | None = None
        self._open()

    @property
    def message(self) -> str | None:
        """What the user should know, in a sentence; ``None`` if all is well."""
        return self._off_message or self._set_aside_message

    def get_many(self, ids: Collection[bytes]) -> dict[bytes, FloatVector]:
        """The known ones of these content ids, shape ``(dimensions,)``, rounded to half precision."""
        found: dict[bytes, FloatVector] | None = self._attempt(lambda file: file.get(ids, day=self._day()))
        return found or {}

    def put_many(self, vectors: Mapping[bytes, FloatVector]) -> None:
        """Remember vectors by content id."""
        self._attempt(lambda file: file.put(vectors, day=self._day()))

    def compact(self) -> tuple[int, int]:
        """Bring the file to its size and remove what was set aside; files removed, and bytes freed.

        May take seconds for a large file.
        """
        before = self._disk_bytes()
        files = 0
        with contextlib.suppress(OSError):
            os.remove(self._path + ASIDE)
            files = 1
        self._set_aside_message = None
        self._attempt(VectorFile.compact)
        return files, max(0, before - self._disk_bytes())

    def _disk_bytes(self) -> int:
        names = [self._path + suffix for suffix in ("", ASIDE, *SIDE_FILES)]
        return sum(os.path.getsize(name) for name in names if os.path.lexists(name))

    def close(self) -> None:
        """Close the file; nothing is found or stored any more."""
        self._off_until = float("inf")
        self._close_file()

    def _day(self) -> int:
        return int(self._clock.time() // SECONDS_PER_DAY)

    def _attempt(self, action: Callable[[VectorFile], T]) -> T | None:
        if self._file is not None and self._identity() != self._opened:
            log.warning("the vector cache %s was deleted or replaced; a new one is begun", self._path)
            self._close_file()
            with contextlib.suppress(OSError):  # SQLite would write the old log into the new file
                _remove_side_files(self._path)
            self._off_until = self._clock.monotonic()
        if self._file is None and self._clock.monotonic() >= self._off_until:
            self._open()
        if self._file is None:
            return None
        try:
            return action(self._file)
        except _FILE_ERRORS as error:
            self._recover(error)
            return None

    def _open(self) -> None:
        try:
            self._open_file()
            self._off_message = None
        except _FILE_ERRORS as error:
            self._recover(error)

    def _open_file(self) -> None:
        self._file = VectorFile(self._path, bytes_max=self._bytes_max)
        self._opened = self._identity()

    def _identity(self) -> tuple[int, int] | None:
        """Of the file that has the name now."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _recover(self, error: Exception) -> None:
        """Begin a new file where this one is of no use, else switch off for a while."""
        if isinstance(error, sqlite3.ProgrammingError):
            raise error
        self._close_file()
        if not _is_useless(error):
            self._switch_off(error)
            return
        try:
            aside = _set_aside(self._path)
            self._open_file()
        except _FILE_ERRORS as second:
            self._switch_off(second)
            return
        self._off_message = None
        self._set_aside_message = (
            f"The vector cache could not be used ({error}) and was begun anew; the old one is {aside} "
            "and can be deleted."
        )
        log.warning(self._set_aside_message)

    def _switch_off(self, error: Exception) -> None:
        self._off_until = self._clock.monotonic() + RETRY_SECONDS
        self._off_message = (
            f"The vector cache {self._path} is off ({error}). Embedding goes on without it; free space or "
            f"repair the permissions, and it is tried again within {RETRY_SECONDS / 60:.0f} minutes."
        )
        log.warning(self._off_message)

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
        except sqlite3.Error as error:
            log.warning("the vector cache %s did not close cleanly: %s", self._path, error)


def _is_useless(error: Exception) -> bool:
    """Whether a new file must be begun, rather than the surroundings repaired."""
    if isinstance(error, (OtherSchemaError, UnicodeDecodeError)):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF in _DAMAGED or code == sqlite3.SQLITE_IOERR_SHORT_READ)


def _set_aside(path: str) -> str:
    """Move the file out of the way, replacing what was moved before; its log is of no use without it."""
    aside = path + ASIDE
    os.replace(path, aside)
    _remove_side_files(path)
    return aside


def _remove_side_files(path: str) -> None:
    for suffix in SIDE_FILES:
        if os.path.lexists(path + suffix):
            os.remove(path + suffix)
