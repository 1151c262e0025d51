"""Generations: saved, loaded, shared, collected, refused."""

from __future__ import annotations

import errno
import random
from dataclasses import replace

import pytest

from mdmem_testkit.documents import fingerprint, indexed_file, words
from mdmem_testkit.fake_checkpoint_disk import FakeCheckpointDisk
from mdmem_testkit.fake_files import PowerLostError
from mdmem_testkit.index_states import (
    DIMENSIONS,
    ENCODER,
    MAKING,
    OTHER_MAKING,
    embed_all,
    grow,
    sight,
    small_index,
)
from mdmemd.index.root_index import NO_FILE, RootIndex
from mdmemd.index.snapshot import RootSnapshot
from mdmemd.store import layout
from mdmemd.store.checkpoint import Commit, commit, current_manifest
from mdmemd.store.checkpoint_load import load
from mdmemd.store.manifest import Making
from mdmemd.store.piece import FORMAT, MAGIC, NewerFormatError, PieceKind, seal

FOLDER = layout.root_folder(MAKING.root)


def save(disk: FakeCheckpointDisk, snapshot: RootSnapshot, making: Making = MAKING) -> Commit:
    return commit(disk, snapshot, making=making, vectors_by=ENCODER)


def restore(disk: FakeCheckpointDisk, making: Making = MAKING) -> tuple[RootIndex, tuple[str, ...]]:
    """The saved index, an empty one where there is none, and what was wrong."""
    loaded = load(disk, wanted=making)
    if loaded.image is None:
        return RootIndex(dimensions=DIMENSIONS, tokenize=words), loaded.problems
    return RootIndex.restored(loaded.image, dimensions=DIMENSIONS, tokenize=words), loaded.problems


def saved_twice() -> tuple[FakeCheckpointDisk, RootIndex]:
    """Two generations of an index."""
    disk, index = FakeCheckpointDisk(), small_index()
    save(disk, index.freeze())
    grow(index, 0)
    save(disk, index.freeze())
    return disk, index


def test_nothing_saved_is_nothing_found() -> None:
    assert load(FakeCheckpointDisk(), wanted=MAKING).image is None
    assert load(FakeCheckpointDisk(), wanted=MAKING).problems == ()


def test_what_is_saved_is_restored() -> None:
    disk, index = saved_twice()
    restored, problems = restore(disk)
    assert problems == ()
    assert sight(restored.freeze()) == sight(index.freeze())
    assert restored.known() == index.known()
    assert restored.unembedded() == ()


def test_a_restored_index_goes_on_like_the_old_one() -> None:
    disk, index = saved_twice()
    restored, _ = restore(disk)
    for number in range(1, 4):
        for each in (index, restored):
            grow(each, number)
        assert sight(restored.freeze()) == sight(index.freeze())
        save(disk, restored.freeze())
        again, problems = restore(disk)
        assert problems == ()
        assert sight(again.freeze()) == sight(index.freeze())


def test_equal_texts_find_their_vectors_after_a_restart() -> None:
    disk, _ = saved_twice()
    restored, _ = restore(disk)
    assert restored.apply(files=[indexed_file("moved.md", (("C",), "alpha"))], removed=["c.md"]) == ()
    assert restored.freeze().embedded == restored.freeze().passages


def test_touched_fingerprints_are_kept() -> None:
    disk, index = saved_twice()
    index.touch("c.md", fingerprint(99))
    save(disk, index.freeze())
    assert restore(disk)[0].known()["c.md"][0] == fingerprint(99)


