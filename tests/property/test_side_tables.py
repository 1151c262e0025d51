"""Whatever an engine keeps beside its index stays level while edits and questions come and go.

The small and quick form of ``tests/bench/bench_soak.py``: no processes, no model, every table is counted.
"""

from __future__ import annotations

import gc
import random
from collections import deque
from functools import partial
from pathlib import Path
from types import CellType, FunctionType, MethodType

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmemd.engine.events import Look, RebuildRoot, Settle
from mdmemd.engine.journal import Journal
from mdmemd.errors import ModelUnavailableError
from mdmemd.index import vectors
from mdmemd.search.page import Question
from mdmemd.sync.barrier import Ticket

FILES = 12
ROUNDS = 160
WARM_ROUNDS = 80
"""In these every table that fills up to a bound, or follows the size of the index, does so."""

TABLES = (dict, set, frozenset, list, tuple, deque)
CALLBACKS = (MethodType, CellType, partial)


def entries(world: EngineWorld) -> int:
    """How many entries all tables hold that an engine can reach, those of fakes and modules left out."""
    seen: set[int] = set()
    waiting: list[object] = [world.engine, world.maintenance]
    count = 0
    while waiting:
        each = waiting.pop()
        # A journal is a ring with a bound of its own, larger than this test is long.
        if id(each) in seen or isinstance(each, type | Journal):
            continue
        seen.add(id(each))
        if isinstance(each, TABLES):
            count += len(each)
        if isinstance(each, FunctionType):
            waiting.extend(each.__closure__ or ())
        elif isinstance(each, (*TABLES, *CALLBACKS)) or type(each).__module__.startswith("mdmemd."):
            waiting.extend(gc.get_referents(each))
    return count


class Use:
    """Random edits and questions; ``begins_anew``: now and then an index is rebuilt, or sleeps and wakes."""

    def __init__(self, world: EngineWorld, seed: int, *, begins_anew: bool) -> None:
        self.world = world
        self.begins_anew = begins_anew
        self.choose = random.Random(seed)
        self.number = 0
        for number in range(FILES):
            self.write(number)
        world.add("/docs")
        self.write_other()

    def write(self, number: int) -> None:
        self.number += 1
        words = " ".join(f"word{self.choose.randrange(50)}" for _ in range(6))
        self.world.files.write(
            f"/docs/{number}.md", f"# T{number}\n\n{words} {self.number}\n\nconstant text\n"
        )

    def write_other(self) -> None:
        self.world.files.write("/other/a.md", f"# Other\n\nalpha {self.number}\n")

    def round(self) -> None:
        """A few edits, a question, and now and then all the rest."""
        world, choose = self.world, self.choose
        world.files.reads.clear()
        world.encoder.calls.clear()
        for _ in range(choose.randint(1, 3)):
            number = choose.randrange(FILES)
            if choose.random() < 0.2 and number:
                path, renamed = f"/docs/{number}.md", f"/docs/renamed{number}.md"
                for each in (path, renamed):
                    if each.rpartition("/")[2] in self.names():
                        world.files.remove(each)
                world.files.write(renamed, f"# R\n\nrenamed {self.number}\n")
            else:
                self.write(number)
        world.engine.service.search(Question(f"word{choose.randrange(5)}"))
        world.engine.writer.post(Look("docs", Ticket()))
        world.settle()
        act = choose.randrange(12)
        if act in (0, 4) and not self.begins_anew:
            return
        if act == 0:
            world.engine.writer.post(RebuildRoot("docs", Ticket()))
        elif act == 1:
            world.save()
        elif act == 2:
            world.engine.service.add_root("/other")
            world.settle()
            world.engine.service.remove_root("other")
        elif act == 3:
            world.engine.writer.post(Settle("docs", Ticket(), ("0.md", "gone.md"), is_forced=True))
        elif act == 4:
            world.save()
            world.clock.advance(7_200.0)
            world.engine.hibernation.step(timeout_seconds=0.0)
        elif act == 5:
            world.encoder.fails_on = {f"T0: constant text {self.number}"}
        world.settle()

    def names(self) -> set[str]:
        return {entry.name for entry in self.world.files.list_directory("/docs")}

    def level(self) -> int:
        """The entries when everything is at rest and no sleep hides them."""
        self.world.engine.writer.post(Look("docs", Ticket()))
        self.world.settle()
        self.world.save()
        return entries(self.world)


@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize("begins_anew", [True, False])
def test_tables_stay_level(
    has_model: bool, begins_anew: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R2, R4, R5."""
    monkeypatch.setattr(vectors, "DEAD_MIN", 16)  # else dead texts take longer to reach their bound
    monkeypatch.setitem(Journal.__init__.__kwdefaults__, "entries_max", 40)  # and this too
    world = EngineWorld(tmp_path)
    if not has_model:
        world.model_failure = ModelUnavailableError("No model.")
        world.restart()
    use = Use(world, 1, begins_anew=begins_anew)
    for _ in range(WARM_ROUNDS):
        use.round()
    levels = [use.level()]
    for _ in range(ROUNDS):
        use.round()
    levels.append(use.level())
    world.close()
    assert levels[0] > 200  # the walk found the tables
    # The index itself goes up and down by so much; one entry a round would show.
    assert levels[1] < 1.25 * levels[0] + 60, levels
