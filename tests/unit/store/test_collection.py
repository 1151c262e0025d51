"""A collection can be stopped anywhere."""

from __future__ import annotations

import random

import pytest

from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_files import PowerLostError
from mdmem_testkit.index_states import DIMENSIONS, ENCODER, MAKING, first_difference, grow, sight, small_index
from mdmemd.index.root_index import RootIndex
from mdmemd.store import layout
from mdmemd.store.checkpoint import commit
from mdmemd.store.checkpoint_load import load
from mdmemd.store.collection import collect

FOLDER = layout.root_folder(MAKING.root)


def saved_twice() -> tuple[FakeCheckpointDisk, object]:
    disk = FakeCheckpointDisk()
    index = small_index()
    for number in range(3):
        commit(disk, index.freeze(), making=MAKING, vectors_by=ENCODER)
        grow(index, number)
    commit(disk, index.freeze(), making=MAKING, vectors_by=ENCODER)
    disk.put(FOLDER, "segment-00000000000000ff", b"left")
    disk.put(layout.root_folder("/gone"), "CURRENT", b"left")
    return disk, sight(index.freeze())


def loaded_sight(disk: FakeCheckpointDisk) -> object:
    loaded = load(disk, wanted=MAKING)
    assert loaded.problems == ()
    assert loaded.image is not None
    return sight(RootIndex.restored(loaded.image, dimensions=DIMENSIONS).freeze())


def test_power_may_be_lost_after_every_operation() -> None:
    """D14."""
    disk, expected = saved_twice()
    complete = disk.copy()
    collect(complete, roots=[MAKING.root])
    operations = complete.operations
    assert operations > 10
    for stop in range(operations + 1):
        for seed in range(3):
            interrupted = disk.copy()
            interrupted.stop_after(stop)
            try:
                collect(interrupted, roots=[MAKING.root])
            except PowerLostError:
                interrupted.lose_power(random.Random(seed))
            assert first_difference(loaded_sight(interrupted), expected) is None
            interrupted.stop_after(None)
            collect(interrupted, roots=[MAKING.root])
            assert interrupted.folders() == [FOLDER]
            assert "segment-00000000000000ff" not in interrupted.names(FOLDER)
            assert first_difference(loaded_sight(interrupted), expected) is None


def test_a_collection_and_the_next_save_share_the_pieces() -> None:
    disk = FakeCheckpointDisk()
    index = small_index()
    commit(disk, index.freeze(), making=MAKING, vectors_by=ENCODER)
    grow(index, 0)
    commit(disk, index.freeze(), making=MAKING, vectors_by=ENCODER)
    collect(disk, roots=[MAKING.root])
    disk.written.clear()
    done = commit(disk, index.freeze(), making=MAKING, vectors_by=ENCODER)
    assert all(layout.generation_of(name) or name == layout.CURRENT for name in disk.written)
    assert done.manifest.generation == 4


@pytest.mark.parametrize("name", ["changes", "manifest"])
@pytest.mark.parametrize("content", [b"damaged", None])
def test_a_damaged_generation_is_left_as_it_is(name: str, content: bytes | None) -> None:
    disk, _ = saved_twice()
    newest = max(each for each in disk.names(FOLDER) if each.startswith(name))
    disk.put(FOLDER, newest, content)
    before = disk.names(FOLDER)
    collect(disk, roots=[MAKING.root])
    assert disk.names(FOLDER) == before
