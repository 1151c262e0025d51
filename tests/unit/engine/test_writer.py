"""The single writer, stepped by hand."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.report import RootState
from mdmemd.engine.writer import BATCH_FILES_MAX, Look
from mdmemd.errors import ModelUnavailableError
from mdmemd.sync.barrier import Ticket


def paths(world: EngineWorld, name: str = "docs") -> list[str]:
    return [record.path for record in world.engine.state.current.roots[name].snapshot.iter_documents()]


def look(world: EngineWorld, name: str = "docs") -> Ticket:
    ticket = Ticket()
    world.engine.writer.post(Look(name, ticket))
    return ticket


def test_keywords_are_complete_before_the_first_text_is_embedded(world: EngineWorld) -> None:
    for number in range(BATCH_FILES_MAX + 10):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nText of {number}.\n")
    world.engine.service.add_root("/docs")
    world.engine.embedder.step(timeout_seconds=0.0)  # loads the model
    assert world.status("docs").state is RootState.INDEXING
    world.engine.writer.step(timeout_seconds=0.0)
    assert world.status("docs").pending_files == 10
    assert not world.engine.embedder.step(timeout_seconds=0.0)
    world.engine.writer.step(timeout_seconds=0.0)
    status = world.status("docs")
    assert (status.state, status.documents, status.embedded) == (RootState.EMBEDDING, BATCH_FILES_MAX + 10, 0)
    world.settle()
    status = world.status("docs")
    assert status.state is RootState.READY
    assert status.embedded == status.passages > 0


def test_the_newest_file_is_indexed_first(world: EngineWorld) -> None:
    """D17."""
    for number in range(BATCH_FILES_MAX + 1):
        world.files.write(f"/docs/{number}.md", "# Old\n", mtime_ns=number)
    world.files.write("/docs/newest.md", "# New\n", mtime_ns=10_000)
    world.engine.service.add_root("/docs")
    world.engine.writer.step(timeout_seconds=0.0)
    assert "newest.md" in paths(world)
    assert "0.md" not in paths(world)


def test_a_look_finds_changed_new_and_gone_files_and_releases_its_ticket_when_they_are_in(
    world: EngineWorld,
) -> None:
    world.files.write("/docs/changed.md", "# One\n")
    world.files.write("/docs/gone.md", "# Two\n")
    world.files.write("/docs/same.md", "# Three\n")
    world.add("/docs")
    world.files.reads.clear()
    world.files.write("/docs/changed.md", "# One changed\n")
    world.files.write("/docs/new.md", "# Four\n")
    world.files.remove("/docs/gone.md")
    ticket = look(world)
    assert not ticket.wait(timeout_seconds=0.0)
    world.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert paths(world) == ["changed.md", "new.md", "same.md"]
    assert sorted(world.files.reads) == ["/docs/changed.md", "/docs/new.md"]


def test_an_edit_embeds_only_what_changed(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# Title\n\nFirst paragraph.\n\nSecond paragraph.\n")
    world.add("/docs")
    world.encoder.calls.clear()
    world.files.write("/docs/a.md", "# Title\n\nFirst paragraph.\n\nAnother paragraph.\n")
    look(world)
    world.settle()
    assert [text for call in world.encoder.calls for text in call] == ["Title: Another paragraph."]


def test_a_touched_file_is_read_and_not_indexed_again(world: EngineWorld) -> None:
    """W19: the hash decides."""
    world.files.write("/docs/a.md", "# Title\n\nText.\n")
    world.add("/docs")
    world.encoder.calls.clear()
    world.files.write("/docs/a.md", "# Title\n\nText.\n", mtime_ns=99)
    look(world)
    world.settle()
    record = world.engine.state.current.roots["docs"].snapshot.document("a.md")
    assert record is not None
    assert record.fingerprint.mtime_ns == 99
    assert world.encoder.calls == []
    world.files.reads.clear()
    look(world)
    world.settle()
    assert world.files.reads == []


def test_an_unreadable_file_costs_only_itself_and_is_named(world: EngineWorld) -> None:
    """P8."""
    world.files.write("/docs/good.md", "# Good\n")
    world.files.write("/docs/bad.md", "# Bad\n")
    world.engine.service.add_root("/docs")
    world.files.fail("/docs/bad.md", errno.EACCES)
    world.settle()
    status = world.status("docs")
    assert status.documents == 1
    assert [(entry.path, entry.problem.kind) for entry in status.problems] == [("bad.md", "unreadable")]
    world.files.fail("/docs/bad.md", None)
    look(world)
    world.settle()
    status = world.status("docs")
    assert (status.documents, status.problem_count) == (2, 0)


def test_problems_of_a_removed_file_go_with_it(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", b"# Caf\xe9\n\nx\n")
    assert world.add("/docs").problem_count == 1
    world.files.remove("/docs/a.md")
    world.files.write("/docs/b.md", "# B\n")
    look(world)
    world.settle()
    assert world.status("docs").problem_count == 0


def test_a_missing_folder_keeps_its_documents(world: EngineWorld) -> None:
    """W15, T6."""
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    world.files.fail("/docs", errno.ENOENT)
    look(world)
    world.settle()
    status = world.status("docs")
    assert (status.state, status.documents) == (RootState.MISSING, 1)
    world.files.fail("/docs", None)
    look(world)
    world.settle()
    assert world.status("docs").state is RootState.READY


def test_a_file_that_vanishes_between_the_walk_and_its_reading_leaves_the_index(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.files.write("/docs/b.md", "# B\n")
    world.add("/docs")
    world.files.write("/docs/a.md", "# Changed\n")
    ticket = look(world)
    world.files.before_next_read(lambda: world.files.remove("/docs/a.md"))
    world.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert paths(world) == ["b.md"]


def test_a_disk_that_vanishes_between_the_walk_and_the_reading_purges_nothing(world: EngineWorld) -> None:
    """W15."""
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    world.files.write("/docs/a.md", "# Changed\n")
    look(world)
    world.files.before_next_read(lambda: world.files.remove("/docs"))
    world.settle()
    assert paths(world) == ["a.md"]
    assert world.status("docs").state is RootState.MISSING


def test_what_replaces_a_file_after_the_walk_is_not_read_unseen(world: EngineWorld) -> None:
    """X4: a link out of the root, put in place of a document, gives nothing away."""
    world.files.write("/secret.md", "# Password\n")
    world.files.write("/docs/a.md", "# A\n")
    world.files.write("/docs/b.md", "# B\n")
    world.add("/docs")
    world.files.write("/docs/a.md", "# Changed\n")
    look(world)

    def replace() -> None:
        world.files.remove("/docs/a.md")
        world.files.link("/docs/a.md", "/secret.md")

    world.files.before_next_read(replace)
    world.settle()
    assert paths(world) == ["b.md"]


def test_roots_are_indexed_side_by_side_and_one_that_is_waited_for_comes_first(world: EngineWorld) -> None:
    for number in range(3 * BATCH_FILES_MAX):
        world.files.write(f"/big/{number}.md", f"# Big {number}\n")
    world.files.write("/small/a.md", "# A\n")
    world.engine.service.add_root("/big")
    world.engine.service.add_root("/small")
    ticket = look(world, "small")
    world.engine.writer.step(timeout_seconds=0.0)
    assert ticket.wait(timeout_seconds=0.0)
    assert world.status("big").pending_files == 3 * BATCH_FILES_MAX


def test_a_root_inside_a_root_takes_its_files_and_gives_them_back(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.files.write("/docs/inner/b.md", "# B\n")
    world.add("/docs")
    world.add("/docs/inner")
    assert paths(world) == ["a.md"]
    assert paths(world, "inner") == ["b.md"]
    world.encoder.calls.clear()
    world.engine.service.remove_root("inner")
    world.settle()
    assert paths(world) == ["a.md", "inner/b.md"]
    assert world.encoder.calls == []


def test_a_removed_root_is_gone_and_its_waiters_are_let_go(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\nText.\n")
    world.engine.service.add_root("/docs")
    world.engine.writer.step(timeout_seconds=0.0)
    world.engine.service.remove_root("docs")
    ticket = look(world)
    world.settle()
    assert not ticket.wait(timeout_seconds=0.0)
    assert dict(world.engine.state.current.roots) == {}


def test_a_failed_model_leaves_keyword_search_and_a_root_that_is_ready(world: EngineWorld) -> None:
    """S16, T15."""
    world.model_failure = ModelUnavailableError("The model is broken.", remedy="Install it again.")
    world.files.write("/docs/a.md", "# A\n\nText.\n")
    status = world.add("/docs")
    assert status.state is RootState.READY
    assert status.detail is not None
    assert "keyword search only: The model is broken. Install it again." in status.detail


def test_a_text_that_cannot_be_embedded_costs_only_itself(world: EngineWorld) -> None:
    """R5."""
    world.encoder.fails_on = {"A: Poison."}
    world.files.write("/docs/a.md", "# A\n\nPoison.\n\nWater.\n")
    status = world.add("/docs")
    assert status.state is RootState.READY
    assert (status.passages, status.embedded) == (2, 1)
    assert status.detail is not None
    assert "1 texts could not be embedded" in status.detail


def test_a_restart_embeds_nothing_again(world: EngineWorld) -> None:
    """W18: state is derived from facts; vectors come from the cache."""
    world.files.write("/docs/a.md", "# A\n\nText.\n")
    world.add("/docs")
    world.engine.embedder.close()
    world.encoder.calls.clear()
    world.restart()
    world.settle()
    assert world.status("docs").embedded == 1
    assert world.encoder.calls == []


def test_after_close_nobody_waits(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    before = look(world)
    world.engine.writer.close()
    after = look(world)
    assert not before.wait(timeout_seconds=0.0)
    assert not after.wait(timeout_seconds=0.0)


def test_ticks_only_grow_and_an_idle_step_publishes_nothing(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    before = world.engine.state.current
    assert not world.engine.writer.step(timeout_seconds=0.0)
    assert world.engine.state.current is before
    look(world)
    world.settle()
    assert world.engine.state.current.tick > before.tick


@pytest.mark.parametrize("name", ["docs", "other"])
def test_a_look_at_an_unknown_root_is_let_go(world: EngineWorld, name: str) -> None:
    ticket = look(world, name)
    world.settle()
    assert not ticket.wait(timeout_seconds=0.0)
