"""When indexes are saved, and what a start makes of them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmem_testkit.index_states import first_difference, sight
from mdmemd.engine.checkpointer import DIRTY_SECONDS_MAX, IDLE_SECONDS, PAUSE_SECONDS, RETRY_SECONDS
from mdmemd.engine.events import Look
from mdmemd.engine.report import RootState
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import SearchMode
from mdmemd.search.page import Question
from mdmemd.store import layout
from mdmemd.store.checkpoint import current_manifest
from mdmemd.store.piece import FORMAT
from mdmemd.sync.barrier import Ticket

FOLDER = layout.root_folder("/docs")


@pytest.fixture
def saved(world: EngineWorld) -> EngineWorld:
    """A root of some documents, saved."""
    for number in range(8):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nalpha text{number}\n\nsecond beta\n")
    world.files.write("/docs/odd.md", "---\ntags: [a\n---\n# Odd\n\ngamma\n")  # has a problem
    world.add("/docs")
    world.save()
    assert generation(world) == 1
    return world


def generation(world: EngineWorld) -> int:
    manifest = current_manifest(world.checkpoints, root="/docs")
    return manifest.generation if manifest else 0


def look(world: EngineWorld, name: str = "docs") -> None:
    world.engine.writer.post(Look(name, Ticket()))
    world.settle()


def step(world: EngineWorld) -> bool:
    return world.engine.checkpointer.step(timeout_seconds=0.0)


# --- a start ------------------------------------------------------------------------------------------------


def test_a_start_answers_before_it_has_looked_at_the_folder(saved: EngineWorld) -> None:
    before = saved.sight()
    seen: list[object] = []
    engine = saved.restart()
    engine.state.subscribe(lambda: seen.append(engine.state.current.roots["docs"]))
    saved.settle()
    first = seen[0]
    assert not first.scanned  # type: ignore[attr-defined]
    assert sight(first.snapshot) == before[2]  # type: ignore[attr-defined, index]
    assert saved.sight() == before


def test_a_start_reads_and_embeds_only_what_changed(saved: EngineWorld, tmp_path: Path) -> None:
    saved.files.write("/docs/3.md", "# Title 3\n\nchanged\n")
    saved.files.write("/docs/new.md", "# New\n\nnew text\n")
    saved.files.remove("/docs/5.md")
    saved.files.reads.clear()
    saved.encoder.calls.clear()
    saved.restart()
    saved.settle()
    assert sorted(saved.files.reads) == ["/docs/3.md", "/docs/new.md"]
    texts = [text for call in saved.encoder.calls for text in call]
    assert sorted(texts) == ["New: new text", "Title 3: changed"]
    assert first_difference(saved.sight(), saved.fresh_sight(tmp_path / "fresh", "/docs")) is None


def test_a_start_reads_nothing_where_nothing_changed_and_saves_nothing(saved: EngineWorld) -> None:
    saved.files.reads.clear()
    saved.encoder.calls.clear()
    saved.restart()
    saved.settle()
    saved.save()
    assert saved.files.reads == []
    assert saved.encoder.calls == []
    assert generation(saved) == 1
    assert saved.status("docs").problem_count == 1


def test_a_question_right_after_the_start_waits_for_the_saved_index(saved: EngineWorld) -> None:
    world = EngineWorld.__new__(EngineWorld)
    world.__dict__.update(saved.__dict__)
    world._settings = type(saved._settings)()  # the budget of 150 ms
    engine = world.restart()
    engine.start()
    try:
        answer = engine.service.search(Question("text3", mode=SearchMode.KEYWORD))
        assert [hit.path for hit in answer.hits][:1] == ["3.md"]
    finally:
        engine.stop()


def test_another_model_gives_new_vectors_while_words_answer(saved: EngineWorld, tmp_path: Path) -> None:
    """M5: same dimensions, another fingerprint."""
    saved.encoder = FakeEncoder(dimensions=32, fingerprint="another")
    saved.restart()
    saved.engine.writer.step(timeout_seconds=0.0)
    assert saved.status("docs").documents == 9
    saved.settle()
    texts = [text for call in saved.encoder.calls for text in call]
    assert len(texts) == len(set(texts)) > 0
    assert saved.status("docs").state is RootState.READY
    assert saved.status("docs").embedded == saved.status("docs").passages
    saved.save()
    manifest = current_manifest(saved.checkpoints, root="/docs")
    assert manifest is not None
    assert manifest.vectors_by == "another"
    assert first_difference(saved.sight(), saved.fresh_sight(tmp_path / "fresh", "/docs")) is None


def test_a_start_without_a_model_keeps_the_vectors(saved: EngineWorld) -> None:
    saved.model_failure = ModelUnavailableError("gone")
    saved.restart()
    saved.settle()
    saved.files.write("/docs/3.md", "# Title 3\n\nchanged\n")
    look(saved)
    saved.save()
    saved.model_failure = None
    saved.encoder.calls.clear()
    saved.restart()
    saved.settle()
    assert [text for call in saved.encoder.calls for text in call] == ["Title 3: changed"]
    assert saved.status("docs").embedded == saved.status("docs").passages


def test_an_interrupted_embedding_is_completed_after_the_start(world: EngineWorld, tmp_path: Path) -> None:
    """T8, W18: a document without all of its vectors is read again; nothing is stored that could be stale."""
    for number in range(300):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nalpha text{number}\n")
    world.engine.service.add_root("/docs")
    while world.engine.writer.step(timeout_seconds=0.0):
        pass
    for _ in range(5):
        world.engine.embedder.step(timeout_seconds=0.0)
    world.engine.writer.step(timeout_seconds=0.0)
    embedded = world.status("docs").embedded
    assert 0 < embedded < 300
    world.save()
    assert generation(world) == 1
    world.encoder.calls.clear()
    world.restart()
    world.settle()
    assert world.status("docs").state is RootState.READY
    assert sum(map(len, world.encoder.calls)) <= 300 - embedded
    assert first_difference(world.sight(), world.fresh_sight(tmp_path / "fresh", "/docs")) is None


def test_damage_to_any_file_is_told_and_made_good(saved: EngineWorld, tmp_path: Path) -> None:
    """T7, F7, F10: each file cut off, emptied, deleted, replaced by another one."""
    truth = saved.sight()
    intact = saved.checkpoints
    names = intact.names(FOLDER)
    assert len(names) == 5
    for name in names:
        content = intact.read(FOLDER, name)
        for damage in (b"", content[:-1], content[: len(content) // 2], None, intact.read(FOLDER, names[0])):
            if damage == content:
                continue
            saved.checkpoints = intact.copy()
            saved.checkpoints.put(FOLDER, name, damage)
            saved.restart()
            saved.settle()
            assert saved.sight() == truth, (name, damage)
            assert name in " ".join(saved.engine.service.messages())
            saved.save()
            saved.restart()
            saved.settle()
            assert saved.sight() == truth
            assert saved.engine.service.messages() == ()


def test_a_bug_that_a_saved_index_brings_out_costs_no_root(
    saved: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("a bug")

    truth = saved.sight()
    monkeypatch.setattr("mdmemd.engine.restore.load", fail)
    saved.restart()
    saved.settle()
    assert saved.sight() == truth
    assert "a bug" in " ".join(saved.engine.service.messages())


# --- when ---------------------------------------------------------------------------------------------------


def test_a_root_is_saved_when_it_has_rested(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\ntext\n")
    world.add("/docs")
    assert not step(world)
    world.clock.advance(IDLE_SECONDS - 0.1)
    assert not step(world)
    world.clock.advance(0.1)
    assert step(world)
    assert generation(world) == 1
    assert not step(world)


def test_saves_keep_a_distance(saved: EngineWorld) -> None:
    """T11: however often a file is saved."""
    saved.clock.advance(1_000.0)
    begun = generation(saved)
    for number in range(200):
        saved.files.write("/docs/3.md", f"# Title 3\n\nedit {number}\n")
        look(saved)
        saved.clock.advance(3.0)
        step(saved)
        step(saved)
    assert generation(saved) - begun <= 600 / PAUSE_SECONDS + 1
    assert len(saved.checkpoints.names(FOLDER)) < 30


def test_steady_change_does_not_put_a_save_off_for_ever(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\ntext\n")
    world.add("/docs")
    for number in range(int(DIRTY_SECONDS_MAX) + 1):
        step(world)
        world.clock.advance(1.0)
        world.files.write("/docs/a.md", f"# A\n\nedit {number}\n")
        look(world)
    step(world)
    assert generation(world) == 1


def test_a_stop_saves_what_has_changed(saved: EngineWorld) -> None:
    saved.files.write("/docs/new.md", "# New\n\nnew text\n")
    look(saved)
    saved.engine.checkpointer.close()
    assert generation(saved) == 2
    saved.files.reads.clear()
    saved.restart()
    saved.settle()
    assert saved.files.reads == []


def test_questions_do_not_make_it_save(saved: EngineWorld) -> None:
    for _ in range(3):
        look(saved)
        saved.clock.advance(100.0)
        assert not step(saved)


# --- T6: never less over more ------------------------------------------------------------------------------


def test_a_missing_folder_does_not_cost_the_saved_index(saved: EngineWorld) -> None:
    """T6: at a start with an unmounted disk, and at the stop after it."""
    saved.files.remove("/docs")
    saved.restart()
    saved.settle()
    assert saved.status("docs").state is RootState.MISSING
    assert saved.status("docs").documents == 9
    saved.save()
    saved.engine.checkpointer.close()
    assert generation(saved) == 1


def test_a_root_that_was_not_looked_at_is_not_saved(saved: EngineWorld) -> None:
    """T6: a daemon that is stopped at once."""
    saved.restart()
    saved.engine.checkpointer.close()
    assert generation(saved) == 1


def test_a_rebuild_does_not_replace_a_full_index_before_it_is_half_as_large(saved: EngineWorld) -> None:
    """T6: an index started over while most files still wait."""
    view = saved.engine.state.current.roots["docs"]
    for number in range(400):
        saved.files.write(f"/docs/more{number}.md", f"# More {number}\n\ntext\n")
    look(saved)
    saved.save()
    full = generation(saved)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mdmemd.store.manifest.TOKENIZER_VERSION", 99)
        saved.restart()
        saved.engine.writer.step(timeout_seconds=0.0)
        assert view.snapshot.documents <= saved.status("docs").documents < 205
        saved.save()
        assert generation(saved) == full
        saved.settle()
        saved.save()
    assert generation(saved) == full + 1


# --- trouble ------------------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_tried_again(saved: EngineWorld) -> None:
    """T10."""
    saved.files.write("/docs/new.md", "# New\n\nnew text\n")
    look(saved)
    saved.checkpoints.fail_with = errno.ENOSPC
    saved.save()
    assert "No space left" in " ".join(saved.engine.service.messages())
    assert generation(saved) == 1
    assert [hit.path for hit in saved.engine.service.search(Question("new text")).hits][:1] == ["new.md"]
    saved.checkpoints.fail_with = None
    assert not step(saved)
    saved.clock.advance(RETRY_SECONDS)
    assert step(saved)
    assert generation(saved) == 2
    assert saved.engine.service.messages() == ()


def test_what_a_newer_version_saved_is_kept_and_told(saved: EngineWorld) -> None:
    """T14."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mdmemd.store.piece.FORMAT", FORMAT + 1)
        saved.restart()
        saved.settle()
        saved.save()
        newer = {name: saved.checkpoints.read(FOLDER, name) for name in saved.checkpoints.names(FOLDER)}
    saved.restart()
    saved.settle()
    assert saved.status("docs").state is RootState.READY
    saved.save()
    saved.engine.checkpointer.close()
    assert {name: saved.checkpoints.read(FOLDER, name) for name in saved.checkpoints.names(FOLDER)} == newer
    assert "newer mdmem" in " ".join(saved.engine.service.messages())


# --- removed roots ------------------------------------------------------------------------------------------


def test_a_collection_removes_the_saved_indexes_of_removed_roots(saved: EngineWorld) -> None:
    """T12."""
    saved.files.write("/other/a.md", "# A\n\ntext\n")
    saved.add("/other")
    saved.save()
    saved.checkpoints.put("somebody's", "file", b"")
    saved.engine.service.remove_root("docs")
    saved.settle()
    removed = saved.engine.checkpointer.collect({"/other"})
    assert step(saved)
    assert removed.result(0).files == 5
    assert saved.checkpoints.folders() == sorted([layout.root_folder("/other"), "somebody's"])


def test_a_root_added_again_begins_with_its_saved_index(saved: EngineWorld) -> None:
    before = saved.sight()
    saved.engine.service.remove_root("docs")
    saved.settle()
    saved.files.reads.clear()
    saved.add("/docs")
    assert saved.files.reads == []
    assert saved.sight() == before


@pytest.fixture(autouse=True)
def _ended(world: EngineWorld) -> Iterator[None]:
    yield
    world.close()