def test_a_save_costs_what_has_changed() -> None:
    """Segments and vectors are written once."""
    disk, index = FakeCheckpointDisk(), RootIndex(dimensions=DIMENSIONS, tokenize=words)
    index.apply(
        files=[
            indexed_file(f"{n}.md", (("T",), "\n".join(f"w{n} {k}" for k in range(20)))) for n in range(200)
        ],
        removed=(),
    )
    embed_all(index)
    first = save(disk, index.freeze())
    index.apply(files=[indexed_file("0.md", (("T",), "one"), version=2)], removed=())
    embed_all(index)
    second = save(disk, index.freeze())
    assert second.bytes_written < first.bytes_written / 20
    restored, _ = restore(disk)
    restored.apply(files=[indexed_file("0.md", (("T",), "two"), version=3)], removed=())
    embed_all(restored)
    third = save(disk, restored.freeze())
    assert third.bytes_written < first.bytes_written / 20
    again, problems = restore(disk)
    assert problems == ()
    assert sight(again.freeze()) == sight(restored.freeze())


def test_two_generations_are_kept_and_the_rest_is_removed() -> None:
    """D14, T11."""
    disk, index = saved_twice()
    for number in range(1, 30):
        grow(index, number)
        save(disk, index.freeze())
        manifests = [name for name in disk.names(FOLDER) if layout.is_manifest(name)]
        assert len(manifests) == 2
    disk.put(FOLDER, "somebody's", b"else")
    disk.put(FOLDER, ".segment-0000000000000000.tmp", b"left by a crash")
    save(disk, index.freeze())
    assert "somebody's" in disk.names(FOLDER)
    assert not [name for name in disk.names(FOLDER) if name.endswith(".tmp")]


def test_the_generation_before_is_used_where_the_last_is_damaged() -> None:
    disk, index = FakeCheckpointDisk(), small_index()
    save(disk, index.freeze())
    before = sight(index.freeze())
    grow(index, 0)
    manifest = save(disk, index.freeze()).manifest
    for name in (layout.manifest_name(manifest.generation), manifest.changes.name):
        damaged = disk.copy()
        damaged.put(FOLDER, name, b"nonsense")
        restored, problems = restore(damaged)
        assert sight(restored.freeze()) == before
        assert name in problems[0]
        grow(restored, 0)  # what a look would find
        save(damaged, restored.freeze())
        again, problems = restore(damaged)
        assert problems == ()
        assert sight(again.freeze()) == sight(index.freeze())


def test_two_histories_of_a_root_do_not_mix() -> None:
    """An index that was restored from one generation never shares vectors with a later one of another."""
    disk, index = saved_twice()
    restored, _ = restore(disk)
    grow(index, 1)
    save(disk, index.freeze())  # by the old index, after the restore
    # One row more than the old index has, so that the saved run of these would be taken for the new rows.
    restored.apply(files=[indexed_file("z.md", (("Z",), "z0\nz1\nz2"))], removed=())
    embed_all(restored)
    save(disk, restored.freeze())
    again, problems = restore(disk)
    assert problems == ()
    assert sight(again.freeze()) == sight(restored.freeze())


@pytest.mark.parametrize("is_power_lost", [False, True], ids=["killed", "power lost"])
def test_stopped_after_any_operation_the_old_or_the_new_state_is_loaded(is_power_lost: bool) -> None:
    """D14, T4: never a mix, and never nothing."""
    assert crash_everywhere(is_power_lost=is_power_lost, disk_class=FakeCheckpointDisk) == {"old", "new"}


class ForgetfulDisk(FakeCheckpointDisk):
    def sync_folder(self, folder: str) -> None:
        """Claim to."""


def test_without_its_syncs_the_order_would_not_hold() -> None:
    """The test above can fail."""
    with pytest.raises(AssertionError):
        crash_everywhere(is_power_lost=True, disk_class=ForgetfulDisk)


def crash_everywhere(*, is_power_lost: bool, disk_class: type[FakeCheckpointDisk]) -> set[str]:
    """Stop the third save after each of its operations; returns which states were loaded afterwards."""
    seen: set[str] = set()
    operations, is_complete = 0, False
    while not is_complete:
        for seed in range(3 if is_power_lost else 1):
            disk, index = disk_class(), small_index()
            save(disk, index.freeze())
            grow(index, 0)
            save(disk, index.freeze())
            old = sight(index.freeze())
            grow(index, 1)
            new = sight(index.freeze())
            disk.stop_after(operations)
            try:
                save(disk, index.freeze())
                is_complete = True
            except PowerLostError:
                is_complete = False
            disk.stop_after(None)
            if is_power_lost:
                disk.lose_power(random.Random(1_000 * operations + seed))
            restored, problems = restore(disk)
            found = sight(restored.freeze())
            assert problems == ()
            assert found in ([new] if is_complete else [old, new])
            seen.add("new" if found == new else "old")
            if not is_complete:
                finish(disk, restored, index)
        operations += 1
    return seen


