"""Options of a root, what its rules took away, and why a path is not indexed: an engine on fakes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.report import RootState
from mdmemd.engine.root_options import RootOptions
from mdmemd.engine.scoping import PathState
from mdmemd.errors import InvalidRequestError, NotFoundError, RefusedError
from mdmemd.model import ChunkMode, WatchChoice
from mdmemd.ports import WatchMode


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    world = EngineWorld(tmp_path, watched=True)
    for name in ("a", "drafts/b", "drafts/deep/c", "gen/d"):
        world.files.write(f"/docs/{name}.md", f"# {name}\n\nText of {name}.\n")
    yield world
    world.close()


def paths(world: EngineWorld, name: str = "docs") -> list[str]:
    view = world.engine.state.current.roots[name]
    return sorted(document.path for document in view.snapshot.iter_documents())


def deliver(world: EngineWorld) -> None:
    """Let the watcher tell what has happened, and all of it be indexed."""
    world.watcher.deliver()
    world.settle()


def change(world: EngineWorld, name: str = "docs", *, new_name: str = "", **options: object) -> None:
    """As ``root set`` does, without waiting for a writer that has no thread here."""
    world.engine.roots.change(name, new_name=new_name, options=RootOptions(**options))  # type: ignore[arg-type]
    world.settle()


def test_globs_are_in_effect_at_once_and_last(world: EngineWorld) -> None:
    world.add("/docs")
    world.encoder.calls.clear()
    change(world, exclude=("drafts",))
    assert paths(world) == ["a.md", "gen/d.md"]
    change(world, exclude=(), include=("drafts", "a.md"))
    assert paths(world) == ["a.md", "drafts/b.md", "drafts/deep/c.md"]
    world.restart()
    world.settle()
    assert paths(world) == ["a.md", "drafts/b.md", "drafts/deep/c.md"]
    assert world.encoder.calls == [], "what comes back has its vectors from the cache"


def test_a_renamed_root_keeps_its_index(world: EngineWorld) -> None:
    world.add("/docs")
    world.files.reads.clear()
    change(world, new_name="notes")
    assert set(world.engine.state.current.roots) == {"notes"}
    assert len(paths(world, "notes")) == 4
    assert world.files.reads == []
    assert world.engine.following.changes(roots=("notes",)).changes
    with pytest.raises(NotFoundError):
        world.engine.roots.change("docs", options=RootOptions(watch=WatchChoice.POLLING))


def test_another_way_to_cut_indexes_anew(world: EngineWorld) -> None:
    world.add("/docs")
    world.files.reads.clear()
    change(world, chunk_mode=ChunkMode.WINDOW)
    assert len(world.files.reads) >= 4
    assert world.status("docs").chunk_mode is ChunkMode.WINDOW
    assert world.status("docs").state is RootState.READY


def test_a_root_can_choose_how_it_is_watched(world: EngineWorld) -> None:
    world.add("/docs")
    change(world, watch=WatchChoice.POLLING)
    watch = world.engine.state.current.roots["docs"].watch
    assert watch is not None
    assert watch.mode is WatchMode.POLLING


def test_a_sleeping_root_takes_its_new_options(world: EngineWorld) -> None:
    world.add("/docs")
    world.save()
    world.clock.advance(7200.0)
    world.engine.hibernation.step(timeout_seconds=0.0)
    world.settle()
    assert world.status("docs").state is RootState.ASLEEP
    change(world, new_name="notes", exclude=("drafts",))
    assert paths(world, "notes") == ["a.md", "gen/d.md"]


@pytest.mark.parametrize("globs", [("!x",), ("../x",), ("",), ("[x",), ("x",) * 201])
def test_globs_that_cannot_be_used_are_refused(world: EngineWorld, globs: tuple[str, ...]) -> None:
    for options in (RootOptions(exclude=globs), RootOptions(include=globs)):
        with pytest.raises(InvalidRequestError):
            world.engine.service.add_root("/docs", options=options)
    assert world.engine.roots.specs() == {}


def test_a_taken_name_and_other_options_of_a_registered_folder_are_refused(world: EngineWorld) -> None:
    """C7: a flag that would mean nothing is an error."""
    world.files.write("/more/a.md", "a")
    world.add("/docs")
    world.add("/more")
    with pytest.raises(RefusedError, match="belongs to the root"):
        world.engine.roots.change("more", new_name="docs")
    with pytest.raises(RefusedError) as caught:
        world.engine.service.add_root("/docs", options=RootOptions(exclude=("x",)))
    assert "root set docs" in caught.value.remedy
    assert world.engine.service.add_root("/docs", options=RootOptions(exclude=())) is not None


def test_a_changed_ignore_file_replans_its_folder(world: EngineWorld) -> None:
    world.add("/docs")
    world.files.write("/docs/.gitignore", "/drafts/deep/\ngen/\n")
    deliver(world)
    assert paths(world) == ["a.md", "drafts/b.md"]
    world.files.write("/docs/drafts/.mdmemignore", "b.md\n")
    world.files.write("/docs/.mdmemignore", "!gen/\n")
    deliver(world)
    assert paths(world) == ["a.md", "gen/d.md"]
    world.files.remove("/docs/.gitignore")
    world.files.remove("/docs/drafts/.mdmemignore")
    deliver(world)
    assert paths(world) == ["a.md", "drafts/b.md", "drafts/deep/c.md", "gen/d.md"]


def test_a_root_of_which_nothing_is_left_says_why(world: EngineWorld) -> None:
    """W13."""
    world.files.write("/docs/.gitignore", "/*.md\ndrafts\n")
    world.files.write("/docs/gen/.mdmemignore", "*\n")
    status = world.add("/docs")
    assert status.state is RootState.EMPTY
    assert status.detail is not None
    assert "1 file ignored by .gitignore:1 (/*.md)" in status.detail
    assert "1 folder ignored by .gitignore:2 (drafts)" in status.detail
    rules = world.engine.scoping.show_root("docs").rules
    assert {each.reason.pattern: (each.folders, each.files) for each in rules.removed} == {
        "/*.md": (0, 1),
        "drafts": (1, 0),
        "*": (0, 1),
    }


def test_globs_that_match_nothing_are_a_problem_of_the_root(world: EngineWorld) -> None:
    """C7."""
    world.engine.service.add_root("/docs", options=RootOptions(include=("a.md,*.txt",)))
    world.settle()
    status = world.status("docs")
    assert status.state is RootState.EMPTY
    assert [problem.problem.kind for problem in status.problems] == ["unused_glob"]
    change(world, include=("a.md",))
    assert world.status("docs").problems == ()


def test_why_of_any_path(world: EngineWorld) -> None:
    world.files.write("/docs/.gitignore", "x\ngen/\n")
    world.files.write("/docs/t.txt", "t")
    world.files.write("/docs/node_modules/p/README.md", "r")
    world.files.write("/outside.md", "o")
    world.files.write("/docs/inner/i.md", "i")
    world.files.link("/docs/alias.md", "/docs/a.md")
    world.files.link("/docs/linked", "/docs/drafts")
    world.files.make_fifo("/docs/pipe.md")
    world.files.write("/docs/big.md", b"x" * (10 * 1024 * 1024 + 1))
    world.add("/docs")
    world.add("/docs/inner")
    expected = {
        "/docs/a.md": (PathState.INDEXED, "indexed as it is now"),
        "/docs/gen/d.md": (PathState.EXCLUDED, "ignored by .gitignore:2 (gen/)"),
        "/docs/gen/nothing.md": (PathState.EXCLUDED, "ignored by .gitignore:2 (gen/)"),
        "/docs/gen": (PathState.EXCLUDED, "ignored by .gitignore:2 (gen/)"),
        "/docs/drafts": (PathState.FOLDER, "2 documents"),
        "/docs/": (PathState.FOLDER, "3 documents"),
        "/docs/t.txt": (PathState.EXCLUDED, "not Markdown"),
        "/docs/node_modules/p/README.md": (PathState.EXCLUDED, "never indexed"),
        "/docs/nothing.md": (PathState.MISSING, "no such file"),
        "/docs/alias.md": (PathState.EXCLUDED, "a link"),
        "/docs/pipe.md": (PathState.EXCLUDED, "no regular file"),
        "/docs/big.md": (PathState.FAILED, "larger than"),
        "/docs/inner/i.md": (PathState.INDEXED, "indexed"),
        "/outside.md": (PathState.OUTSIDE, "root add"),
    }
    for path, (state, words) in expected.items():
        report = world.engine.scoping.why(path)
        assert (report.state, words in report.sentence) == (state, True), report
    assert world.engine.scoping.why("/docs/inner/i.md").root == "inner"
    indexed = world.engine.scoping.why("/docs/a.md")
    assert indexed.indexed_at == world.clock.time()
    with pytest.raises(InvalidRequestError):
        world.engine.scoping.why("a.md")


def test_why_of_a_file_that_waits_to_be_read(world: EngineWorld) -> None:
    world.add("/docs")
    world.files.write("/docs/a.md", "# Other\n")
    world.files.write("/docs/new.md", "# New\n")
    older, new = (world.engine.scoping.why(f"/docs/{name}.md") for name in ("a", "new"))
    assert (older.state, new.state) == (PathState.PENDING, PathState.PENDING)
    assert "older version" in older.sentence
    assert "not yet" in new.sentence
