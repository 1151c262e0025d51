"""What may be a root, how it is called, and that a change is on disk before it is acknowledged."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.fake_files import PowerLostError
from mdmemd.engine.projects import ProjectRoots
from mdmemd.engine.root_options import RootOptions
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.model import ChunkMode


def names(world: EngineWorld) -> list[str]:
    return sorted(world.engine.roots.specs())


@pytest.fixture
def docs(world: EngineWorld) -> str:
    world.files.write("/data/docs/a.md", "# A\n")
    return "/data/docs"


@pytest.mark.parametrize(
    ("path", "kind", "sentence"),
    [
        ("/", RefusedError, "the whole disk"),
        ("/home/me", RefusedError, "your home folder"),
        ("/home", RefusedError, "a folder around your home folder"),
        ("/nothing", NotFoundError, "There is no folder"),
        ("/data/docs/a.md", RefusedError, "is a file"),
        ("data/docs", InvalidRequestError, "no absolute path"),
        ("/data/do\0cs", InvalidRequestError, "no absolute path"),
    ],
)
def test_refusals(world: EngineWorld, docs: str, path: str, kind: type[DaemonError], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as caught:
        world.engine.service.add_root(path)
    assert caught.value.remedy
    assert names(world) == []


def test_a_folder_that_cannot_be_listed_is_refused(world: EngineWorld, docs: str) -> None:
    world.files.fail(docs, errno.EACCES)
    with pytest.raises(RefusedError, match="Permission denied"):
        world.engine.service.add_root(docs)


def test_the_name_is_the_folders_and_made_unique(world: EngineWorld, docs: str) -> None:
    """X10, S10."""
    world.files.write("/other/docs/a.md", "# A\n")
    world.files.write("/data/-;$(rm) x/a.md", "# A\n")
    world.add(docs)
    world.add("/other/docs")
    world.add("/data/-;$(rm) x")
    assert names(world) == ["docs", "docs-2", "rm-x"]


@pytest.mark.parametrize("name", ["../x", "", "-x", "a b", "a/b", "*", "x" * 65, "a\n"])
def test_bad_names_are_refused(world: EngineWorld, docs: str, name: str) -> None:
    if name == "":
        return
    with pytest.raises(InvalidRequestError, match="cannot be the name"):
        world.engine.service.add_root(docs, name=name)


def test_one_folder_is_one_root_however_it_is_spelled(world: EngineWorld, docs: str) -> None:
    world.files.link("/link", docs)
    first, created = world.engine.service.add_root(docs, name="mine")
    again, created_again = world.engine.service.add_root("/link/", name="mine")
    assert (created, created_again) == (True, False)
    assert first.name == again.name == "mine"
    with pytest.raises(RefusedError, match="registered already, as root mine"):
        world.engine.service.add_root(docs, name="other")


def test_a_name_that_is_taken_is_refused(world: EngineWorld, docs: str) -> None:
    world.files.make_folder("/data/more")
    world.engine.service.add_root(docs, name="mine")
    with pytest.raises(RefusedError, match="belongs to the root /data/docs"):
        world.engine.service.add_root("/data/more", name="mine")


def test_roots_survive_a_restart_with_their_settings(world: EngineWorld, docs: str) -> None:
    world.engine.service.add_root(docs, name="mine", options=RootOptions(chunk_mode=ChunkMode.WINDOW))
    world.restart()
    assert world.engine.roots.specs()["mine"].chunk_mode is ChunkMode.WINDOW
    world.engine.service.remove_root("mine")
    world.restart()
    assert names(world) == []


def test_a_change_that_cannot_be_saved_is_not_made(world: EngineWorld, docs: str) -> None:
    """T10."""
    world.blobs.fail_with = errno.ENOSPC
    with pytest.raises(OperatorError, match="No space left"):
        world.engine.service.add_root(docs)
    assert names(world) == []


def test_an_acknowledged_root_survives_a_power_cut(world: EngineWorld, docs: str) -> None:
    for operations in range(4):
        world.blobs.operations_left = operations
        try:
            world.engine.service.add_root(docs, name=f"root{operations}")
            acknowledged = True
        except PowerLostError:
            acknowledged = False
        world.blobs.lose_power()
        world.restart()
        assert (f"root{operations}" in names(world)) is acknowledged


def test_an_unreadable_list_is_told(world: EngineWorld) -> None:
    world.blobs.replace("roots.json", b"nonsense")
    world.restart()
    assert any("could not be read" in message for message in world.engine.service.messages())


def test_removing_an_unknown_root_names_the_known_ones(world: EngineWorld, docs: str) -> None:
    world.add(docs)
    with pytest.raises(NotFoundError) as caught:
        world.engine.service.remove_root("dosc")
    assert caught.value.candidates == ("docs",)


def test_a_project_is_registered_on_first_use_and_found_from_inside(world: EngineWorld, docs: str) -> None:
    world.files.write("/data/docs/deep/er/b.md", "# B\n")
    assert world.engine.service.project_roots("/data/docs") == ProjectRoots(("docs",))
    assert world.engine.service.project_roots("/data/docs/deep/er") == ProjectRoots(("docs",))
    world.engine.service.add_root("/data/docs/deep")
    assert world.engine.service.project_roots("/data/docs/deep/er") == ProjectRoots(("deep",))


def test_one_folder_by_two_spellings_is_one_root(
    world: EngineWorld, docs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that takes names in any case: device and inode tell."""
    world.add(docs)
    world.files.write("/data/DOCS/a.md", "# A\n")
    world.files.write("/data/DOCS/sub/a.md", "# A\n")
    identity = world.files.folder_identity
    monkeypatch.setattr(world.files, "folder_identity", lambda path: identity(path.replace("DOCS", "docs")))
    again, created = world.engine.service.add_root("/data/DOCS")
    assert (again.name, created) == ("docs", False)
    world.files.make_folder("/data/docs/sub")
    assert world.engine.service.project_roots("/data/DOCS/sub") == ProjectRoots(("docs",))


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/home/me", "home folder"), ("/", "whole disk"), ("/none", "no folder"), ("/bare", "no Markdown")],
)
def test_what_is_no_project_says_why(world: EngineWorld, path: str, reason: str) -> None:
    world.files.write("/bare/node_modules/a.md", "# A\n")
    found = world.engine.service.project_roots(path)
    assert found.names == ()
    assert found.reason is not None
    assert reason in found.reason
    assert names(world) == []
