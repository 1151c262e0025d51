from __future__ import annotations

import logging
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager

import numpy as np
import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmemd.embed.vector_cache import RETRY_SECONDS, SECONDS_PER_DAY, VectorCache
from mdmemd.embed.vector_file import APPLICATION_ID, SCHEMA_VERSION, VectorFile
from mdmemd.model import FloatVector

DIMENSIONS = 384


def make_vectors(count: int, *, seed: int = 0) -> dict[bytes, FloatVector]:
    """Unit vectors with half-precision components, so that what comes back can be compared exactly."""
    generator = np.random.default_rng(seed)
    matrix = generator.standard_normal((count, DIMENSIONS))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    rounded = matrix.astype(np.float16).astype(np.float32)
    return {generator.bytes(16): row for row in rounded}


def assert_holds(cache: VectorCache, vectors: dict[bytes, FloatVector]) -> None:
    found = cache.get_many(list(vectors))
    assert found.keys() == vectors.keys()
    for id_, vector in vectors.items():
        np.testing.assert_array_equal(found[id_], vector)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: pathlib.Path) -> str:
    return str(tmp_path / "cache" / "vectors.sqlite")


@pytest.fixture
def cache(path: str, clock: FakeClock) -> Iterator[VectorCache]:
    with closing(VectorCache(path, clock=clock)) as opened:
        yield opened


def test_stored_vectors_come_back(cache: VectorCache) -> None:
    vectors = make_vectors(20)
    cache.put_many(vectors)
    assert_holds(cache, vectors)
    assert cache.get_many([b"?" * 16]) == {}
    assert cache.get_many([]) == {}
    assert cache.message is None


def test_more_ids_than_a_statement_has_parameters(cache: VectorCache) -> None:
    cache.put_many(make_vectors(10))
    unknown = [index.to_bytes(16, "big") for index in range(40_000)]
    assert len(cache.get_many([*unknown, *make_vectors(10)])) == 10


def test_vectors_survive_a_restart(cache: VectorCache, path: str, clock: FakeClock) -> None:
    vectors = make_vectors(20)
    cache.put_many(vectors)
    cache.close()
    assert os.listdir(os.path.dirname(path)) == ["vectors.sqlite"]
    with closing(VectorCache(path, clock=clock)) as again:
        assert_holds(again, vectors)


def test_vectors_survive_a_killed_daemon(
    cache: VectorCache, path: str, clock: FakeClock, tmp_path: pathlib.Path
) -> None:
    """The files as they are while the cache is open are what a kill leaves behind."""
    vectors = make_vectors(20)
    cache.put_many(vectors)
    shutil.copytree(os.path.dirname(path), tmp_path / "left")
    with closing(VectorCache(str(tmp_path / "left" / "vectors.sqlite"), clock=clock)) as again:
        assert_holds(again, vectors)
        assert again.message is None


def test_only_the_owner_may_read(cache: VectorCache, path: str) -> None:
    cache.put_many(make_vectors(1))
    folder = os.path.dirname(path)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    modes = {name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)}
    assert modes == {
        "vectors.sqlite": 0o600,
        "vectors.sqlite-wal": 0o600,
    }  # and no file that is mapped into memory


def test_deleted_while_closed_is_begun_anew(cache: VectorCache, path: str, clock: FakeClock) -> None:
    cache.put_many(make_vectors(3))
    cache.close()
    shutil.rmtree(os.path.dirname(path))
    with closing(VectorCache(path, clock=clock)) as again:
        assert again.get_many(list(make_vectors(3))) == {}
        again.put_many(make_vectors(3))
        assert_holds(again, make_vectors(3))
        assert again.message is None


def test_closed_cache_finds_and_stores_nothing(cache: VectorCache) -> None:
    cache.put_many(make_vectors(3))
    cache.close()
    cache.put_many(make_vectors(3))
    assert cache.get_many(list(make_vectors(3))) == {}