def finish(disk: FakeCheckpointDisk, restored: RootIndex, true: RootIndex) -> None:
    """After a crash the next daemon catches up and saves over what was left."""
    if sight(restored.freeze()) != sight(true.freeze()):
        grow(restored, 1)
    save(disk, restored.freeze())
    again, problems = restore(disk)
    assert problems == ()
    assert sight(again.freeze()) == sight(true.freeze())
    assert not [name for name in disk.names(FOLDER) if name.endswith(".tmp")]


def test_a_full_disk_keeps_the_saved_index() -> None:
    """T10, F6: at whichever byte it is full."""
    disk, index = saved_twice()
    old = sight(index.freeze())
    grow(index, 1)
    needed = save(disk.copy(), index.freeze()).bytes_written
    for free in range(0, needed, max(1, needed // 40)):
        full = disk.copy()
        full.bytes_left = free
        with pytest.raises(OSError) as raised:
            save(full, index.freeze())
        assert raised.value.errno == errno.ENOSPC
        restored, problems = restore(full)
        assert problems == ()
        assert sight(restored.freeze()) == old
        full.bytes_left = None
        save(full, index.freeze())
        assert sight(restore(full)[0].freeze()) == sight(index.freeze())


def test_a_newer_format_is_kept_and_not_saved_over() -> None:
    """T14."""
    disk, index = saved_twice()
    name = disk.read(FOLDER, layout.CURRENT).decode().strip()
    newer = newer_piece()
    disk.put(FOLDER, name, newer)
    loaded = load(disk, wanted=MAKING)
    assert loaded.image is None
    assert "newer mdmem" in loaded.problems[0]
    before = disk.names(FOLDER)
    with pytest.raises(NewerFormatError):
        save(disk, index.freeze())
    assert disk.names(FOLDER) == before
    assert disk.read(FOLDER, name) == newer


def newer_piece() -> bytes:
    """A whole manifest of the next format."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mdmemd.store.piece.FORMAT", FORMAT + 1)
        piece = seal(PieceKind.MANIFEST, [b"{}"], root=layout.root_key(MAKING.root))
    content = b"".join(piece.parts)
    assert content.startswith(MAGIC)
    return content


def test_an_older_format_is_started_over() -> None:
    """T14."""
    disk, index = saved_twice()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mdmemd.store.piece.FORMAT", FORMAT + 1)
        restored, problems = restore(disk)
        assert restored.freeze().documents == 0
        assert f"old format {FORMAT}" in problems[0]
        save(disk, index.freeze())
        assert sight(restore(disk)[0].freeze()) == sight(index.freeze())


@pytest.mark.parametrize(
    "change",
    [{"feature": 2}, {"text": 2}, {"tokenizer": 2}, {"chunk_mode": "window"}],
    ids=lambda c: next(iter(c)),
)
def test_what_another_version_would_make_differently_is_not_used(change: dict[str, int]) -> None:
    disk, _ = saved_twice()
    restored, problems = restore(disk, replace(MAKING, **change))
    assert restored.freeze().documents == 0
    assert len(problems) == 1


@pytest.mark.parametrize("change", [{"model": "another"}, {"dimensions": 8}], ids=["model", "dimensions"])
def test_another_models_vectors_are_dropped_and_the_words_kept(change: dict[str, int]) -> None:
    """M5."""
    disk, index = saved_twice()
    wanted = replace(MAKING, **change)
    loaded = load(disk, wanted=wanted)
    assert loaded.image is not None
    restored = RootIndex.restored(loaded.image, dimensions=wanted.dimensions, tokenize=words)
    snapshot = restored.freeze()
    assert snapshot.embedded == 0
    assert snapshot.documents == index.freeze().documents
    assert set(restored.known()) == set(index.known())
    assert all(known == NO_FILE for known in restored.known().values())


def test_of_another_root_nothing_is_used() -> None:
    disk, index = saved_twice()
    save(disk, index.freeze(), OTHER_MAKING)
    other = layout.root_folder(OTHER_MAKING.root)
    for name in disk.names(other):
        disk.put(FOLDER, name, disk.read(other, name))
    disk.put(FOLDER, layout.CURRENT, disk.read(other, layout.CURRENT))
    restored, problems = restore(disk)
    assert problems
    snapshot = restored.freeze()
    assert snapshot.documents in (0, index.freeze().documents)


def test_the_manifest_says_what_was_saved() -> None:
    disk, index = saved_twice()
    manifest = current_manifest(disk, root=MAKING.root)
    assert manifest is not None
    snapshot = index.freeze()
    assert (manifest.documents, manifest.passages) == (snapshot.documents, snapshot.passages)
    assert (manifest.generation, manifest.vectors_by, manifest.making) == (2, ENCODER, MAKING)
    for entry in manifest.pieces:
        assert len(disk.read(FOLDER, entry.name)) == entry.size_bytes


def test_one_bit_of_any_small_file_and_of_samples_of_the_large_ones() -> None:
    """F7, F10: whatever is flipped is noticed, and nothing is loaded that was not saved."""
    disk, index = FakeCheckpointDisk(), small_index()
    save(disk, index.freeze())
    known = [dict(index.known())]
    grow(index, 0)
    save(disk, index.freeze())
    known.append(dict(index.known()))
    newest = current_manifest(disk, root=MAKING.root)
    assert newest is not None
    used = {layout.CURRENT, layout.manifest_name(2), *(entry.name for entry in newest.pieces)}
    for name in sorted(used):
        content = disk.read(FOLDER, name)
        small = len(content) < 1_000
        places = range(len(content)) if small else random.Random(1).sample(range(len(content)), 200)
        for place in places:
            damaged = bytearray(content)
            damaged[place] ^= 1 << place % 8
            flipped = disk.copy()
            flipped.put(FOLDER, name, bytes(damaged))
            restored, problems = restore(flipped)
            told = (
                problems if name == layout.CURRENT else [each for each in problems if each.startswith(name)]
            )
            assert told, (name, place)
            found = {path: each for path, each in restored.known().items() if each != NO_FILE}
            assert any(found.items() <= each.items() for each in known), (name, place)


def test_a_lost_piece_costs_its_own_documents_or_vectors_only() -> None:
    """T7."""
    disk, index = FakeCheckpointDisk(), RootIndex(dimensions=DIMENSIONS, tokenize=words)
    sizes = (40, 3)
    for size in sizes:
        files = [indexed_file(f"{size}/{n}.md", (("T",), f"w{size} {n}")) for n in range(size)]
        index.apply(files=files, removed=())
        embed_all(index)
        save(disk, index.freeze())
    manifest = current_manifest(disk, root=MAKING.root)
    assert manifest is not None
    assert [entry.count for entry in manifest.segments] == list(sizes)
    assert [entry.count for entry in manifest.vectors] == list(sizes)
    pieces = zip(manifest.segments, manifest.vectors, strict=True)
    for (segment, vectors), lost, kept in zip(pieces, sizes, sizes[::-1], strict=True):
        damaged = disk.copy()
        damaged.put(FOLDER, segment.name, None)
        snapshot = restore(damaged)[0].freeze()
        assert (snapshot.documents, snapshot.embedded) == (kept, kept)
        damaged = disk.copy()
        damaged.put(FOLDER, vectors.name, None)
        restored = restore(damaged)[0]
        assert (restored.freeze().documents, restored.freeze().embedded) == (sum(sizes), kept)
        assert sum(each == NO_FILE for each in restored.known().values()) == lost
