"""An engine on fakes for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.engine_world import EngineWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[EngineWorld]:
    made = EngineWorld(tmp_path)
    yield made
    made.engine.writer.close()
    made.engine.embedder.close()
