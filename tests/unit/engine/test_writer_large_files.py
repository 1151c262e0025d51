"""Large files as the writer sees them: handed over, taken back, and in whatever order results come."""

from __future__ import annotations

import errno

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.events import Look, Settle
from mdmemd.engine.report import RootState
from mdmemd.engine.root_reading import INLINE_BYTES_MAX
from mdmemd.model import Problem, SearchMode
from mdmemd.search.page import Question
from mdmemd.sync.barrier import Ticket


def large(word: str, *, heading: str = "Large") -> str:
    """A file that the writer does not parse itself and that holds ``word`` once."""
    return f"# {heading}\n\n{word}\n\n" + "filler text\n" * (INLINE_BYTES_MAX // 12)


def look(world: EngineWorld, name: str = "docs") -> Ticket:
    ticket = Ticket()
    world.engine.writer.post(Look(name, ticket))
    return ticket


def reread(world: EngineWorld, path: str) -> Ticket:
    ticket = Ticket()
    world.engine.writer.post(Settle("docs", ticket, (path,)))
    return ticket


def step(world: EngineWorld) -> None:
    """Let the writer do all that it can without the reader of large files."""
    while world.engine.writer.step(timeout_seconds=0.0):
        pass


def found(world: EngineWorld, word: str) -> list[str]:
    answer = world.engine.service.search(Question(word, mode=SearchMode.KEYWORD))
    return [hit.path for hit in answer.hits]


def is_indexed(world: EngineWorld, path: str, *, name: str = "docs") -> bool:
    return world.engine.state.current.roots[name].snapshot.document(path) is not None


def test_a_large_file_waits_beside_the_writer_and_counts_as_pending(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.files.write("/docs/small.md", "# Small\n")
    world.engine.service.add_root("/docs")
    step(world)
    status = world.status("docs")
    assert (status.state, status.documents, status.pending_files) == (RootState.INDEXING, 1, 1)
    assert world.parser.parsed == []
    world.settle()
    status = world.status("docs")
    assert (status.state, status.documents, status.pending_files) == (RootState.READY, 2, 0)
    assert found(world, "needle") == ["large.md"]


def test_a_file_at_the_limit_is_parsed_by_the_writer(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "x" * INLINE_BYTES_MAX)
    world.files.write("/docs/b.md", "x" * (INLINE_BYTES_MAX + 1))
    world.add("/docs")
    assert world.parser.parsed == ["b.md"]


def test_nobody_waits_for_the_large_file_of_another_root(world: EngineWorld) -> None:
    """R8."""
    world.files.write("/docs/large.md", large("needle"))
    world.files.write("/other/a.md", "# A\n")
    world.engine.service.add_root("/docs")
    world.engine.service.add_root("/other")
    step(world)
    world.files.write("/other/a.md", "# Fresh\n")
    waiting, other = look(world), look(world, "other")
    step(world)
    assert other.wait(timeout_seconds=0.0)
    assert not waiting.wait(timeout_seconds=0.0)
    world.settle()
    assert waiting.wait(timeout_seconds=0.0)
    assert is_indexed(world, "large.md")


def test_a_look_that_finds_the_file_as_it_was_handed_over_does_not_hand_it_over_again(
    world: EngineWorld,
) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.engine.service.add_root("/docs")
    step(world)
    look(world)
    world.settle()
    assert world.parser.parsed == ["large.md"]


def test_a_newer_version_takes_the_place_of_one_that_still_waits(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("older"))
    world.engine.service.add_root("/docs")
    step(world)
    world.files.write("/docs/large.md", large("newer"))
    ticket = look(world)
    world.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert world.parser.parsed == ["large.md"]
    assert found(world, "newer") == ["large.md"]


def test_the_result_of_an_older_version_is_dropped(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("older"))
    world.engine.service.add_root("/docs")
    step(world)

    def save_again() -> None:
        world.files.write("/docs/large.md", large("newer"))
        look(world)
        step(world)

    world.parser.meanwhile = save_again
    assert world.engine.large.step(timeout_seconds=0.0)
    step(world)
    assert not is_indexed(world, "large.md")
    world.settle()
    assert found(world, "newer") == ["large.md"]
    assert not any("older" in text for call in world.encoder.calls for text in call)


def test_a_version_that_is_small_takes_the_place_of_a_large_one(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", large("older"))
    world.engine.service.add_root("/docs")
    step(world)

    def cut_down() -> None:
        world.files.write("/docs/a.md", "# Small\n\nnewer\n")
        look(world)
        step(world)

    world.parser.meanwhile = cut_down
    world.settle()
    assert found(world, "newer") == ["a.md"]
    assert found(world, "older") == []


def test_a_file_that_grows_after_the_walk_is_handed_over_all_the_same(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# Small\n")
    world.engine.service.add_root("/docs")
    world.files.before_next_read(lambda: world.files.write("/docs/a.md", large("needle")))
    world.settle()
    assert world.parser.parsed == ["a.md"]
    assert world.status("docs").pending_files == 0


def test_a_file_that_goes_while_it_is_parsed_stays_away(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.files.write("/docs/small.md", "# Small\n")
    world.engine.service.add_root("/docs")
    step(world)

    def delete() -> None:
        world.files.remove("/docs/large.md")
        look(world)
        step(world)

    world.parser.meanwhile = delete
    world.settle()
    assert not is_indexed(world, "large.md")
    assert world.status("docs").state is RootState.READY


def test_a_file_that_goes_before_it_is_read_is_for_the_walk_to_judge(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.files.write("/docs/small.md", "# Small\n")
    world.engine.service.add_root("/docs")
    step(world)
    world.files.remove("/docs/large.md")
    ticket = look(world)
    world.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert world.status("docs").documents == 1


def test_a_disk_that_goes_while_a_file_is_parsed_purges_nothing(world: EngineWorld) -> None:
    """W15."""
    world.files.write("/docs/large.md", large("older"))
    world.add("/docs")
    world.files.write("/docs/large.md", large("newer"))
    look(world)
    step(world)
    world.files.fail("/docs", errno.ENOENT)
    look(world)
    world.settle()
    status = world.status("docs")
    assert (status.state, status.documents, status.pending_files) == (RootState.MISSING, 1, 0)
    world.files.fail("/docs", None)
    look(world)
    world.settle()
    assert found(world, "newer") == ["large.md"]


def test_results_for_a_removed_root_are_dropped(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.files.write("/docs/other.md", large("other"))
    world.engine.service.add_root("/docs")
    step(world)
    ticket = look(world)

    def remove() -> None:
        world.engine.service.remove_root("docs")
        step(world)

    world.parser.meanwhile = remove
    world.settle()
    assert len(world.parser.parsed) == 1
    assert not ticket.wait(timeout_seconds=0.0)
    assert dict(world.engine.state.current.roots) == {}


def test_a_root_that_is_added_again_is_not_given_the_results_of_the_old_one(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.engine.service.add_root("/docs")
    step(world)

    def add_again() -> None:
        world.engine.service.remove_root("docs")
        world.engine.service.add_root("/docs")
        step(world)

    world.parser.meanwhile = add_again
    assert world.engine.large.step(timeout_seconds=0.0)
    step(world)
    assert world.status("docs").pending_files == 1
    world.settle()
    assert found(world, "needle") == ["large.md"]


def test_a_file_that_was_given_up_is_searchable_and_named(world: EngineWorld) -> None:
    """F2, P20."""
    world.files.write("/docs/large.md", large("needle"))
    world.parser.gives_up["large.md"] = Problem("too_slow", "not understood within 10 s")
    status = world.add("/docs")
    assert [(entry.path, entry.problem.kind) for entry in status.problems] == [("large.md", "too_slow")]
    assert found(world, "needle") == ["large.md"]
    world.files.write("/docs/large.md", "# Small\n")
    look(world)
    world.settle()
    assert world.status("docs").problem_count == 0


def test_where_nothing_can_be_parsed_the_next_look_tries_again(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.parser.fails_with = errno.EAGAIN
    status = world.add("/docs")
    assert [(entry.path, entry.problem.kind) for entry in status.problems] == [("large.md", "unparsed")]
    world.parser.fails_with = None
    look(world)
    world.settle()
    assert found(world, "needle") == ["large.md"]
    assert world.status("docs").problem_count == 0


def test_a_touched_large_file_is_not_parsed_again(world: EngineWorld) -> None:
    """W19."""
    world.files.write("/docs/large.md", large("needle"))
    world.add("/docs")
    world.files.write("/docs/large.md", large("needle"), mtime_ns=99)
    look(world)
    world.settle()
    record = world.engine.state.current.roots["docs"].snapshot.document("large.md")
    assert record is not None
    assert record.fingerprint.mtime_ns == 99
    assert world.parser.parsed == ["large.md"]


def test_whoever_waits_for_no_file_is_let_go_before_the_next_batch(world: EngineWorld) -> None:
    world.files.write("/quiet/a.md", "# A\n")
    world.add("/quiet", name="quiet")
    for number in range(10):
        world.files.write(f"/docs/{number}.md", f"# {number}\n")
    world.engine.service.add_root("/docs")
    ticket = look(world, "quiet")
    seen: list[bool] = []
    world.files.before_next_read(lambda: seen.append(ticket.wait(timeout_seconds=0.0)))
    world.settle()
    assert seen == [True]


def test_a_batch_is_short_when_somebody_asks_meanwhile(world: EngineWorld) -> None:
    for number in range(10):
        world.files.write(f"/docs/{number}.md", f"# {number}\n")
    world.engine.service.add_root("/docs")

    def ask() -> None:
        world.clock.advance(0.02)
        look(world)

    world.files.before_next_read(ask)
    world.engine.writer.step(timeout_seconds=0.0)
    assert world.status("docs").pending_files == 9


def test_a_reread_of_what_is_being_parsed_waits_for_that(world: EngineWorld) -> None:
    world.files.write("/docs/large.md", large("needle"))
    world.engine.service.add_root("/docs")
    step(world)
    ticket = reread(world, "large.md")
    step(world)
    assert not ticket.wait(timeout_seconds=0.0)
    world.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert world.parser.parsed == ["large.md"]


def test_a_reread_takes_the_place_of_an_older_version_that_is_being_parsed(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", large("older"))
    world.engine.service.add_root("/docs")
    step(world)

    def cut_down() -> None:
        world.files.write("/docs/a.md", "# Small\n\nnewer\n")
        reread(world, "a.md")
        step(world)

    world.parser.meanwhile = cut_down
    assert world.engine.large.step(timeout_seconds=0.0)
    world.settle()
    assert found(world, "newer") == ["a.md"]
    assert found(world, "older") == []
