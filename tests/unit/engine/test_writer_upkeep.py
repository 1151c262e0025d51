"""What the writer does with idle time."""

from __future__ import annotations

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine import writer as writer_module
from mdmemd.engine.writer import Look
from mdmemd.index import vectors as vectors_module
from mdmemd.sync.barrier import Ticket

FILES = 40


@pytest.fixture
def restarted(world: EngineWorld, monkeypatch: pytest.MonkeyPatch) -> EngineWorld:
    """After a restart with more vectors than are scanned exactly; a step does one piece of upkeep."""
    monkeypatch.setattr(vectors_module, "EXACT_ROWS_MAX", 10)
    monkeypatch.setattr(writer_module, "BATCH_BUDGET_SECONDS", 0.0)
    for number in range(FILES):
        world.files.write(f"/docs/{number}.md", f"# Title {number}\n\nText of {number}.\n")
    world.add("/docs")
    world.save()
    world.restart()
    world.engine.writer.step(timeout_seconds=0.0)  # restores and walks
    return world


def graph_rows(world: EngineWorld) -> int:
    return world.engine.state.current.roots["docs"].snapshot.vectors.graph_rows


def test_idle_time_builds_the_graph_and_then_the_writer_rests(restarted: EngineWorld) -> None:
    assert graph_rows(restarted) == 0
    assert restarted.engine.writer.step(timeout_seconds=0.0)
    assert graph_rows(restarted) == writer_module.TIDY_ROWS
    restarted.settle()
    assert graph_rows(restarted) == restarted.status("docs").embedded == FILES
    assert not restarted.engine.writer.step(timeout_seconds=0.0)


def test_whoever_waits_comes_before_upkeep(restarted: EngineWorld) -> None:
    ticket = Ticket()
    restarted.engine.writer.post(Look("docs", ticket))
    assert restarted.engine.writer.step(timeout_seconds=0.0)
    assert ticket.wait(timeout_seconds=0.0)
    assert graph_rows(restarted) == 0
    assert restarted.engine.writer.step(timeout_seconds=0.0)
    assert graph_rows(restarted) > 0


def test_upkeep_is_nothing_to_save(restarted: EngineWorld) -> None:
    restarted.settle()
    names = sorted(restarted.checkpoints.names(restarted.checkpoints.folders()[0]))
    restarted.save()
    assert sorted(restarted.checkpoints.names(restarted.checkpoints.folders()[0])) == names
