"""Equal text costs one run of the model, wherever it stands and whatever becomes of its root."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


def computed(instance: Instance) -> int:
    """Passages that the model has computed since the start."""
    status: Any = instance.json("status")
    value: int = status["model"]["computed"]
    return value


def test_copies_and_roots_that_come_and_go_embed_once(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    """A copy within the root, a second root, a removed one that comes back."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    once = computed(instance)
    assert once > 0
    shutil.copyfile(documents / "cookbook.md", documents / "copy of the cookbook.md")
    instance.ctl("sync", "--vectors")
    assert computed(instance) == once
    shutil.copytree(documents, tmp_path / "elsewhere")
    instance.ctl("root", "add", str(tmp_path / "elsewhere"), "--name", "elsewhere", "--wait")
    assert computed(instance) == once
    instance.ctl("root", "remove", "docs")
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    assert computed(instance) == once
    status = instance.json("status")["roots"]
    assert all(root["embedded"] == root["passages"] > 0 for root in status)
