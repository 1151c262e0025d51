"""The single writer, stepped by hand."""

from __future__ import annotations

import errno
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.embed.queue import Delivery
from mdmemd.engine import root_reading
from mdmemd.engine.events import Embedded, Look
from mdmemd.engine.report import RootState
from mdmemd.engine.writer import BATCH_FILES_MAX
from mdmemd.errors import ModelUnavailableError
from mdmemd.index.root_index import RootIndex
from mdmemd.model import ChunkMode, IndexedFile, ParsedDocument, VectorKey
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
    assert world.status("big").documents == 0
    world.settle()
    assert world.status("big").documents == 3 * BATCH_FILES_MAX


def test_an_edit_does_not_wait_for_a_large_folder_even_if_nobody_waits_for_it(world: EngineWorld) -> None:
    world.files.write("/small/a.md", "# A\n")
    world.add("/small")
    for number in range(5 * BATCH_FILES_MAX):
        world.files.write(f"/big/{number}.md", f"# Big {number}\n")
    world.engine.service.add_root("/big")
    world.engine.writer.step(timeout_seconds=0.0)
    world.files.write("/small/b.md", "# B\n")
    world.engine.writer.post(Look("small", Ticket(is_awaited=False)))
    world.engine.writer.step(timeout_seconds=0.0)
    world.engine.writer.step(timeout_seconds=0.0)
    assert paths(world, "small") == ["a.md", "b.md"]
    assert world.status("big").pending_files > 0


def test_a_step_is_one_walk_at_most(world: EngineWorld) -> None:
    for name in ("one", "two", "three"):
        world.files.write(f"/{name}/a.md", "# A\n")
        world.engine.service.add_root(f"/{name}")
    scanned = []
    for _ in range(3):
        world.engine.writer.step(timeout_seconds=0.0)
        scanned.append(sum(view.scanned for view in world.engine.state.current.roots.values()))
    assert scanned == [1, 2, 3]


def test_a_bug_that_one_document_brings_out_costs_only_that_document(
    world: EngineWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """P8: the others are indexed, the bad one is named, and is tried again only when it changes."""
    parse, attempts = root_reading.parse_document, []

    def parse_or_fail(data: bytes, *, path: str, chunk_mode: ChunkMode) -> ParsedDocument:
        if b"poison" in data:
            attempts.append(path)
            raise ZeroDivisionError("bug")
        return parse(data, path=path, chunk_mode=chunk_mode)

    monkeypatch.setattr(root_reading, "parse_document", parse_or_fail)
    for number in range(5):
        world.files.write(f"/docs/{number}.md", f"# {number}\n")
    world.files.write("/docs/bad.md", "# poison\n")
    status = world.add("/docs")
    assert status.documents == 5
    assert [(entry.path, entry.problem.kind) for entry in status.problems] == [("bad.md", "failed")]
    look(world)
    world.settle()
    assert attempts == ["bad.md"]
    assert "ZeroDivisionError" in caplog.text
    world.files.write("/docs/bad.md", "# cured\n")
    look(world)
    world.settle()
    status = world.status("docs")
    assert (status.documents, status.problem_count) == (6, 0)


def test_a_bug_of_the_index_costs_only_the_document_that_brings_it_out(
    world: EngineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = RootIndex.apply

    def apply_or_fail(self: RootIndex, *, files: Sequence[IndexedFile], removed: Collection[str]) -> Any:
        if any(file.path == "bad.md" for file in files):
            raise ZeroDivisionError("bug")
        return apply(self, files=files, removed=removed)

    monkeypatch.setattr(RootIndex, "apply", apply_or_fail)
    for name in ("a", "bad", "c"):
        world.files.write(f"/docs/{name}.md", f"# {name}\n")
    status = world.add("/docs")
    assert paths(world) == ["a.md", "c.md"]
    assert [entry.path for entry in status.problems] == ["bad.md"]


def test_an_event_that_brings_out_a_bug_costs_only_itself(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\nText.\n")
    world.add("/docs")
    root_id = next(iter(world.engine.writer._roots)).root_id
    zero = Delivery((VectorKey(0),), np.zeros((1, 32), np.float32), (), "fake")
    world.engine.writer.post(Embedded(root_id, zero))
    world.files.write("/more/b.md", "# B\n")
    assert world.add("/more").state is RootState.READY


@pytest.mark.parametrize("code", [errno.EIO, errno.EMFILE, errno.ESTALE])
def test_a_disk_that_fails_just_now_costs_no_document(world: EngineWorld, code: int) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.add("/docs")
    world.files.write("/docs/a.md", "# A changed\n")
    look(world)
    world.files.before_next_read(lambda: world.files.fail("/docs/a.md", code))
    world.settle()
    assert paths(world) == ["a.md"]
    assert world.status("docs").problems[0].problem.kind == "unreadable"
    world.files.fail("/docs/a.md", None)
    look(world)
    world.settle()
    record = world.engine.state.current.roots["docs"].snapshot.document("a.md")
    assert record is not None
    assert record.title == "A changed"
    assert world.status("docs").problem_count == 0


def test_a_file_that_may_not_be_read_is_not_tried_at_every_look(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n")
    world.engine.service.add_root("/docs")
    world.files.before_next_read(lambda: world.files.fail("/docs/a.md", errno.EACCES))
    world.settle()
    world.files.fail("/docs/a.md", None)
    world.files.reads.clear()
    look(world)
    world.settle()
    assert world.files.reads == []
    world.files.write("/docs/a.md", "# A\n")
    look(world)
    world.settle()
    assert paths(world) == ["a.md"]


def test_a_file_that_is_another_one_at_every_reading_does_not_keep_the_writer_busy(
    world: EngineWorld,
) -> None:
    """R6: file systems whose inode numbers are not stable."""
    world.files.write("/docs/a.md", "# A\n")
    world.files.write("/docs/b.md", "# B\n")
    world.engine.service.add_root("/docs")

    def replace() -> None:
        world.files.remove("/docs/a.md")
        world.files.write("/docs/a.md", "# A\n")
        world.files.before_next_read(replace)

    world.files.before_next_read(replace)
    world.settle()
    assert "b.md" in paths(world)


def test_most_documents_vanishing_at_once_are_kept_until_it_is_sure(world: EngineWorld) -> None:
    """W15, T6."""
    for number in range(30):
        world.files.write(f"/docs/inner/{number}.md", f"# {number}\n")
    world.files.write("/docs/.DS_Store.md", "# System\n")
    world.add("/docs")
    world.files.remove("/docs/inner")
    look(world)
    world.settle()
    status = world.status("docs")
    assert (status.documents, status.state) == (31, RootState.MISSING)
    world.clock.advance(11.0)
    look(world)
    world.settle()
    assert world.status("docs").documents == 1


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
