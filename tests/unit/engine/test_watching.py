"""Roots that are watched by events: only what was hinted is looked at, read and embedded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.events import Settle
from mdmemd.engine.journal import ChangeKind
from mdmemd.engine.report import RootState
from mdmemd.engine.root_looking import RETRY_SECONDS
from mdmemd.engine.root_reading import FRESH_MAX
from mdmemd.engine.writer import BATCH_FILES_MAX
from mdmemd.ports import DirectoryEntry, WatchMode
from mdmemd.sync.barrier import Ticket
from mdmemd.sync.vanished import GRACE_SECONDS


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[EngineWorld]:
    """A root ``docs`` of ten files in two folders, watched by events."""
    made = EngineWorld(tmp_path, watched=True)
    for number in range(5):
        made.files.write(f"/docs/{number}.md", f"# Title {number}\n\nText {number}.\n")
        made.files.write(f"/docs/sub/{number}.md", f"# Sub {number}\n\nSub text {number}.\n")
    made.add("/docs")
    forget_work(made)
    yield made
    made.close()


def forget_work(world: EngineWorld) -> None:
    world.files.reads.clear()
    world.encoder.calls.clear()
    listed(world).clear()


def listed(world: EngineWorld) -> list[str]:
    """The folders that are listed from the first call on."""
    files = world.files
    if not hasattr(files, "listed"):
        names: list[str] = []
        list_directory = files.list_directory

        def note(path: str) -> list[DirectoryEntry]:
            names.append(path)
            return list_directory(path)

        files.list_directory = note  # type: ignore[method-assign]
        files.listed = names  # type: ignore[attr-defined]
    found: list[str] = files.listed  # type: ignore[attr-defined]
    return found


def paths(world: EngineWorld, name: str = "docs") -> list[str]:
    return [record.path for record in world.engine.state.current.roots[name].snapshot.iter_documents()]


def settle(world: EngineWorld, name: str = "docs") -> Ticket:
    """What a question does: the watcher catches up, and a ticket waits."""
    world.watcher.deliver()
    ticket = Ticket()
    world.engine.writer.post(Settle(name, ticket))
    return ticket


def step(world: EngineWorld) -> None:
    """Let the writer alone come to rest."""
    while world.engine.writer.step(timeout_seconds=0.0):
        pass


def embedded(world: EngineWorld) -> list[str]:
    return [text for call in world.encoder.calls for text in call]


def changes(world: EngineWorld, tick: int) -> list[tuple[str, str, str | None]]:
    found = world.engine.following.changes(since_tick=tick).changes
    return [(entry.change.kind.value, entry.change.path, entry.change.path_before) for entry in found]


def test_an_edit_is_looked_at_and_read_alone(watched: EngineWorld) -> None:
    watched.files.write("/docs/3.md", "# Title 3\n\nAnother text.\n")
    ticket = settle(watched)
    step(watched)
    assert ticket.wait(timeout_seconds=0.0)
    assert watched.files.reads == ["/docs/3.md"]
    assert listed(watched) == []
    watched.settle()
    assert embedded(watched) == ["Title 3: Another text."]


def test_a_one_line_edit_of_a_hundred_passages_embeds_one(watched: EngineWorld) -> None:
    lines = [f"Paragraph {number}." for number in range(100)]
    watched.files.write("/docs/long.md", "# Long\n\n" + "\n\n".join(lines) + "\n")
    settle(watched)
    watched.settle()
    forget_work(watched)
    lines[50] = "Another paragraph."
    watched.files.write("/docs/long.md", "# Long\n\n" + "\n\n".join(lines) + "\n")
    settle(watched)
    watched.settle()
    assert embedded(watched) == ["Long: Another paragraph."]


def test_reading_the_root_is_no_work_at_all(watched: EngineWorld) -> None:
    """W1: ``grep -r`` over the root gives no hint, so nothing is stat-ed, read, published or embedded."""
    before = watched.engine.state.current
    for path in paths(watched):
        watched.files.read(f"/docs/{path}", bytes_max=10_000)
    forget_work(watched)
    watched.watcher.deliver()
    assert not watched.engine.writer.step(timeout_seconds=0.0)
    assert watched.engine.state.current is before
    assert (watched.files.reads, listed(watched)) == ([], [])


def test_a_question_of_a_quiet_root_publishes_nothing(watched: EngineWorld) -> None:
    before = watched.engine.state.current
    ticket = settle(watched)
    watched.engine.writer.step(timeout_seconds=0.0)
    assert ticket.wait(timeout_seconds=0.0)
    assert watched.engine.state.current is before
    assert listed(watched) == []


def test_a_touched_file_is_read_and_nothing_else(watched: EngineWorld) -> None:
    """W19: the hash decides, and nothing is told as a change."""
    tick = watched.engine.state.current.tick
    watched.files.touch("/docs/1.md")
    settle(watched)
    watched.settle()
    assert watched.files.reads == ["/docs/1.md"]
    assert (embedded(watched), changes(watched, tick)) == ([], [])


def test_a_new_file_and_a_new_folder_are_found(watched: EngineWorld) -> None:
    watched.files.write("/docs/new.md", "# New\n")
    watched.files.write("/docs/deep/er/newer.md", "# Newer\n")
    settle(watched)
    watched.settle()
    assert {"new.md", "deep/er/newer.md"} <= set(paths(watched))
    assert {"", "sub", "deep", "deep/er"} == watched.watcher.roots["/docs"].folders
    watched.files.write("/docs/deep/er/newer.md", "# Newest\n")
    forget_work(watched)
    settle(watched)
    watched.settle()
    assert watched.files.reads == ["/docs/deep/er/newer.md"]


def test_a_deleted_file_stays_for_a_moment_unless_somebody_asks(watched: EngineWorld) -> None:
    watched.files.remove("/docs/1.md")
    watched.watcher.deliver()
    step(watched)
    assert "1.md" in paths(watched)
    watched.clock.advance(GRACE_SECONDS)
    step(watched)
    assert "1.md" not in paths(watched)
    watched.files.remove("/docs/2.md")
    ticket = settle(watched)
    step(watched)
    assert ticket.wait(timeout_seconds=0.0)
    assert "2.md" not in paths(watched)


def test_an_editor_that_moves_the_old_file_away_first_costs_nothing(watched: EngineWorld) -> None:
    """W3: the file is absent for 50 ms."""
    tick = watched.engine.state.current.tick
    watched.files.move("/docs/1.md", "/docs/1.md~")
    watched.watcher.deliver()
    step(watched)
    watched.clock.advance(0.05)
    watched.files.write("/docs/1.md", "# Title 1\n\nText 1.\n")
    watched.watcher.deliver()
    watched.settle()
    watched.clock.advance(GRACE_SECONDS)
    watched.settle()
    assert "1.md" in paths(watched)
    assert "1.md~" not in paths(watched)
    assert (embedded(watched), changes(watched, tick)) == ([], [])


def test_an_atomic_save_is_one_change(watched: EngineWorld) -> None:
    """W2."""
    tick = watched.engine.state.current.tick
    watched.files.write("/docs/.1.md.tmp", "# Title 1\n\nSaved.\n")
    watched.files.move("/docs/.1.md.tmp", "/docs/1.md")
    settle(watched)
    watched.settle()
    assert embedded(watched) == ["Title 1: Saved."]
    assert changes(watched, tick) == [("changed", "1.md", None)]


def test_a_renamed_file_keeps_its_vectors_and_is_told_as_renamed(watched: EngineWorld) -> None:
    tick = watched.engine.state.current.tick
    watched.files.move("/docs/1.md", "/docs/sub/moved.md")
    settle(watched)
    watched.settle()
    assert embedded(watched) == []
    assert "1.md" not in paths(watched)
    assert changes(watched, tick) == [("renamed", "sub/moved.md", "1.md")]


def test_a_renamed_folder_of_a_hundred_files_embeds_nothing(watched: EngineWorld) -> None:
    for number in range(100):
        watched.files.write(f"/docs/old/{number}.md", f"# Old {number}\n\nOld text {number}.\n")
    settle(watched)
    watched.settle()
    forget_work(watched)
    tick = watched.engine.state.current.tick
    watched.files.move("/docs/old", "/docs/new")
    ticket = settle(watched)
    watched.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert embedded(watched) == []
    assert {path.split("/")[0] for path in paths(watched) if "/" in path} == {"new", "sub"}
    assert {kind for kind, _, _ in changes(watched, tick)} == {"renamed"}
    assert len(watched.files.reads) == 100
    assert watched.status("docs").state is RootState.READY


def test_a_folder_moved_out_leaves_and_its_watches_are_given_back(watched: EngineWorld) -> None:
    """F16."""
    watched.files.move("/docs/sub", "/elsewhere")
    settle(watched)
    watched.settle()
    assert paths(watched) == [f"{number}.md" for number in range(5)]
    assert watched.watcher.roots["/docs"].folders == {""}
    forget_work(watched)
    watched.files.write("/elsewhere/1.md", "# Edited outside\n")
    settle(watched)
    watched.settle()
    assert watched.files.reads == []


def test_lost_events_end_in_the_state_of_the_disk(watched: EngineWorld) -> None:
    """W7: an overflow."""
    watched.files.write("/docs/1.md", "# Unseen\n")
    watched.files.remove("/docs/sub/2.md")
    watched.files.write("/docs/fresh.md", "# Fresh\n")
    watched.watcher.overflow()
    ticket = settle(watched)
    watched.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert "fresh.md" in paths(watched)
    assert "sub/2.md" not in paths(watched)
    assert sorted(watched.files.reads) == ["/docs/1.md", "/docs/fresh.md"]


def test_a_hint_that_was_lost_without_a_word_is_made_good_by_the_next_walk(watched: EngineWorld) -> None:
    """F18."""
    watched.files.write("/docs/1.md", "# Unseen\n")
    watched.watcher._waiting.clear()
    watched.settle()
    assert watched.files.reads == []
    watched.clock.advance(600 * 1.25)
    watched.settle()
    assert watched.files.reads == ["/docs/1.md"]


def test_a_root_that_is_deleted_and_made_again_comes_back(watched: EngineWorld) -> None:
    """F17, W15: its documents are kept meanwhile, and nothing is embedded again."""
    texts = {path: watched.files.read(f"/docs/{path}", bytes_max=10_000)[0] for path in paths(watched)}
    watched.files.remove("/docs")
    settle(watched)
    watched.settle()
    status = watched.status("docs")
    assert (status.state, status.documents) == (RootState.MISSING, 10)
    for path, text in texts.items():
        watched.files.write(f"/docs/{path}", text)
    settle(watched)
    watched.settle()
    assert watched.status("docs").state is RootState.READY
    assert watched.watcher.roots["/docs"].folders == {"", "sub"}
    assert embedded(watched) == []


def test_a_missing_root_is_tried_again_without_a_hint(watched: EngineWorld) -> None:
    watched.files.fail("/docs", 2)
    watched.clock.advance(600 * 1.25)
    watched.settle()
    assert watched.status("docs").state is RootState.MISSING
    watched.files.fail("/docs", None)
    watched.clock.advance(RETRY_SECONDS)
    watched.settle()
    assert watched.status("docs").state is RootState.READY


def test_most_files_deleted_one_by_one_are_kept_until_that_is_sure(watched: EngineWorld) -> None:
    """W15."""
    for number in range(30):
        watched.files.write(f"/docs/many/{number}.md", f"# Many {number}\n")
    settle(watched)
    watched.settle()
    for number in range(30):
        watched.files.remove(f"/docs/many/{number}.md")
    ticket = settle(watched)
    watched.settle()
    assert ticket.wait(timeout_seconds=0.0)
    status = watched.status("docs")
    assert (status.state, status.documents) == (RootState.MISSING, 40)
    assert "30 of its 40" in (status.detail or "")
    watched.clock.advance(RETRY_SECONDS)
    watched.settle()
    status = watched.status("docs")
    assert (status.state, status.documents) == (RootState.READY, 10)


def test_files_that_come_back_end_the_alarm_at_once(watched: EngineWorld) -> None:
    watched.files.write("/docs/keep.md", "# Keep\n")
    for number in range(30):
        watched.files.write(f"/docs/many/{number}.md", f"# Many {number}\n")
    settle(watched)
    watched.settle()
    watched.files.move("/docs/many", "/away")
    settle(watched)
    watched.settle()
    assert watched.status("docs").state is RootState.MISSING
    forget_work(watched)
    watched.files.move("/away", "/docs/many")
    settle(watched)
    watched.settle()
    status = watched.status("docs")
    assert (status.state, status.documents) == (RootState.READY, 41)
    assert embedded(watched) == []


def test_an_edit_overtakes_the_backlog_of_its_own_root(tmp_path: Path) -> None:
    """D17: keyword and vector of the edit, while a first index runs."""
    world = EngineWorld(tmp_path, watched=True)
    for number in range(5 * BATCH_FILES_MAX):
        world.files.write(f"/big/{number}.md", f"# Big {number}\n\nBig text {number}.\n")
    world.engine.service.add_root("/big")
    world.engine.embedder.step(timeout_seconds=0.0)
    world.engine.writer.step(timeout_seconds=0.0)
    world.files.write("/big/edit.md", "# Edit\n\nThe latest word.\n")
    ticket = settle(world, "big")
    world.engine.writer.step(timeout_seconds=0.0)
    assert ticket.wait(timeout_seconds=0.0)
    assert "edit.md" in paths(world, "big")
    assert world.status("big").pending_files > 0
    world.engine.embedder.step(timeout_seconds=0.0)
    world.engine.embedder.step(timeout_seconds=0.0)
    assert embedded(world) == ["Edit: The latest word."]
    world.settle()
    assert world.status("big").state is RootState.READY
    world.close()


def test_an_edit_overtakes_the_backlog_of_another_root(tmp_path: Path) -> None:
    world = EngineWorld(tmp_path, watched=True)
    world.files.write("/small/a.md", "# A\n")
    world.add("/small")
    for number in range(5 * BATCH_FILES_MAX):
        world.files.write(f"/big/{number}.md", f"# Big {number}\n")
    world.engine.service.add_root("/big")
    world.engine.writer.step(timeout_seconds=0.0)
    world.files.write("/small/b.md", "# B\n")
    world.watcher.deliver()
    world.engine.writer.step(timeout_seconds=0.0)
    assert paths(world, "small") == ["a.md", "b.md"]
    assert world.status("big").pending_files > 0
    world.close()


def test_a_checkout_of_many_files_is_a_backlog_that_an_edit_overtakes(watched: EngineWorld) -> None:
    for number in range(FRESH_MAX + 100):
        watched.files.write(f"/docs/checkout/{number}.md", f"# Checkout {number}\n")
    watched.watcher.deliver()
    watched.engine.writer.step(timeout_seconds=0.0)
    assert watched.status("docs").pending_files > 0
    watched.files.write("/docs/edit.md", "# Edit\n")
    watched.watcher.deliver()
    watched.engine.writer.step(timeout_seconds=0.0)
    assert "edit.md" in paths(watched)
    assert watched.status("docs").pending_files > 0


def test_a_root_whose_watches_ran_out_is_polled(watched: EngineWorld) -> None:
    """W6."""
    watched.files.write("/docs/0.md", "# Unheard\n")
    watched.watcher._waiting.clear()
    watched.watcher.roots["/docs"].become_polling("too many folders")
    ticket = settle(watched)
    watched.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert watched.files.reads == ["/docs/0.md"]
    view = watched.engine.state.current.roots["docs"]
    assert view.watch is not None
    assert (view.watch.mode, view.watch.reason) == (WatchMode.POLLING, "too many folders")
    watched.files.write("/docs/1.md", "# Polled\n")
    forget_work(watched)
    watched.clock.advance(10.0)
    watched.settle()
    assert watched.files.reads == ["/docs/1.md"]


def test_a_removed_root_gives_back_its_watches(watched: EngineWorld) -> None:
    """W10."""
    watch = watched.watcher.roots["/docs"]
    watched.engine.service.remove_root("docs")
    watched.settle()
    assert watch.is_closed


def test_a_file_written_again_within_one_tick_of_the_clock_is_not_missed(watched: EngineWorld) -> None:
    """W19: size, mtime, ctime and inode are as before, the content is not."""
    now_ns = int(watched.clock.time() * 1e9)
    watched.files.write("/docs/1.md", "# Title 1\n\nFirst.\n", mtime_ns=now_ns)
    content, seen = watched.files.read("/docs/1.md", bytes_max=100)
    racy = type(seen)(seen.size, now_ns + 1, now_ns + 1, seen.inode, seen.device)
    watched.files._files["/docs/1.md"] = (content, racy)
    settle(watched)
    step(watched)
    watched.files._files["/docs/1.md"] = (content.replace(b"First", b"Later"), racy)
    watched.files._tell("/docs/1.md", is_folder=False)
    settle(watched)
    watched.settle()
    assert "Title 1: Later." in embedded(watched)


def test_the_journal_does_not_reach_back_before_its_root_began(watched: EngineWorld) -> None:
    following = watched.engine.following
    everything = following.changes(since_time=0.0)
    assert everything.incomplete == ("docs",)
    assert {entry.change.kind for entry in everything.changes} == {ChangeKind.ADDED}
    assert following.changes(since_tick=everything.tick).incomplete == ()
    assert following.changes(since_tick=everything.tick).changes == ()


def test_what_is_written_behind_a_link_is_seen_by_the_next_question(watched: EngineWorld) -> None:
    watched.files.write("/docs/plain.txt", "# Plain\n\nFirst.\n")
    watched.files.link("/docs/linked.md", "/docs/plain.txt")
    settle(watched)
    watched.settle()
    assert "linked.md" in paths(watched)
    watched.files.write("/docs/plain.txt", "# Plain\n\nSecond.\n")
    forget_work(watched)
    before = watched.engine.state.current
    settle(watched)
    watched.settle()
    assert embedded(watched) == ["Plain: Second."]
    assert watched.engine.state.current is not before
    before = watched.engine.state.current
    settle(watched)
    step(watched)
    assert watched.engine.state.current is before
