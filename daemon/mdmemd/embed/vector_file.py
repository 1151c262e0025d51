"""The file of the vector cache: its schema, its values, its size.

Format: SQLite, ``application_id`` "mdmv", ``user_version`` ``SCHEMA_VERSION``; one row a vector:

==========  ==================================================================================================
id          ``vector_id``, 16 bytes
value       components as little-endian IEEE 754 binary16, then CRC-32 of id and components (little-endian)
used_day    days since 1970 when it was last asked for or stored
==========  ==================================================================================================

Half precision because the index stores vectors so too: a remembered vector and a computed one end as the same
bits there, and a row takes 850 bytes instead of 1,600. The checksum is there because SQLite returns flipped
bits without a word.

Invariants: written ahead (WAL) with the lock held exclusively, which keeps SQLite from mapping a shared file
into memory and a second process out; a row that fails its checksum is as good as absent, and is replaced when
its text is embedded again. Pages in use and the log
together stay within ``bytes_max``, give or take two ``put``, by removing the rows unused for longest.
Raises ``sqlite3.Error`` and ``OSError``; ``vector_cache`` decides what they mean. One thread at a time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping

import numpy as np

from mdmemd.model import FloatVector

APPLICATION_ID = int.from_bytes(b"mdmv", "big")
SCHEMA_VERSION = 1
"""1: first."""

BUSY_SECONDS = 1.0
LOG_SHARE = 1 / 16
"""How much of the room is left to the write-ahead log before it is folded into the file."""

LOG_PAGES_MAX = 1_000
FREE_BYTES_MIN = 4 << 20
FREE_SHARE = 0.25
"""With more than so much of the file free, and more than ``FREE_BYTES_MIN``, writing it anew is worth it."""

CHECKSUM_BYTES = 4
EVICTED_ROWS_MIN = 64
SIDE_FILES = ("-wal", "-shm", "-journal")

_SCHEMA = f"""
    BEGIN;
    CREATE TABLE vector (id BLOB PRIMARY KEY, value BLOB NOT NULL, used_day INTEGER NOT NULL);
    CREATE INDEX vector_by_day ON vector (used_day);
    PRAGMA application_id = {APPLICATION_ID};
    PRAGMA user_version = {SCHEMA_VERSION};
    COMMIT;
"""


class OtherSchemaError(Exception):
    """The file is sound, but of another version of this program or of another program."""


class VectorFile:
    """An open cache file, created if there is none. Raises ``OtherSchemaError`` too when it is opened."""

    def __init__(self, path: str, *, bytes_max: int) -> None:
        _make_private(path)
        # The one thread that uses it is not the one that closes it at the end.
        self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            self._prepare()
            self._page_bytes = self._pragma("page_size")
            self._rows_bytes_max = bytes_max - self._bound_log(bytes_max)
        except BaseException:
            self._connection.close()
            raise

    def get(self, ids: Iterable[bytes], *, day: int) -> dict[bytes, FloatVector]:
        """The vectors that are there and intact; marks them as used on ``day``."""
        vectors: dict[bytes, FloatVector] = {}
        aged: list[tuple[int, bytes]] = []
        for id_ in ids:
            row = self._connection.execute(
                "SELECT value, used_day FROM vector WHERE id = ?", (id_,)
            ).fetchone()
            vector = _decode(id_, row[0]) if row else None
            if vector is not None:
                vectors[id_] = vector
                if row[1] != day:
                    aged.append((day, id_))
        if aged:
            with self._connection:
                self._connection.executemany("UPDATE vector SET used_day = ? WHERE id = ?", aged)
        return vectors

    def put(self, vectors: Mapping[bytes, FloatVector], *, day: int) -> None:
        """Store vectors, making room for them first where the file has its size."""
        with self._connection:
            if self.used_bytes() > self._rows_bytes_max:
                self._evict(max(EVICTED_ROWS_MIN, 4 * len(vectors)))
            self._connection.executemany(
                "INSERT OR REPLACE INTO vector (id, value, used_day) VALUES (?, ?, ?)",
                [(id_, _encode(id_, vector), day) for id_, vector in vectors.items()],
            )

    def used_bytes(self) -> int:
        """Size of the pages that hold something."""
        return (self._pragma("page_count") - self._pragma("freelist_count")) * self._page_bytes

    def compact(self) -> None:
        """Bring the file to its size, and give the system what is free in it.

        Takes as long as copying the file where that is worth it.
        """
        while self.used_bytes() > self._rows_bytes_max:
            with self._connection:
                self._evict(1_000)
        free_bytes = self._pragma("freelist_count") * self._page_bytes
        if free_bytes > max(FREE_BYTES_MIN, FREE_SHARE * self.used_bytes()):
            self._connection.execute("VACUUM")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._connection.close()

    def _prepare(self) -> None:
        self._connection.text_factory = bytes  # a damaged row may say that it holds text, of any bytes
        # Exclusive before WAL: only then SQLite keeps the index of the log on its own heap.
        for statement in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
            self._connection.execute(f"PRAGMA {statement}").fetchall()
        identity = (self._pragma("application_id"), self._pragma("user_version"))
        if identity == (0, 0) and self._pragma("schema_version") == 0:
            self._connection.executescript(_SCHEMA)
        elif identity != (APPLICATION_ID, SCHEMA_VERSION):
            raise OtherSchemaError(f"schema {identity[1]} instead of {SCHEMA_VERSION}")

    def _bound_log(self, bytes_max: int) -> int:
        """Keep the write-ahead log short; returns how long it may get."""
        pages = min(LOG_PAGES_MAX, max(1, int(LOG_SHARE * bytes_max / self._page_bytes)))
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {pages}").fetchall()
        self._connection.execute(f"PRAGMA journal_size_limit = {pages * self._page_bytes}").fetchall()
        return pages * self._page_bytes

    def _evict(self, rows: int) -> None:
        # In the order of insertion within a day, so that whole pages become free.
        self._connection.execute(
            "DELETE FROM vector WHERE rowid IN (SELECT rowid FROM vector ORDER BY used_day, rowid LIMIT ?)",
            (rows,),
        )

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])


def _make_private(path: str) -> None:
    """Create file and folder for their owner only, before SQLite could create them readable for everybody.

    A log beside an empty file is of another one that was deleted: SQLite would write it into the new one.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        if os.fstat(descriptor).st_size == 0:
            for suffix in SIDE_FILES:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(path + suffix)
    finally:
        os.close(descriptor)


def _encode(id_: bytes, vector: FloatVector) -> bytes:
    components = vector.astype("<f2").tobytes()
    return components + zlib.crc32(id_ + components).to_bytes(CHECKSUM_BYTES, "little")


def _decode(id_: bytes, value: object) -> FloatVector | None:
    if not isinstance(value, bytes):
        return None
    components, checksum = value[:-CHECKSUM_BYTES], value[-CHECKSUM_BYTES:]
    if zlib.crc32(id_ + components).to_bytes(CHECKSUM_BYTES, "little") != checksum:
        return None
    return np.frombuffer(components, "<f2").astype(np.float32)
