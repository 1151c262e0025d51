"""Export and import of a root's index."""

from __future__ import annotations

import contextlib
import errno
import random
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmem_testkit.fake_files import PowerLostError
from mdmem_testkit.index_states import first_difference
from mdmemd.engine.events import Look
from mdmemd.engine.report import RootState
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.sync.barrier import Ticket

FILE = "/home/me/docs.mdmem"


@pytest.fixture(autouse=True)
def futures_step_the_workers(world: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the checkpointer runs it: there are no threads."""
    original = Future.result

    def result(future: Future[object], timeout: float | None = None) -> object:
        while not future.done() and world.engine.checkpointer.step(timeout_seconds=0.0):
            pass
        return original(future, 0)

    monkeypatch.setattr(Future, "result", result)


@pytest.fixture
def exported(world: EngineWorld) -> EngineWorld:
    """A root, its file, and the same documents in another folder with other times."""
    for number in range(6):
        for folder in ("docs", "copy"):
            world.files.write(f"/{folder}/{number}.md", f"# Title {number}\n\nalpha text{number}\n")
    large = "# Large\n\n" + "beta gamma delta. " * 3_000
    for folder in ("docs", "copy"):
        world.files.write(f"/{folder}/large.md", large)
    world.add("/docs")
    world.maintenance.archives.export_root("docs", path=FILE, force=False)
    return world


def import_copy(world: EngineWorld, *, name: str = "") -> str:
    spec = world.maintenance.archives.import_root(FILE, folder="/copy", name=name)
    world.settle()
    return spec.name


def elsewhere(world: EngineWorld, folder: Path) -> EngineWorld:
    """Another machine: nothing but the documents and the file."""
    other = EngineWorld(folder)
    other.files = world.files
    other.archives = world.archives
    other.restart()
    return other


def test_equal_content_is_neither_parsed_nor_embedded(exported: EngineWorld, tmp_path: Path) -> None:
    other = elsewhere(exported, tmp_path / "other")
    try:
        exported.engine = other.engine  # whom the futures step
        parsed = len(other.parser.parsed)
        import_copy(other)
        assert other.encoder.calls == []
        assert len(other.parser.parsed) == parsed
        assert other.status("docs").state is RootState.READY
        assert other.status("docs").path == "/copy"
        fresh = exported.fresh_sight(tmp_path / "fresh", "/copy")
        assert first_difference(other.sight(), fresh) is None
    finally:
        other.close()


def test_what_differs_is_read_and_embedded(exported: EngineWorld, tmp_path: Path) -> None:
    exported.files.write("/copy/1.md", "# Changed\n\nother text\n")
    exported.files.write("/copy/new.md", "# New\n\nnew text\n")
    exported.files.remove("/copy/2.md")
    exported.encoder.calls.clear()
    import_copy(exported, name="copy")
    texts = sorted(text for call in exported.encoder.calls for text in call)
    assert texts == ["Changed: other text", "New: new text"]
    fresh = exported.fresh_sight(tmp_path / "fresh", "/copy")
    assert first_difference(exported.sight("copy"), fresh) is None


def test_the_imported_index_answers_before_the_first_walk(exported: EngineWorld) -> None:
    exported.engine.service.remove_root("docs")
    exported.maintenance.archives.import_root(FILE, folder="/copy", name="")
    seen: list[int] = []
    exported.engine.state.subscribe(
        lambda: seen.append(exported.engine.state.current.roots["docs"].snapshot.documents)
    )
    exported.settle()
    assert set(seen) == {7}


def test_its_vectors_go_to_the_cache(exported: EngineWorld, tmp_path: Path) -> None:
    """So that losing the index costs no embedding on this machine either."""
    other = elsewhere(exported, tmp_path / "other")
    try:
        exported.engine = other.engine
        import_copy(other)
        other.engine.service.remove_root("docs")
        other.settle()
        for folder in other.checkpoints.folders():
            other.checkpoints.remove_folder(folder)
        other.add("/copy")
        assert other.encoder.calls == []
        assert other.status("copy").embedded == other.status("copy").passages
    finally:
        other.close()


def test_another_model_keeps_the_words_and_embeds(exported: EngineWorld, tmp_path: Path) -> None:
    """M5."""
    exported.engine.service.remove_root("docs")
    exported.settle()
    exported.encoder = FakeEncoder(dimensions=32, fingerprint="another")
    exported.restart()
    exported.settle()
    import_copy(exported)
    assert exported.status("docs").embedded == exported.status("docs").passages
    assert exported.encoder.calls
    fresh = exported.fresh_sight(tmp_path / "fresh", "/copy")
    assert first_difference(exported.sight(), fresh) is None


def test_a_name_that_is_taken_gives_way(exported: EngineWorld) -> None:
    assert import_copy(exported) == "copy"


def test_the_import_survives_a_restart(exported: EngineWorld) -> None:
    import_copy(exported, name="copy")
    before = exported.sight("copy")
    exported.save()
    exported.files.reads.clear()
    exported.encoder.calls.clear()
    exported.restart()
    exported.settle()
    assert (exported.files.reads, exported.encoder.calls) == ([], [])
    assert first_difference(exported.sight("copy"), before) is None


def test_an_export_is_as_fresh_as_an_answer(exported: EngineWorld) -> None:
    exported.files.write("/docs/new.md", "# New\n\nnew text\n")
    exported.engine.writer.post(Look("docs", Ticket()))
    exported.settle()
    done = exported.maintenance.archives.export_root("docs", path=FILE, force=True)
    assert (done.documents, done.bytes) == (8, len(exported.archives.files[FILE]))


def refused(act: Callable[[], object], kind: type[DaemonError], text: str) -> None:
    with pytest.raises(kind, match=text) as caught:
        act()
    assert caught.value.remedy


def test_what_an_export_refuses(exported: EngineWorld) -> None:
    export = exported.maintenance.archives.export_root
    before = dict(exported.archives.files)
    refused(lambda: export("docs", path=FILE, force=False), RefusedError, "is there already")
    refused(lambda: export("nowhere", path="/x", force=False), NotFoundError, "no root named")
    refused(lambda: export("docs", path="x", force=False), InvalidRequestError, "no absolute path")
    exported.archives.fail_with = errno.ENOSPC
    refused(lambda: export("docs", path=FILE, force=True), OperatorError, "No space")
    assert exported.archives.files == before


def test_an_incomplete_root_is_not_exported(exported: EngineWorld) -> None:
    exported.engine.service.add_root("/copy")
    exported.engine.writer.step(timeout_seconds=0.0)
    export = exported.maintenance.archives.export_root
    refused(lambda: export("copy", path="/x", force=False), RefusedError, "not complete")


def test_what_an_import_refuses(exported: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str = FILE, folder: str = "/copy", name: str = "") -> Callable[[], object]:
        return lambda: exported.maintenance.archives.import_root(path, folder=folder, name=name)

    exported.archives.files["/bad"] = b"PK\3\4" + bytes(100)
    exported.archives.files["/cut"] = exported.archives.files[FILE][:-1]
    refused(load("/nowhere"), NotFoundError, "no file")
    refused(load("x"), InvalidRequestError, "no absolute path")
    refused(load("/bad"), InvalidRequestError, "no whole export")
    refused(load("/cut"), InvalidRequestError, "no whole export")
    refused(load(folder="/nowhere"), NotFoundError, "no folder")
    refused(load(folder="/docs"), RefusedError, "registered already")
    refused(load(name="docs"), RefusedError, "belongs to the root")
    refused(load(name="a b"), InvalidRequestError, "cannot be the name")
    exported.checkpoints.fail_with = errno.ENOSPC
    refused(load(), OperatorError, "cannot be saved")
    exported.checkpoints.fail_with = None
    monkeypatch.setattr("mdmemd.store.manifest.TEXT_VERSION", 99)
    refused(load(), RefusedError, "another version of mdmem")
    assert set(exported.engine.roots.specs()) == {"docs"}


def test_power_may_be_lost_after_every_operation_of_an_import(exported: EngineWorld, tmp_path: Path) -> None:
    """D14: the folder is registered with the whole index, or it is not registered."""
    exported.save()
    before_disk, before_blobs = exported.checkpoints.copy(), exported.blobs.copy()
    fresh = exported.fresh_sight(tmp_path / "fresh", "/copy")
    outcomes: set[bool] = set()
    import_copy(exported, name="copy")
    operations = exported.checkpoints.operations - before_disk.operations
    for stop in range(operations + 5):  # the list of roots is saved last, in 4 operations
        disk, blobs = before_disk.copy(), before_blobs.copy()
        exported.checkpoints, exported.blobs = disk, blobs
        exported.restart()
        exported.settle()
        disk.stop_after(stop if stop < operations else None)
        blobs.operations_left = max(0, stop - operations)
        with contextlib.suppress(PowerLostError):
            exported.maintenance.archives.import_root(FILE, folder="/copy", name="copy")
        disk.lose_power(random.Random(stop))
        blobs.lose_power()
        exported.encoder.calls.clear()
        exported.restart()
        exported.settle()
        assert exported.status("docs").documents == 7
        is_registered = "copy" in exported.engine.roots.specs()
        outcomes.add(is_registered)
        if not is_registered:
            exported.maintenance.archives.import_root(FILE, folder="/copy", name="copy")
            exported.settle()
        assert exported.encoder.calls == []
        assert first_difference(exported.sight("copy"), fresh) is None
    assert outcomes == {True, False}
