"""``gc`` removes what no root needs, and nothing else."""

from __future__ import annotations

import errno
from concurrent.futures import Future

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.index_states import first_difference
from mdmemd.engine.events import Look
from mdmemd.engine.root_looking import RETRY_SECONDS
from mdmemd.errors import ModelUnavailableError, OperatorError
from mdmemd.index import vectors
from mdmemd.store import layout
from mdmemd.store.collection import Freed
from mdmemd.sync.barrier import Ticket

FOLDER = layout.root_folder("/docs")


@pytest.fixture
def saved(world: EngineWorld) -> EngineWorld:
    for number in range(5):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nalpha text{number}\n")
    world.add("/docs")
    world.save()
    return world


def collect(world: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> Freed:
    """``gc``, with the workers stepped whenever it waits for one."""
    original = Future.result

    def result(future: Future[object], timeout: float | None = None) -> object:
        while world.engine.checkpointer.step(timeout_seconds=0.0):
            pass
        while world.engine.embedder.step(timeout_seconds=0.0):
            pass
        return original(future, 0)

    with monkeypatch.context() as patched:
        patched.setattr(Future, "result", result)
        return world.maintenance.garbage.collect()


def size(world: EngineWorld) -> int:
    disk = world.checkpoints
    return sum(disk.size(folder, name) for folder in disk.folders() for name in disk.names(folder))


def look(world: EngineWorld) -> None:
    world.engine.writer.post(Look("docs", Ticket()))
    world.settle()


def test_deleted_content_leaves_the_saved_index(saved: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """T12: many files come, go again, and the size is near what it was."""
    monkeypatch.setattr(vectors, "DEAD_MIN", 16)  # so many dead vectors stay for a while
    collect(saved, monkeypatch)
    small = size(saved)
    for number in range(300):
        saved.files.write(
            f"/docs/more/{number}.md", f"# More {number}\n\nbeta filler{number} and more of it\n"
        )
    look(saved)
    saved.save()
    large = size(saved)
    for number in range(300):
        saved.files.remove(f"/docs/more/{number}.md")
    look(saved)
    saved.clock.advance(RETRY_SECONDS)
    look(saved)
    freed = collect(saved, monkeypatch)
    assert large > 10 * small
    assert size(saved) < 1.5 * small
    assert freed.bytes > 0.8 * (large - small)
    assert freed.files > 0


def test_two_generations_stay_and_a_restart_answers_the_same(
    saved: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved.files.write("/docs/1.md", "# Changed\n\nbeta\n")
    look(saved)
    saved.save()
    collect(saved, monkeypatch)
    names = saved.checkpoints.names(FOLDER)
    assert len([name for name in names if layout.is_manifest(name)]) == 2
    before = saved.sight()
    for broken in (None, max(name for name in names if layout.is_manifest(name))):
        if broken:
            saved.checkpoints.put(FOLDER, broken, b"damaged")
        saved.files.reads.clear()
        saved.restart()
        saved.settle()
        assert saved.files.reads == (["/docs/1.md"] if broken else [])
        assert first_difference(saved.sight(), before) is None


def test_a_second_collection_finds_nothing(saved: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    saved.files.write("/docs/1.md", "# Changed\n\nbeta\n")
    look(saved)
    saved.save()
    collect(saved, monkeypatch)
    names = saved.checkpoints.names(FOLDER)
    assert collect(saved, monkeypatch) == Freed()
    assert saved.checkpoints.names(FOLDER) == names


def test_leftovers_of_interrupted_saves_go(saved: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    leftovers = {".segment-0000000000000001.tmp", "segment-00000000000000ff", "vectors-00000000000000ff-0-3"}
    for name in leftovers:
        saved.checkpoints.put(FOLDER, name, b"x" * 1_000)
    saved.checkpoints.put(FOLDER, "notes.txt", b"somebody's")
    freed = collect(saved, monkeypatch)
    assert freed.files >= 3
    names = saved.checkpoints.names(FOLDER)
    assert "notes.txt" in names
    assert not leftovers & set(names)


def test_what_was_saved_by_a_newer_version_or_cannot_be_read_stays(
    saved: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T14."""
    for name in saved.checkpoints.names(FOLDER):
        if layout.is_manifest(name):
            saved.checkpoints.put(FOLDER, name, b"damaged")
    before = saved.checkpoints.copy()
    saved.engine.checkpointer._roots["docs"].not_before = float("inf")
    collect(saved, monkeypatch)
    assert saved.checkpoints.names(FOLDER) == before.names(FOLDER)


def test_leftovers_beside_the_list_of_roots_go_and_the_list_stays(
    saved: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved.blobs.replace("roots.json.unreadable-1", b"the user's")
    saved.blobs._temporary["roots.json"] = b"half"
    assert collect(saved, monkeypatch).files == 1
    assert saved.blobs.names() == {"roots.json", "roots.json.unreadable-1"}


def test_a_disk_that_refuses_is_told(saved: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10."""
    saved.checkpoints.put(FOLDER, "segment-00000000000000ff", b"left")
    saved.checkpoints.fail_with = errno.ENOSPC
    with pytest.raises(OperatorError, match="No space"):
        collect(saved, monkeypatch)
    saved.checkpoints.fail_with = None
    saved.restart()
    saved.settle()
    assert saved.status("docs").documents == 5


def test_without_a_model_the_rest_is_done(saved: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    saved.engine.embedder._give_up(ModelUnavailableError("No model."))
    saved.engine.service.remove_root("docs")
    saved.settle()
    assert collect(saved, monkeypatch).files > 0
    assert saved.checkpoints.folders() == []
