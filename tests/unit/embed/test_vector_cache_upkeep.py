"""The vector cache over months: deleted under a running daemon, bounded with its log, compacted."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmemd.embed.vector_cache import ASIDE, SECONDS_PER_DAY, VectorCache
from mdmemd.embed.vector_file import SIDE_FILES
from mdmemd.model import FloatVector

DIMENSIONS = 384
ONE_PUT_BYTES = 64 * 4096 * 2
"""64 vectors, each of which touches two pages at worst."""


def make_vectors(count: int, *, seed: int) -> dict[bytes, FloatVector]:
    generator = np.random.default_rng(seed)
    matrix = generator.standard_normal((count, DIMENSIONS)).astype(np.float16).astype(np.float32)
    return {generator.bytes(16): row for row in matrix}


def disk_bytes(path: str) -> int:
    return sum(os.path.getsize(path + end) for end in ("", *SIDE_FILES) if os.path.exists(path + end))


@pytest.fixture
def path(tmp_path: pathlib.Path) -> str:
    return str(tmp_path / "cache/vectors.sqlite")


@pytest.fixture
def cache(path: str) -> Iterator[VectorCache]:
    with closing(VectorCache(path, clock=FakeClock(), bytes_max=2_000_000)) as opened:
        yield opened


@pytest.mark.parametrize("deleted", ["file", "file and log", "folder"])
def test_deleted_while_running_a_new_one_is_begun(cache: VectorCache, path: str, deleted: str) -> None:
    old, new = make_vectors(20, seed=1), make_vectors(20, seed=2)
    cache.put_many(old)
    if deleted == "folder":
        shutil.rmtree(os.path.dirname(path))
    else:
        os.unlink(path)
        for end in SIDE_FILES if deleted == "file and log" else ():
            if os.path.exists(path + end):
                os.unlink(path + end)
    assert cache.get_many(list(old)) == {}
    cache.put_many(new)
    assert cache.get_many([*old, *new]).keys() == new.keys()
    assert cache.message is None
    cache.close()
    with closing(VectorCache(path, clock=FakeClock())) as again:
        assert again.get_many([*old, *new]).keys() == new.keys()
        assert again.message is None


def test_replaced_while_running_the_other_file_is_used(cache: VectorCache, path: str) -> None:
    old, other = make_vectors(20, seed=1), make_vectors(20, seed=2)
    with closing(VectorCache(path + "2", clock=FakeClock())) as another:
        another.put_many(other)
    cache.put_many(old)
    os.replace(path + "2", path)
    assert cache.get_many(list(other)).keys() == other.keys()


def test_the_log_of_a_deleted_file_does_not_come_into_the_new_one(path: str, tmp_path: pathlib.Path) -> None:
    """What ``kill -9`` leaves beside a file that somebody deletes then."""
    cache = VectorCache(path, clock=FakeClock())
    cache.put_many(make_vectors(50, seed=1))
    shutil.copytree(os.path.dirname(path), tmp_path / "killed")
    cache.close()
    killed = str(tmp_path / "killed/vectors.sqlite")
    assert os.path.exists(killed + "-wal")
    os.unlink(killed)
    with closing(VectorCache(killed, clock=FakeClock())) as begun:
        assert begun.message is None
        assert begun.get_many(list(make_vectors(50, seed=1))) == {}
        begun.put_many(make_vectors(5, seed=2))
        assert len(begun.get_many(list(make_vectors(5, seed=2)))) == 5


def test_file_and_log_together_keep_the_bound(path: str) -> None:
    bytes_max = 2 << 20
    largest = 0
    with closing(VectorCache(path, clock=FakeClock(), bytes_max=bytes_max)) as cache:
        for seed in range(3 * bytes_max // 64 // 850):
            cache.put_many(make_vectors(64, seed=seed))
            largest = max(largest, disk_bytes(path))
    assert largest < bytes_max + ONE_PUT_BYTES
    assert largest > 0.9 * bytes_max


def test_the_least_recently_used_go_first(path: str) -> None:
    clock = FakeClock()
    generations = [make_vectors(200, seed=seed) for seed in range(5)]
    with closing(VectorCache(path, clock=clock, bytes_max=700_000)) as cache:
        for vectors in generations:
            for start in range(0, 200, 20):
                cache.put_many(dict(list(vectors.items())[start : start + 20]))
            clock.advance(SECONDS_PER_DAY)
            cache.get_many(list(generations[0]))  # the oldest, but asked for every day
        kept = [len(cache.get_many(list(vectors))) for vectors in generations]
    assert kept[0] == 200
    assert kept[1:] == sorted(kept[1:])
    assert kept[1] < 200 == kept[-1]


def test_compacting_gives_back_what_is_free(path: str) -> None:
    vectors = make_vectors(12_000, seed=1)
    with closing(VectorCache(path, clock=FakeClock(), bytes_max=1 << 30)) as cache:
        cache.put_many(vectors)
    with closing(VectorCache(path, clock=FakeClock(), bytes_max=2_000_000)) as cache:
        before = disk_bytes(path)
        files, freed = cache.compact()
        assert (files, freed) == (0, before - disk_bytes(path))
        assert disk_bytes(path) < 2_000_000 < before
        newest = list(vectors)[-1_000:]
        assert len(cache.get_many(newest)) == 1_000
        assert cache.compact()[0] == 0
        assert cache.message is None


def test_compacting_removes_what_was_set_aside(path: str) -> None:
    os.makedirs(os.path.dirname(path))
    pathlib.Path(path).write_bytes(b"no database" * 1_000)
    with closing(VectorCache(path, clock=FakeClock())) as cache:
        assert cache.message is not None
        assert os.path.exists(path + ASIDE)
        files, freed = cache.compact()
        assert files == 1
        assert freed >= 11_000
        assert cache.message is None
        assert not os.path.exists(path + ASIDE)


def test_a_cache_that_is_off_is_not_compacted(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cache").write_text("a file is in the way")
    with closing(VectorCache(str(tmp_path / "cache/vectors.sqlite"), clock=FakeClock())) as cache:
        assert cache.compact() == (0, 0)
