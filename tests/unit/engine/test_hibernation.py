"""Roots that nobody uses are put to sleep, and come back with the next question or look."""

from __future__ import annotations

import gc
from collections.abc import Sequence

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.index_states import first_difference
from mdmemd.engine.events import Look, Sleep
from mdmemd.engine.hibernation import RETRY_SECONDS
from mdmemd.engine.report import Coverage, RootState
from mdmemd.index.segment import Segment
from mdmemd.search.page import Question
from mdmemd.sync.barrier import Ticket

HOUR_SECONDS = 3_600.0


@pytest.fixture
def saved(world: EngineWorld) -> EngineWorld:
    """Two roots, saved as they are."""
    for root in ("docs", "notes"):
        for number in range(4):
            world.files.write(f"/{root}/{number}.md", f"# Title {number}\n\nalpha {root}{number}\n")
        world.add(f"/{root}")
    world.save()
    return world


def states(world: EngineWorld) -> Sequence[RootState]:
    return [world.status(name).state for name in ("docs", "notes")]


def pass_time(world: EngineWorld, seconds: float = HOUR_SECONDS) -> None:
    world.clock.advance(seconds)
    while world.engine.hibernation.step(timeout_seconds=0.0):
        world.settle()


def ask(world: EngineWorld, *roots: str) -> list[tuple[str, str]]:
    """What is answered once the roots are awake again."""
    world.engine.service.search(Question("alpha"), roots=roots)
    world.settle()
    answer = world.engine.service.search(Question("alpha", limit=50), roots=roots)
    world.settle()
    return sorted((hit.root, hit.path) for hit in answer.hits)


def test_unused_roots_sleep_and_the_next_question_finds_all_of_them_again(saved: EngineWorld) -> None:
    before = saved.sight()
    answer = ask(saved)
    pass_time(saved)
    assert states(saved) == [RootState.ASLEEP, RootState.ASLEEP]
    view = saved.engine.state.current.roots["docs"]
    assert view.snapshot.segments == ()
    assert view.snapshot.vectors.count == 0
    assert (view.snapshot.documents, saved.status("docs").documents) == (4, 4)
    saved.files.reads.clear()
    saved.encoder.calls.clear()
    assert ask(saved) == answer
    assert states(saved) == [RootState.READY, RootState.READY]
    assert first_difference(saved.sight(), before) is None
    assert saved.files.reads.count("/docs/0.md") <= 2  # quotes, and nothing is indexed again
    assert not [text for call in saved.encoder.calls for text in call if "Title" in text]


def test_only_the_roots_that_are_asked_stay_or_come_awake(saved: EngineWorld) -> None:
    pass_time(saved, HOUR_SECONDS / 2)
    ask(saved, "notes")
    pass_time(saved, HOUR_SECONDS / 2)
    assert states(saved) == [RootState.ASLEEP, RootState.READY]
    pass_time(saved, HOUR_SECONDS / 2)
    assert states(saved) == [RootState.ASLEEP, RootState.ASLEEP]
    ask(saved, "docs")
    assert states(saved) == [RootState.READY, RootState.ASLEEP]


def test_an_answer_without_a_sleeping_root_says_so(saved: EngineWorld) -> None:
    pass_time(saved)
    answer = saved.engine.service.search(Question("alpha"))
    assert answer.hits == ()
    assert not answer.state.fresh
    assert answer.state.coverage is Coverage.PARTIAL
    assert "docs: it was asleep" in (answer.state.outstanding or "")


def test_a_look_wakes_a_root_and_finds_what_was_edited_meanwhile(saved: EngineWorld) -> None:
    pass_time(saved)
    saved.files.write("/docs/new.md", "# New\n\nalpha new\n")
    saved.files.remove("/docs/0.md")
    ticket = Ticket()
    saved.engine.writer.post(Look("docs", ticket))
    saved.settle()
    assert ticket.wait(timeout_seconds=0.0)
    assert states(saved) == [RootState.READY, RootState.ASLEEP]
    assert [path for root, path in ask(saved, "docs")] == ["1.md", "2.md", "3.md", "new.md"]


def test_a_root_that_is_not_saved_stays_awake_until_it_is(saved: EngineWorld) -> None:
    """Or its index would be lost and made again."""
    saved.files.write("/docs/new.md", "# New\n\nalpha new\n")
    saved.engine.writer.post(Look("docs", Ticket()))
    saved.settle()
    pass_time(saved)
    assert states(saved) == [RootState.READY, RootState.ASLEEP]
    saved.save()
    pass_time(saved, RETRY_SECONDS)
    assert states(saved) == [RootState.ASLEEP, RootState.ASLEEP]


def test_a_root_that_has_changed_since_is_not_put_to_sleep(saved: EngineWorld) -> None:
    revision = saved.engine.state.current.roots["docs"].snapshot.revision
    saved.files.write("/docs/new.md", "# New\n\nalpha new\n")
    saved.engine.writer.post(Look("docs", Ticket()))
    saved.engine.writer.post(Sleep("docs", revision))
    saved.settle()
    assert states(saved) == [RootState.READY, RootState.READY]


def test_a_sleeping_root_is_never_saved_over(saved: EngineWorld) -> None:
    """T6: what is in memory of it is empty."""
    before = saved.checkpoints.copy()
    pass_time(saved)
    saved.save()
    saved.engine.checkpointer.close()
    for folder in before.folders():
        assert saved.checkpoints.names(folder) == before.names(folder)


def test_a_sleeping_root_can_be_removed_and_added_again(saved: EngineWorld) -> None:
    pass_time(saved)
    saved.engine.service.remove_root("docs")
    saved.settle()
    assert set(saved.engine.state.current.roots) == {"notes"}
    saved.add("/docs")
    assert saved.status("docs").documents == 4


def test_a_root_inside_a_sleeping_one_keeps_its_files(saved: EngineWorld) -> None:
    saved.files.write("/docs/inner/a.md", "# Inner\n\nalpha inner\n")
    saved.add("/docs/inner")
    saved.save()
    pass_time(saved)
    ask(saved, "inner")
    assert states(saved)[0] is RootState.ASLEEP
    assert "lies inside the root docs" in (saved.status("inner").detail or "")
    ask(saved, "docs")
    assert saved.status("docs").documents == 4


def test_memory_is_given_back_after_the_writer_let_go(saved: EngineWorld) -> None:
    freed: list[bool] = []
    saved.engine.hibernation._free_memory = lambda: freed.append(
        saved.engine.state.current.roots["docs"].asleep
    )
    saved.clock.advance(HOUR_SECONDS)
    saved.engine.hibernation.step(timeout_seconds=0.0)
    assert freed == []
    saved.settle()
    saved.engine.hibernation.step(timeout_seconds=0.0)
    assert freed == [True]


def test_with_a_setting_of_zero_nothing_sleeps(saved: EngineWorld) -> None:
    saved.engine.hibernation._after_seconds = float("inf")
    pass_time(saved, 1_000 * HOUR_SECONDS)
    assert states(saved) == [RootState.READY, RootState.READY]


def test_nothing_holds_the_index_of_a_sleeping_root(saved: EngineWorld) -> None:
    ask(saved)
    identities = {
        view.segment.identity
        for root in saved.engine.state.current.roots.values()
        for view in root.snapshot.segments
    }
    assert identities
    pass_time(saved)
    gc.collect()
    held = [each.identity for each in gc.get_objects() if isinstance(each, Segment)]
    assert not identities & set(held)
