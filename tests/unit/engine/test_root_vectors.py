"""What is known of a root's vectors grows and shrinks with the root."""

from __future__ import annotations

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.events import Look
from mdmemd.errors import ModelUnavailableError
from mdmemd.sync.barrier import Ticket


def look(world: EngineWorld) -> None:
    world.engine.writer.post(Look("docs", Ticket()))
    world.settle()


def test_a_text_that_failed_is_forgotten_with_its_file(world: EngineWorld) -> None:
    """R5: and counted as long as it is there."""
    world.encoder.fails_on.add("A: bad")
    world.files.write("/docs/a.md", "# A\n\nbad\n")
    world.files.write("/docs/b.md", "# B\n\ngood\n")
    world.add("/docs")
    assert world.engine.state.current.roots["docs"].failed_vectors == 1
    for number in range(20):
        world.encoder.fails_on.add(f"A: bad{number}")
        world.files.write("/docs/a.md", f"# A\n\nbad{number}\n")
        look(world)
        assert world.engine.state.current.roots["docs"].failed_vectors == 1
    world.files.write("/docs/a.md", "# A\n\nmended\n")
    look(world)
    view = world.engine.state.current.roots["docs"]
    assert (view.failed_vectors, view.awaited_vectors) == (0, 0)


def test_texts_that_leave_before_their_vectors_are_not_awaited(world: EngineWorld) -> None:
    """As when there is no model: each edit would add to those awaited for ever."""
    world.model_failure = ModelUnavailableError("No model.")
    world.restart()
    world.files.write("/docs/a.md", "# A\n\ntext\n")
    world.add("/docs")
    for number in range(20):
        world.files.write("/docs/a.md", f"# A\n\ntext{number}\n")
        look(world)
    assert world.engine.state.current.roots["docs"].awaited_vectors == 1


def test_a_failure_that_comes_too_late_is_not_kept(world: EngineWorld) -> None:
    world.files.write("/docs/a.md", "# A\n\nbad\n")
    world.encoder.fails_on.add("A: bad")
    world.engine.service.add_root("/docs")
    world.engine.writer.step(timeout_seconds=0.0)
    world.files.write("/docs/a.md", "# A\n\ngood\n")
    world.engine.writer.post(Look("docs", Ticket()))
    world.engine.writer.step(timeout_seconds=0.0)
    world.settle()
    view = world.engine.state.current.roots["docs"]
    assert (view.failed_vectors, view.awaited_vectors) == (0, 0)
