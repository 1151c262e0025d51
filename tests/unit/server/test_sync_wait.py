"""Waiting until everything that was saved is searchable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from mdmem_proto import messages as wire
from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.following import Sync
from mdmemd.errors import ModelUnavailableError, NotFoundError
from mdmemd.server.sync_wait import begin_sync, wait_for_sync


@pytest.fixture(params=[True, False], ids=["watched", "polled"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path, watched=request.param)
    made.files.write("/docs/a.md", "# A\n\nAlpha.\n")
    made.add("/docs")
    yield made
    made.close()


def sync(
    world: EngineWorld, *steps: Callable[[], object], until: wire.WaitUntil = "keyword", root: str = "docs"
) -> tuple[wire.SyncResult, list[wire.ProgressEvent]]:
    """Begin to wait, then take the steps one by one; returns the end and what was reported."""
    events: list[wire.ProgressEvent] = []

    async def report(event: wire.ProgressEvent) -> None:
        events.append(event)

    async def run_at_once(function: Callable[[], Sync]) -> Sync:
        return function()

    def in_pool(function: Callable[[], Sync]) -> Awaitable[Sync]:
        return run_at_once(function)

    async def run() -> wire.SyncResult:
        params = wire.SyncParams(roots=(root,), until=until)
        waiting = asyncio.ensure_future(
            wait_for_sync(
                world.engine.service,
                begin_sync(world.engine.following, in_pool, params),
                params,
                state_changes=world.engine.state.subscribe,
                report=report,
            )
        )
        for step in steps:
            for _ in range(3):
                await asyncio.sleep(0)
            assert not waiting.done()
            step()
        return await asyncio.wait_for(waiting, 20)

    return asyncio.run(run()), events


def step(world: EngineWorld) -> None:
    while world.engine.writer.step(timeout_seconds=0.0):
        pass


def test_it_ends_when_the_last_save_is_indexed(world: EngineWorld) -> None:
    world.files.write("/docs/b.md", "# B\n\nBeta.\n")
    result, events = sync(world, lambda: step(world))
    assert [(root.documents, root.embedded) for root in result.roots] == [(2, 1)]
    assert events


def test_with_vectors_it_ends_with_the_last_of_them(world: EngineWorld) -> None:
    world.files.write("/docs/b.md", "# B\n\nBeta.\n")
    result, _ = sync(world, lambda: step(world), world.settle, until="embedded")
    assert [(root.documents, root.embedded) for root in result.roots] == [(2, 2)]


def test_a_folder_that_is_gone_is_a_sentence(world: EngineWorld) -> None:
    world.files.remove("/docs")
    with pytest.raises(NotFoundError, match="out of reach"):
        sync(world, lambda: step(world))


def test_a_root_that_is_removed_is_waited_for_no_longer(world: EngineWorld) -> None:
    def remove() -> None:
        world.engine.service.remove_root("docs")
        step(world)

    assert sync(world, remove)[0].roots == ()


def test_an_unknown_root_is_a_sentence(world: EngineWorld) -> None:
    with pytest.raises(NotFoundError, match="no root named"):
        sync(world, root="other")


def test_vectors_that_will_never_come_are_not_waited_for(tmp_path: Path) -> None:
    world = EngineWorld(tmp_path, watched=True)
    world.model_failure = ModelUnavailableError("The model is broken.", remedy="Install it again.")
    world.files.write("/docs/a.md", "# A\n\nAlpha.\n")
    world.add("/docs")
    with pytest.raises(ModelUnavailableError, match="keywords only"):
        sync(world, lambda: step(world), until="embedded")
    world.close()


def test_where_the_watcher_does_not_answer_the_folder_is_walked(tmp_path: Path) -> None:
    world = EngineWorld(tmp_path, watched=True)
    world.files.write("/docs/a.md", "# A\n\nAlpha.\n")
    world.add("/docs")
    world.watcher.catches_up = False
    world.files.write("/docs/b.md", "# B\n\nBeta.\n")
    assert sync(world, lambda: step(world))[0].roots[0].documents == 2
    world.close()
