"""Which roots serve a project: named by the configuration, around its folder, or registered."""

from __future__ import annotations

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.projects import ProjectRoots, Projects


@pytest.fixture
def roots(world: EngineWorld) -> EngineWorld:
    for folder in ("/data/shop", "/data/handbook"):
        world.files.write(f"{folder}/a.md", "# A\n")
        world.engine.service.add_root(folder)
    return world


def projects(world: EngineWorld, configured: dict[str, tuple[str, ...]]) -> Projects:
    return Projects(world.engine.roots, world.files, configured=configured, home="/home/me")


def test_the_configuration_names_roots_for_a_folder_and_all_below(roots: EngineWorld) -> None:
    found = projects(roots, {"/data/shop/": ("shop", "handbook"), "/data/shop/deep": ("handbook",)})
    assert found.roots_of("/data/shop") == ProjectRoots(("shop", "handbook"))
    assert found.roots_of("/data/shop/src/../src") == ProjectRoots(("shop", "handbook"))
    assert found.roots_of("/data/shop/deep/er") == ProjectRoots(("handbook",))
    assert found.roots_of("/data/handbook") == ProjectRoots(("handbook",))


def test_the_home_folder_and_all_roots_may_be_named(roots: EngineWorld) -> None:
    found = projects(roots, {"~/code": ("*",)})
    assert found.roots_of("/home/me/code/x") == ProjectRoots(("*",))
    assert sorted(roots.engine.roots.specs()) == ["handbook", "shop"], "nothing was registered"


def test_names_that_do_not_exist_are_said_and_the_others_used(roots: EngineWorld) -> None:
    found = projects(roots, {"/data/shop": ("hop", "handbook")}).roots_of("/data/shop")
    assert found.names == ("handbook",)
    assert found.reason is not None
    assert "do not exist: hop." in found.reason


def test_where_no_name_exists_the_folder_decides(roots: EngineWorld) -> None:
    found = projects(roots, {"/data/shop": ("hop",), "/home/me": ("hop",)})
    assert found.roots_of("/data/shop").names == ("shop",)
    refused = found.roots_of("/home/me")
    assert refused.names == ()
    assert refused.reason is not None
    assert "hop" in refused.reason
    assert "home folder" in refused.reason


def make_repository(world: EngineWorld) -> None:
    """``/data/main`` with a linked work tree inside and one beside it; each has its documents in ``docs``."""
    world.files.write("/data/main/.git/HEAD", "ref: refs/heads/main\n")
    for name, top in (("in", "/data/main/trees/in"), ("out", "/data/out")):
        world.files.write(f"/data/main/.git/worktrees/{name}/HEAD", f"ref: refs/heads/{name}\n")
        world.files.write(f"/data/main/.git/worktrees/{name}/commondir", "../..\n")
        world.files.write(f"{top}/.git", f"gitdir: /data/main/.git/worktrees/{name}\n")
    for top in ("/data/main", "/data/main/trees/in", "/data/out"):
        world.files.write(f"{top}/docs/a.md", "# A\n")
        world.files.write(f"{top}/src/deep/b.md", "# B\n")


def paths(world: EngineWorld) -> list[str]:
    return sorted(spec.path for spec in world.engine.roots.specs().values())


@pytest.mark.parametrize("tree", ["/data/main/trees/in", "/data/out"])
def test_a_linked_work_tree_is_a_project_of_its_own(world: EngineWorld, tree: str) -> None:
    """Told apart by ``cwd``, also where it lies in the root of the main work tree."""
    make_repository(world)
    service = world.engine.service
    (main,) = service.project_roots("/data/main", beside="/data/main").names
    (other,) = service.project_roots(f"{tree}/src/deep", beside="/data/main").names
    assert other != main
    assert paths(world) == sorted(["/data/main", tree])
    assert service.project_roots(f"{tree}/docs", beside="/data/main").names == (other,)
    assert service.project_roots("/data/main/src", beside=tree).names == (main,)


@pytest.mark.parametrize("tree", ["/data/main/trees/in", "/data/out"])
def test_the_part_that_is_a_root_in_one_work_tree_is_one_in_the_other(world: EngineWorld, tree: str) -> None:
    make_repository(world)
    world.engine.service.add_root("/data/main/docs")
    world.engine.service.project_roots(f"{tree}/src/deep", beside="/data/main/docs")
    assert paths(world) == sorted(["/data/main/docs", f"{tree}/docs"])


def test_a_session_in_a_work_tree_has_its_own_folder(world: EngineWorld) -> None:
    make_repository(world)
    world.engine.service.add_root("/data/main")
    world.engine.service.project_roots("/data/main/trees/in/src", beside="/data/main/trees/in/src")
    assert paths(world) == ["/data/main", "/data/main/trees/in/src"]


def test_a_cwd_in_another_repository_means_all_of_it(world: EngineWorld) -> None:
    make_repository(world)
    world.files.write("/data/other/.git/HEAD", "ref: refs/heads/main\n")
    world.files.write("/data/other/x/y/c.md", "# C\n")
    world.engine.service.project_roots("/data/other/x/y", beside="/data/main")
    assert paths(world) == ["/data/other"]


def test_a_repository_around_the_home_folder_is_not_taken_for_the_project(world: EngineWorld) -> None:
    world.files.write("/home/me/.git/HEAD", "ref: refs/heads/main\n")
    world.files.write("/home/me/code/c.md", "# C\n")
    world.engine.service.project_roots("/home/me/code", beside="/data/main")
    assert paths(world) == ["/home/me/code"]


def test_what_serves_a_project_already_is_told_without_registering(roots: EngineWorld) -> None:
    service = roots.engine.service
    assert service.known_project_roots("/data/shop/src") == ()
    roots.files.write("/data/shop/src/b.md", "# B\n")
    roots.files.write("/data/new/b.md", "# B\n")
    assert service.known_project_roots("/data/shop/src") == ("shop",)
    assert service.known_project_roots("/data/new") == ()
    assert service.known_project_roots("/home/me") == ()
    assert projects(roots, {"/data/new": ("shop", "gone", "*")}).known_roots_of("/data/new") == ("shop", "*")
    assert sorted(roots.engine.roots.specs()) == ["handbook", "shop"]
