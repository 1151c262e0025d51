"""Which project a session works in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.mcp.project import PROJECT_VARIABLE, project_folder


def test_the_client_names_it(tmp_path: Path) -> None:
    assert project_folder({PROJECT_VARIABLE: f"{tmp_path}/"}) == str(tmp_path)


@pytest.mark.parametrize("value", ["", "${CLAUDE_PROJECT_DIR}", "relative", "/no/such/folder", __file__])
def test_a_value_that_is_no_folder_counts_as_not_given(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_folder({PROJECT_VARIABLE: value}) == os.getcwd()


def test_a_folder_that_is_gone_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert project_folder({}) == ""
    monkeypatch.chdir(tmp_path)


def test_a_path_that_is_not_unicode_is_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getcwd", lambda: "/caf\udce9")
    assert project_folder({}) == ""
