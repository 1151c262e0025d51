from __future__ import annotations

import pathlib
import sqlite3
import zlib
from contextlib import closing

import numpy as np

from mdmemd.embed.vector_file import VectorFile


def test_bytes_of_a_row_are_as_described(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "vectors.sqlite")
    with closing(VectorFile(path, bytes_max=1 << 20)) as file:
        file.put({b"i" * 16: np.array([1.0, -0.5], np.float32)}, day=20_000)
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT id, value, used_day FROM vector").fetchone()
        identity = [
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        ]
    components = bytes.fromhex("003c00b8")
    checksum = zlib.crc32(b"i" * 16 + components).to_bytes(4, "little")
    assert row == (b"i" * 16, components + checksum, 20_000)
    assert identity == [0x6D646D76, 1]


def test_day_of_use_moves_on(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "vectors.sqlite")
    ids = [b"a" * 16, b"b" * 16]
    with closing(VectorFile(path, bytes_max=1 << 20)) as file:
        file.put(dict.fromkeys(ids, np.ones(2, np.float32)), day=1)
        file.get(ids[:1], day=5)
    with closing(sqlite3.connect(path)) as connection:
        days = dict(connection.execute("SELECT id, used_day FROM vector"))
    assert days == {ids[0]: 5, ids[1]: 1}
