"""``index``: a look, one file, or the whole index anew beside the one that answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.index_states import first_difference
from mdmemd.engine.events import Look, RebuildRoot, RemoveRoot, Sleep
from mdmemd.engine.report import RootState
from mdmemd.errors import InvalidRequestError, ModelUnavailableError, NotFoundError
from mdmemd.search.page import Question
from mdmemd.sync.barrier import Ticket


@pytest.fixture
def docs(world: EngineWorld) -> EngineWorld:
    for number in range(6):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nalpha text{number}\n")
    world.add("/docs")
    world.files.reads.clear()
    world.encoder.calls.clear()
    return world


@pytest.fixture
def at_once(docs: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> EngineWorld:
    """Waiting steps the workers, so that calls which wait for them can be made on this thread."""

    def wait_for(is_enough: Callable[..., bool], *, timeout_seconds: float) -> None:
        docs.settle()

    monkeypatch.setattr(docs.engine.state, "wait_for", wait_for)
    original = Ticket.wait

    def wait(ticket: Ticket, *, timeout_seconds: float) -> bool:
        docs.settle()
        return original(ticket, timeout_seconds=0.0)

    monkeypatch.setattr(Ticket, "wait", wait)
    return docs


def rebuild(world: EngineWorld, name: str = "docs") -> None:
    world.engine.writer.post(RebuildRoot(name, Ticket()))


def hits(world: EngineWorld) -> list[str]:
    return sorted(hit.path for hit in world.engine.service.search(Question("alpha", limit=50)).hits)


# --- which --------------------------------------------------------------------------------------------------


def test_a_look_finds_what_changed(at_once: EngineWorld) -> None:
    at_once.files.write("/docs/new.md", "# New\n\nalpha\n")
    target = at_once.maintenance.indexing.index("docs", path="", force=False)
    assert (target.roots, target.file) == (("docs",), "")
    assert at_once.status("docs").documents == 7
    assert at_once.files.reads == ["/docs/new.md"]


def test_a_file_is_read_and_parsed_whatever_is_known_of_it(at_once: EngineWorld) -> None:
    before = at_once.engine.state.current.roots["docs"].snapshot.revision
    target = at_once.maintenance.indexing.index("x", path="/docs/3.md", force=False)
    assert (target.roots, target.file) == (("docs",), "3.md")
    assert at_once.files.reads == ["/docs/3.md"]
    assert at_once.engine.state.current.roots["docs"].snapshot.revision != before
    assert at_once.encoder.calls == []


@pytest.mark.parametrize(("name", "path"), [("docs", "/nowhere"), ("x", "/docs"), ("", ""), ("", "/docs/")])
def test_roots_are_named_or_found_by_their_folder(at_once: EngineWorld, name: str, path: str) -> None:
    target = at_once.maintenance.indexing.index(name, path=path, force=False)
    assert (target.roots, target.file) == (("docs",), "")


def test_a_file_belongs_to_the_innermost_root(at_once: EngineWorld) -> None:
    at_once.files.write("/docs/inner/a.md", "# A\n")
    at_once.add("/docs/inner")
    target = at_once.maintenance.indexing.index("", path="/docs/inner/a.md", force=False)
    assert (target.roots, target.file) == (("inner",), "a.md")


@pytest.mark.parametrize("path", ["/nowhere/a.md", "/docs/gone.md", "/docs/a.txt", "/docsx/1.md"])
def test_what_is_not_indexed_says_so(at_once: EngineWorld, path: str) -> None:
    with pytest.raises(NotFoundError):
        at_once.maintenance.indexing.index("", path=path, force=False)


def test_relative_paths_are_refused(at_once: EngineWorld) -> None:
    with pytest.raises(InvalidRequestError):
        at_once.maintenance.indexing.index("x", path="docs/1.md", force=False)


def test_force_begins_with_every_root(at_once: EngineWorld) -> None:
    before = at_once.engine.state.current.roots["docs"].snapshot.revision[0]
    at_once.maintenance.indexing.index("docs", path="", force=True)
    assert at_once.engine.state.current.roots["docs"].snapshot.revision[0] != before


# --- anew ---------------------------------------------------------------------------------------------------


def test_the_old_index_answers_until_the_new_one_is_complete(docs: EngineWorld, tmp_path: Path) -> None:
    before = docs.sight()
    identity = docs.engine.state.current.roots["docs"].snapshot.revision[0]
    seen: list[tuple[int, bool]] = []

    def note() -> None:
        view = docs.engine.state.current.roots["docs"]
        seen.append((view.snapshot.documents, view.snapshot.revision[0] == identity))
        if view.snapshot.revision[0] == identity and view.rebuilt is not None:
            assert docs.status("docs").state in (RootState.INDEXING, RootState.EMBEDDING)

    docs.engine.state.subscribe(note)
    rebuild(docs)
    docs.settle()
    assert {documents for documents, _ in seen} == {6}
    assert (seen[0][1], seen[-1][1]) == (True, False)
    assert sorted(docs.files.reads) == [f"/docs/{number}.md" for number in range(6)]
    assert docs.encoder.calls == []  # the vectors are known
    assert docs.engine.state.current.roots["docs"].rebuilt is None
    assert docs.status("docs").state is RootState.READY
    assert first_difference(docs.sight(), before) is None
    assert first_difference(docs.sight(), docs.fresh_sight(tmp_path / "fresh", "/docs")) is None


def test_edits_meanwhile_are_in_both_indexes(docs: EngineWorld, tmp_path: Path) -> None:
    rebuild(docs)
    docs.engine.writer.step(timeout_seconds=0.0)
    docs.files.write("/docs/new.md", "# New\n\nalpha new\n")
    docs.files.remove("/docs/0.md")
    ticket = Ticket()
    docs.engine.writer.post(Look("docs", ticket))
    while not ticket.wait(timeout_seconds=0.0):
        docs.engine.writer.step(timeout_seconds=0.0)
    assert "new.md" in hits(docs)
    paths: list[list[str]] = []
    docs.engine.state.subscribe(
        lambda: paths.append(
            [each.path for each in docs.engine.state.current.roots["docs"].snapshot.iter_documents()]
        )
    )
    docs.settle()
    assert all("new.md" in each and "0.md" not in each for each in paths)
    assert docs.engine.state.current.roots["docs"].rebuilt is None
    assert first_difference(docs.sight(), docs.fresh_sight(tmp_path / "fresh", "/docs")) is None


def test_who_is_told_that_it_has_begun_sees_it(docs: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or waiting for the root would end at once."""
    seen: list[bool] = []
    ticket = Ticket()
    monkeypatch.setattr(
        ticket, "release", lambda: seen.append(docs.engine.state.current.roots["docs"].rebuilt is not None)
    )
    docs.engine.writer.post(RebuildRoot("docs", ticket))
    docs.engine.writer.step(timeout_seconds=0.0)
    assert seen == [True]