def test_damaged_file_is_set_aside(path: str, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    os.makedirs(os.path.dirname(path))
    pathlib.Path(path).write_bytes(b"no database " * 1000)
    with caplog.at_level(logging.WARNING), closing(VectorCache(path, clock=clock)) as cache:
        assert cache.message is not None
        assert path + ".unusable" in cache.message
        cache.put_many(make_vectors(3))
        assert_holds(cache, make_vectors(3))
    assert cache.message in caplog.messages
    assert pathlib.Path(path + ".unusable").read_bytes().startswith(b"no database")


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_never_give_a_wrong_vector(path: str, clock: FakeClock, seed: int) -> None:
    vectors = make_vectors(200)
    with closing(VectorCache(path, clock=clock)) as cache:
        cache.put_many(vectors)
    content = bytearray(pathlib.Path(path).read_bytes())
    chooser = random.Random(seed)
    for _ in range(200):
        content[chooser.randrange(len(content))] ^= 1 << chooser.randrange(8)
    pathlib.Path(path).write_bytes(content)
    with closing(VectorCache(path, clock=clock)) as cache:
        for id_, vector in cache.get_many(list(vectors)).items():
            np.testing.assert_array_equal(vector, vectors[id_])
        for _ in range(3):  # whichever operation finds the damage begins a new file
            cache.put_many(vectors)
            cache.get_many(list(vectors))
        assert_holds(cache, vectors)


def test_value_that_fails_its_checksum_is_replaced(cache: VectorCache, path: str, clock: FakeClock) -> None:
    vectors = make_vectors(2)
    first, second = vectors
    cache.put_many(vectors)
    cache.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        (value,) = connection.execute("SELECT value FROM vector WHERE id = ?", (first,)).fetchone()
        flipped = bytes([value[0] ^ 1]) + value[1:]
        connection.execute("UPDATE vector SET value = ? WHERE id = ?", (flipped, first))
    with closing(VectorCache(path, clock=clock)) as again:
        assert list(again.get_many([first, second])) == [second]
        again.put_many({first: vectors[first]})
        assert_holds(again, vectors)


@pytest.mark.parametrize("part", [0.0, 0.02, 0.5, 0.99])
def test_truncated_file(cache: VectorCache, path: str, clock: FakeClock, part: float) -> None:
    vectors = make_vectors(300)
    cache.put_many(vectors)
    cache.close()
    os.truncate(path, int(os.path.getsize(path) * part))
    with closing(VectorCache(path, clock=clock)) as again:
        for id_, vector in again.get_many(list(vectors)).items():
            np.testing.assert_array_equal(vector, vectors[id_])
        again.put_many(vectors)
        again.put_many(vectors)
        assert_holds(again, vectors)


@pytest.mark.parametrize(
    ("application", "version"),
    [(APPLICATION_ID, SCHEMA_VERSION + 1), (0x1234, SCHEMA_VERSION), (0, 0)],
    ids=["T14 newer", "another program's", "without identity"],
)
def test_other_schema_is_kept_aside(path: str, clock: FakeClock, application: int, version: int) -> None:
    os.makedirs(os.path.dirname(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"CREATE TABLE theirs (text); INSERT INTO theirs VALUES ('kept');"
            f"PRAGMA application_id = {application}; PRAGMA user_version = {version};"
        )
    with closing(VectorCache(path, clock=clock)) as cache:
        assert cache.message is not None
        cache.put_many(make_vectors(2))
        assert_holds(cache, make_vectors(2))
    with closing(sqlite3.connect(path + ".unusable")) as connection:
        assert connection.execute("SELECT text FROM theirs").fetchone() == ("kept",)


@contextmanager
def file_size_limit(bytes_max: int) -> Iterator[None]:
    """Writing beyond fails with EFBIG, as on a full disk with ENOSPC."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_full_disk_switches_the_cache_off_for_a_while(cache: VectorCache, clock: FakeClock) -> None:
    """T10: embedding goes on, nothing stored is lost, and the cache comes back by itself."""
    early, late = make_vectors(5, seed=1), make_vectors(500, seed=2)
    cache.put_many(early)
    with file_size_limit(100_000):
        cache.put_many(late)
        assert cache.message is not None
        assert "is off" in cache.message
        assert cache.get_many(list(early)) == {}
    clock.advance(RETRY_SECONDS)
    assert_holds(cache, early)
    assert cache.message is None
    cache.put_many(late)
    assert_holds(cache, late)


def test_folder_that_cannot_be_made(tmp_path: pathlib.Path, clock: FakeClock) -> None:
    (tmp_path / "cache").write_text("a file is in the way")
    with closing(VectorCache(str(tmp_path / "cache" / "vectors.sqlite"), clock=clock)) as cache:
        assert cache.message is not None
        cache.put_many(make_vectors(1))
        assert cache.get_many(list(make_vectors(1))) == {}
        (tmp_path / "cache").unlink()
        clock.advance(RETRY_SECONDS)
        cache.put_many(make_vectors(1))
        assert_holds(cache, make_vectors(1))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(tmp_path: pathlib.Path, clock: FakeClock) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    with closing(VectorCache(str(folder / "vectors.sqlite"), clock=clock)) as cache:
        assert cache.message is not None
        assert "Permission denied" in cache.message


def test_second_daemon_goes_without(cache: VectorCache, path: str, clock: FakeClock) -> None:
    cache.put_many(make_vectors(2))
    with closing(VectorCache(path, clock=clock)) as second:
        assert second.message is not None
        assert "locked" in second.message
        assert second.get_many(list(make_vectors(2))) == {}
    assert_holds(cache, make_vectors(2))


def test_size_is_bounded_and_the_longest_unused_go_first(path: str, clock: FakeClock) -> None:
    """T11, T12."""
    bytes_max = 600_000
    old, used, new = make_vectors(300, seed=1), make_vectors(100, seed=2), make_vectors(450, seed=3)
    with closing(VectorCache(path, clock=clock, bytes_max=bytes_max)) as cache:
        cache.put_many(used)
        cache.put_many(old)
        clock.advance(SECONDS_PER_DAY)
        assert_holds(cache, used)
        ids = list(new)
        for start in range(0, len(ids), 8):
            cache.put_many({id_: new[id_] for id_ in ids[start : start + 8]})
        assert_holds(cache, used)
        assert_holds(cache, new)
        assert len(cache.get_many(list(old))) < 200
        for seed in range(4, 24):
            cache.put_many(make_vectors(50, seed=seed))
    assert os.path.getsize(path) < 1.2 * bytes_max


def test_one_row_takes_about_800_bytes(path: str) -> None:
    with closing(VectorFile(path, bytes_max=1 << 30)) as file:
        file.put(make_vectors(2000), day=1)
        assert file.used_bytes() / 2000 < 900
