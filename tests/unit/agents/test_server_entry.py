"""Agents are given absolute paths of this installation."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mdmem.agents.server_entry import control_path, shim_path
from mdmem.errors import NotFoundError


def test_the_programs_are_those_beside_the_interpreter() -> None:
    for path in (shim_path(), control_path()):
        assert os.path.isabs(path)
        assert os.path.dirname(path) == os.path.dirname(sys.executable)


def test_the_link_of_a_virtual_environment_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    (tmp_path / "mdmem-mcp").write_text("#!/bin/sh\n")
    (tmp_path / "mdmem-mcp").chmod(0o755)
    assert shim_path(interpreter=str(tmp_path / "python")) == str(tmp_path / "mdmem-mcp")


def test_an_installation_without_programs_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no mdmem-mcp beside"):
        shim_path(interpreter=str(tmp_path / "python"))
