"""Waiting for a root: by publications, to the right moment, or to a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmem_proto import messages as wire
from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.writer import BATCH_FILES_MAX
from mdmemd.errors import DaemonError, ModelUnavailableError, NotFoundError
from mdmemd.server.root_wait import wait_for_root


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path)
    for number in range(BATCH_FILES_MAX + 1):
        made.files.write(f"/docs/{number}.md", f"# {number}\n\nText of {number}.\n")
    yield made
    made.engine.writer.close()
    made.engine.embedder.close()


def wait(
    world: EngineWorld, until: wire.WaitUntil, *steps: Callable[[], object], name: str = "docs"
) -> tuple[wire.RootInfo, list[wire.ProgressEvent]]:
    """Begin to wait, then take the steps one by one; returns what was waited for and what was reported."""
    events: list[wire.ProgressEvent] = []

    async def run() -> wire.RootInfo:
        async def report(event: wire.ProgressEvent) -> None:
            events.append(event)

        waiting = asyncio.ensure_future(
            wait_for_root(
                world.engine.service,
                wire.RootWaitParams(name, until),
                state_changes=world.engine.state.subscribe,
                report=report,
            )
        )
        for step in steps:
            await asyncio.sleep(0)
            assert not waiting.done()
            step()
        return await asyncio.wait_for(waiting, 20)

    return asyncio.run(run()), events


def test_until_keyword_ends_before_the_vectors_are_there(world: EngineWorld) -> None:
    world.engine.service.add_root("/docs")
    step = world.engine.writer.step
    info, events = wait(
        world, "keyword", lambda: step(timeout_seconds=0.0), lambda: step(timeout_seconds=0.0)
    )
    assert (info.state, info.embedded, info.pending_files) == ("embedding", 0, 0)
    assert events[0].phase == "index"


def test_until_embedded_ends_with_the_last_vector(world: EngineWorld) -> None:
    world.engine.service.add_root("/docs")
    info, _ = wait(world, "embedded", world.settle)
    assert info.state == "ready"
    assert info.embedded == info.passages == BATCH_FILES_MAX + 1


def test_what_is_ready_is_not_waited_for(world: EngineWorld) -> None:
    world.add("/docs")
    info, events = wait(world, "embedded")
    assert info.state == "ready"
    assert events == []


@pytest.mark.parametrize(
    ("spoil", "kind", "sentence"),
    [
        (lambda world: world.engine.service.remove_root("docs"), NotFoundError, "no root named docs"),
        (lambda world: world.files.remove("/docs"), NotFoundError, "out of reach"),
    ],
)
def test_a_root_that_goes_away_is_a_sentence(
    world: EngineWorld, spoil: Callable[[EngineWorld], None], kind: type[DaemonError], sentence: str
) -> None:
    world.engine.service.add_root("/docs")
    spoil(world)
    world.settle()
    with pytest.raises(kind, match=sentence):
        wait(world, "embedded")


def test_a_model_that_fails_ends_the_wait_for_vectors_and_not_the_one_for_keywords(
    world: EngineWorld,
) -> None:
    world.model_failure = ModelUnavailableError("The model is broken.", remedy="Install it again.")
    world.engine.service.add_root("/docs")
    with pytest.raises(ModelUnavailableError, match="keywords only: The model is broken"):
        wait(world, "embedded", world.settle)
    assert wait(world, "keyword")[0].documents == BATCH_FILES_MAX + 1
