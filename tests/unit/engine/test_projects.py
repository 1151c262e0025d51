"""Which roots serve a project: named by the configuration, around its folder, or registered."""

from __future__ import annotations

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.projects import ProjectRoots, Projects, expanded


@pytest.fixture
def roots(world: EngineWorld) -> EngineWorld:
    for folder in ("/data/shop", "/data/handbook"):
        world.files.write(f"{folder}/a.md", "# A\n")
        world.engine.service.add_root(folder)
    return world


def projects(world: EngineWorld, configured: dict[str, tuple[str, ...]]) -> Projects:
    return Projects(world.engine.roots, configured=expanded(configured, home="/home/me"))


def test_the_configuration_names_roots_for_a_folder_and_all_below(roots: EngineWorld) -> None:
    found = projects(roots, {"/data/shop/": ("shop", "handbook"), "/data/shop/deep": ("handbook",)})
    assert found.roots_of("/data/shop") == ProjectRoots(("shop", "handbook"))
    assert found.roots_of("/data/shop/src/../src") == ProjectRoots(("shop", "handbook"))
    assert found.roots_of("/data/shop/deep/er") == ProjectRoots(("handbook",))
    assert found.roots_of("/data/handbook") == ProjectRoots(("handbook",))


def test_the_home_folder_and_all_roots_may_be_named(roots: EngineWorld) -> None:
    found = projects(roots, {"~/work": ("*",)})
    assert found.roots_of("/home/me/work/x") == ProjectRoots(("*",))
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