def test_who_waits_at_the_switch_is_let_go(docs: EngineWorld) -> None:
    rebuild(docs)
    docs.engine.writer.step(timeout_seconds=0.0)
    tickets = []
    while docs.engine.state.current.roots["docs"].rebuilt is not None or not tickets:
        tickets.append(Ticket())
        docs.engine.writer.post(Look("docs", tickets[-1]))
        docs.engine.writer.step(timeout_seconds=0.0)
        docs.engine.embedder.step(timeout_seconds=0.0)
    docs.settle()
    assert all(ticket.wait(timeout_seconds=0.0) for ticket in tickets)


def test_what_a_rebuild_repairs(docs: EngineWorld) -> None:
    """A text that the model once refused gets its vector."""
    docs.encoder.fails_on.add("Title 9: text9")
    docs.files.write("/docs/9.md", "# Title 9\n\ntext9\n")
    docs.engine.writer.post(Look("docs", Ticket()))
    docs.settle()
    assert docs.status("docs").embedded < docs.status("docs").passages
    docs.encoder.fails_on.clear()
    docs.restart()
    docs.settle()
    rebuild(docs)
    docs.settle()
    assert docs.status("docs").embedded == docs.status("docs").passages


def test_a_rebuild_of_a_folder_out_of_reach_leaves_the_old_index(docs: EngineWorld) -> None:
    """W15."""
    docs.files.fail("/docs", 5)
    rebuild(docs)
    docs.settle()
    view = docs.engine.state.current.roots["docs"]
    assert view.rebuilt is None
    assert view.snapshot.documents == 6


def test_a_rebuild_without_a_model_ends_with_words(world: EngineWorld) -> None:
    world.model_failure = ModelUnavailableError("No model.")
    world.restart()
    world.files.write("/docs/1.md", "# Title\n\nalpha\n")
    world.add("/docs")
    identity = world.engine.state.current.roots["docs"].snapshot.revision[0]
    rebuild(world)
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert view.rebuilt is None
    assert view.snapshot.revision[0] != identity
    assert view.snapshot.documents == 1


def test_a_removed_root_takes_its_rebuild_with_it(docs: EngineWorld) -> None:
    rebuild(docs)
    docs.engine.writer.step(timeout_seconds=0.0)
    docs.engine.service.remove_root("docs")
    docs.settle()
    assert docs.engine.state.current.roots == {}
    assert list(docs.engine.writer._roots) == []
    assert docs.engine.writer._roots._embedding == {}


def test_a_root_rebuilt_twice_can_be_removed_and_forgets_its_aliases(docs: EngineWorld) -> None:
    for _ in range(5):
        rebuild(docs)
        docs.settle()
        rebuild(docs)
        docs.engine.writer.step(timeout_seconds=0.0)
    docs.settle()
    assert len(docs.engine.writer._roots._rebuilds._aliases) <= 1
    root_id = next(iter(docs.engine.writer._roots)).root_id
    docs.engine.writer.post(RemoveRoot(root_id))
    docs.settle()
    assert docs.engine.state.current.roots == {}


def test_a_root_that_is_being_rebuilt_does_not_sleep(docs: EngineWorld) -> None:
    docs.save()
    revision = docs.engine.state.current.roots["docs"].snapshot.revision
    rebuild(docs)
    docs.engine.writer.step(timeout_seconds=0.0)
    docs.engine.writer.post(Sleep("docs", revision))
    docs.settle()
    assert docs.status("docs").state is RootState.READY


def test_the_new_index_is_saved_as_any_other(docs: EngineWorld, tmp_path: Path) -> None:
    docs.save()
    rebuild(docs)
    docs.settle()
    docs.save()
    docs.files.reads.clear()
    docs.restart()
    docs.settle()
    assert docs.files.reads == []
    assert first_difference(docs.sight(), docs.fresh_sight(tmp_path / "fresh", "/docs")) is None
