"""The native libraries of the daemon can be imported in any order within one process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

DOORS = ("mdmemd.index.vectors", "mdmemd.embed.session", "mdmemd.embed.tokenizer")


@pytest.mark.parametrize("first", DOORS)
def test_any_door_may_be_first(first: str) -> None:
    order = [first, *(door for door in DOORS if door != first)]
    script = "\n".join(f"import {door}" for door in order)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
