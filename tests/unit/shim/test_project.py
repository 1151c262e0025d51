"""Which project a session works in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.mcp.project import PROJECT_VARIABLE, Project


def described(environ: dict[str, str]) -> tuple[str, bool]:
    project = Project(environ)
    return project.folder, project.is_guess


def test_the_client_names_it(tmp_path: Path) -> None:
    assert described({PROJECT_VARIABLE: f"{tmp_path}/"}) == (str(tmp_path), False)


@pytest.mark.parametrize("value", ["", "${CLAUDE_PROJECT_DIR}", "relative", "/no/such/folder", __file__])
def test_a_value_that_is_no_folder_counts_as_not_given(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert described({PROJECT_VARIABLE: value}) == (os.getcwd(), True)


def test_a_folder_that_is_gone_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert described({}) == ("", True)
    monkeypatch.chdir(tmp_path)


def test_a_path_that_is_not_unicode_is_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getcwd", lambda: "/caf\udce9")
    assert described({}) == ("", True)
