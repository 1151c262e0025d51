"""Edits, renames, restarts, crashes, lost power, full disks: whatever happened, a root ends as a fresh build.

An engine over fakes lives through random histories. After each restart it must come to answer exactly as an
engine that sees the files for the first time.
"""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmem_testkit.fake_files import PowerLostError
from mdmem_testkit.index_states import first_difference
from mdmemd.engine import writer as writer_module
from mdmemd.engine.events import Look, RebuildRoot
from mdmemd.index import vectors as vectors_module
from mdmemd.store import layout, vectors_codec
from mdmemd.sync.barrier import Ticket

WORDS = ["alpha", "beta", "gamma", "delta", "edit", "omega"]
NAMES = ["a", "b", "c/d", "c/e", "f g", "ü"]
STEPS = 60
FOLDER = layout.root_folder("/docs")


class Life:
    """One random history."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.choose = random.Random(seed)
        self.folder = folder
        self.world = EngineWorld(folder)
        self.texts: dict[str, str] = {}
        self.fresh = 0
        self.write()
        self.world.add("/docs")

    def live(self, steps: int) -> None:
        acts = [
            *(self.write, self.write, self.write, self.rename, self.remove, self.touch),
            *(self.look, self.look, self.embed_some, self.save, self.save),
            *(
                self.restart,
                self.crash_while_saving,
                self.lose_power,
                self.full_disk,
                self.damage,
                self.other_model,
            ),
            *(self.sleep, self.rebuild, self.collect),
        ]
        for _ in range(steps):
            self.choose.choice(acts)()
        self.check()

    # --- files ----------------------------------------------------------------------------------------------

    def write(self) -> None:
        for _ in range(self.choose.randint(1, 3)):
            name = self.choose.choice(NAMES)
            self.texts[name] = self.text()
            self.world.files.write(f"/docs/{name}.md", self.texts[name])

    def rename(self) -> None:
        if self.texts:
            old, new = self.choose.choice(list(self.texts)), self.choose.choice(NAMES)
            self.world.files.remove(f"/docs/{old}.md")
            self.texts[new] = self.texts.pop(old)
            self.world.files.write(f"/docs/{new}.md", self.texts[new])

    def remove(self) -> None:
        if len(self.texts) > 1:
            name = self.choose.choice(list(self.texts))
            del self.texts[name]
            self.world.files.remove(f"/docs/{name}.md")

    def touch(self) -> None:
        name = self.choose.choice(list(self.texts))
        self.world.files.write(f"/docs/{name}.md", self.texts[name])

    def text(self) -> str:
        sections = []
        for _ in range(self.choose.randint(1, 4)):
            body = " ".join(self.choose.choices(WORDS, k=self.choose.randint(0, 6)))
            sections.append(f"# {self.choose.choice(WORDS)}\n\n{body}\n")
        return "\n".join(sections)

    # --- the daemon -----------------------------------------------------------------------------------------

    def look(self) -> None:
        self.world.engine.writer.post(Look("docs", Ticket()))
        self.world.engine.writer.step(timeout_seconds=0.0)

    def embed_some(self) -> None:
        for _ in range(self.choose.randint(1, 4)):
            self.world.engine.embedder.step(timeout_seconds=0.0)
        self.world.engine.writer.step(timeout_seconds=0.0)

    def save(self) -> None:
        self.world.save()

    def restart(self) -> None:
        if self.choose.random() < 0.5:
            self.world.engine.checkpointer.close()
        self.world.restart()
        if self.choose.random() < 0.5:
            self.check()

    def crash_while_saving(self) -> None:
        self.interrupted_save()
        self.world.checkpoints.stop_after(None)
        self.restart()

    def lose_power(self) -> None:
        self.interrupted_save()
        self.world.checkpoints.lose_power(self.choose)
        self.world.restart()
        self.check()

    def interrupted_save(self) -> None:
        self.look()
        self.world.checkpoints.stop_after(self.choose.randint(0, 40))
        with contextlib.suppress(PowerLostError):
            self.world.save()

    def full_disk(self) -> None:
        self.world.checkpoints.bytes_left = self.choose.randint(0, 6_000)
        self.world.save()
        self.world.checkpoints.bytes_left = None

    def damage(self) -> None:
        names = self.world.checkpoints.names(FOLDER)
        if names:
            name = self.choose.choice(names)
            content = bytearray(self.world.checkpoints.read(FOLDER, name))
            if content and self.choose.random() < 0.7:
                content[self.choose.randrange(len(content))] ^= 1 << self.choose.randrange(8)
                self.world.checkpoints.put(FOLDER, name, bytes(content))
            else:
                self.world.checkpoints.put(FOLDER, name, None)
            self.world.restart()

    def other_model(self) -> None:
        name = self.choose.choice(["fake", "another"])
        self.world.encoder = FakeEncoder(dimensions=32, fingerprint=name)
        self.world.restart()

    def sleep(self) -> None:
        self.world.clock.advance(7_200.0)
        self.world.engine.hibernation.step(timeout_seconds=0.0)
        self.world.engine.writer.step(timeout_seconds=0.0)

    def rebuild(self) -> None:
        self.world.engine.writer.post(RebuildRoot("docs", Ticket()))
        self.world.engine.writer.step(timeout_seconds=0.0)

    def collect(self) -> None:
        collected = self.world.engine.checkpointer.collect(["/docs"])
        self.world.engine.checkpointer.step(timeout_seconds=0.0)
        collected.result(0)

    def check(self) -> None:
        """The root is what a fresh build of its files is."""
        self.world.settle()
        self.look()
        self.world.settle()
        self.fresh += 1
        fresh = self.world.fresh_sight(self.folder / f"fresh{self.fresh}", "/docs")
        assert first_difference(self.world.sight(), fresh) is None


@pytest.fixture
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits at which a few vectors need a graph, a successor and several pieces."""
    monkeypatch.setattr(vectors_module, "EXACT_ROWS_MAX", 8)
    monkeypatch.setattr(vectors_module, "DEAD_MIN", 0)
    monkeypatch.setattr(vectors_module, "COPY_ROWS", 3)
    monkeypatch.setattr(writer_module, "TIDY_ROWS", 3)
    monkeypatch.setattr(writer_module, "BATCH_BUDGET_SECONDS", 0.0)  # one piece of upkeep a step
    monkeypatch.setattr(vectors_codec, "RUN_ROWS_MAX", 8)


@pytest.mark.usefixtures("_small_limits")
@pytest.mark.parametrize("seed", range(12))
def test_no_history_shows(seed: int, tmp_path: Path) -> None:
    """D14, T4, T6, T7, T8, T10, M5: in whichever order."""
    life = Life(tmp_path, seed)
    life.live(STEPS)
    life.world.close()
