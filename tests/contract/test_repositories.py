"""One suite for the ``Repositories`` port, over the fake and the installed git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mdmem_testkit.fake_repositories import FakeRepositories
from mdmemd.adapters.git import Git
from mdmemd.ports import Repositories

SUFFIXES = (".md", ".mdx")

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings of git, which are none of this machine's."""
    path = tmp_path / "gitconfig"
    path.write_text("")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return path


@pytest.fixture(params=["fake", pytest.param("real", marks=needs_git)])
def repositories(request: pytest.FixtureRequest, tmp_path: Path, settings: Path) -> Repositories:
    tree = tmp_path / "tree"
    tracked = ["a.md", "sub/B.MD", "sub/é .mdx", "other.txt", "[id].md", "new\nline.md"]
    if request.param == "fake":
        fake = FakeRepositories()
        fake.track(str(tree), *tracked)
        fake.user_file = str(tmp_path / "ignore")
        return fake
    for name in [*tracked, "untracked.md"]:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("x")
    git(tmp_path, "init", "-q", str(tree))
    git(tree, "add", "--", *tracked)
    settings.write_text(f"[core]\n\texcludesFile = {tmp_path}/ignore\n")
    return Git()


def test_tracked_files_with_the_wanted_endings(repositories: Repositories, tmp_path: Path) -> None:
    found = repositories.tracked(str(tmp_path / "tree"), suffixes=SUFFIXES)
    assert found == {"a.md", "sub/B.MD", "sub/é .mdx", "[id].md", "new\nline.md"}


def test_what_is_no_work_tree_says_so(repositories: Repositories, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(OSError) as caught:
        repositories.tracked(str(tmp_path / "plain"), suffixes=SUFFIXES)
    assert "git refuses" in str(caught.value.strerror)


@needs_git
def test_a_repository_around_does_not_answer(settings: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/a.md").write_text("x")
    git(tmp_path, "add", "inner/a.md")
    with pytest.raises(OSError) as caught:
        Git().tracked(str(tmp_path / "inner"), suffixes=SUFFIXES)
    assert "git refuses" in str(caught.value.strerror)


def test_the_ignore_file_of_the_user(repositories: Repositories, tmp_path: Path) -> None:
    assert repositories.user_ignore_file() == str(tmp_path / "ignore")


@needs_git
def test_the_default_ignore_file_of_the_user(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Git().user_ignore_file() == str(tmp_path / "git/ignore")
    settings.write_text("[core]\n\texcludesFile = ~/mine\n")
    assert Git().user_ignore_file() == os.path.expanduser("~/mine")


def test_without_git() -> None:
    git = Git(program="no-such-program")
    assert git.user_ignore_file() is None
    with pytest.raises(OSError) as caught:
        git.tracked("/", suffixes=SUFFIXES)
    assert caught.value.strerror == "git is not installed"


def test_a_git_that_hangs_is_given_up(tmp_path: Path) -> None:
    hanging = tmp_path / "git"
    hanging.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    hanging.chmod(0o755)
    with pytest.raises(TimeoutError) as caught:
        Git(program=str(hanging), timeout_seconds=0.05).tracked("/", suffixes=SUFFIXES)
    assert "did not answer" in str(caught.value.strerror)


@needs_git
def test_a_repository_runs_nothing_and_a_bare_mark_or_a_hook_changes_nothing(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X2: what a checkout configures is not executed; a caller's GIT_DIR names no other repository."""
    tree, marker = tmp_path / "tree", tmp_path / "ran"
    tree.mkdir()
    (tree / "a.md").write_text("x")
    git(tmp_path, "init", "-q", str(tree))
    git(tree, "add", "a.md")
    script = tree / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    for name in ("post-index-change", "pre-commit"):
        shutil.copy(script, tree / ".git/hooks" / name)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.alternateRefsCommand",
        "alias.ls-files",
    ):
        git(tree, "config", key, str(script))
    git(tree, "config", "core.bare", "true")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    index = tree / ".git/index"
    before = (index.stat().st_ino, index.stat().st_mtime_ns, index.read_bytes())
    assert Git().tracked(str(tree), suffixes=SUFFIXES) == {"a.md"}
    assert not marker.exists()
    assert (index.stat().st_ino, index.stat().st_mtime_ns, index.read_bytes()) == before
