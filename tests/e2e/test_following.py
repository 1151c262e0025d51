"""A watched folder and the commands that follow it, with a real daemon."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


@pytest.fixture
def docs(instance: Instance, tmp_path: Path) -> Path:
    """A registered root of three documents, in a folder of its own."""
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    for name in ("one", "two", "sub/three"):
        (folder / f"{name}.md").write_text(f"# About {name}\n\nText about {name}.\n")
    instance.json("root", "add", str(folder), "--name", "docs", "--wait")
    return folder


def found(instance: Instance, word: str, *arguments: str) -> list[str]:
    answer = instance.json("search", word, "--mode", "keyword", *arguments)
    assert answer["state"]["fresh"], answer["state"]
    return [hit["path"] for hit in answer["hits"]]


def test_every_change_is_in_the_next_answer(instance: Instance, docs: Path) -> None:
    """W2, W10, F15, F16: saved, saved atomically, made in a new folder, moved, moved out, removed."""
    assert instance.json("status")["roots"][0]["watch_mode"] == "events"
    (docs / "one.md").write_text("# One\n\nplatypus\n")
    assert found(instance, "platypus") == ["one.md"]
    beside = docs / ".one.tmp"
    beside.write_text("# One\n\nwombat\n")
    beside.replace(docs / "one.md")
    assert (found(instance, "wombat"), found(instance, "platypus")) == (["one.md"], [])
    (docs / "new/deep").mkdir(parents=True)
    (docs / "new/deep/four.md").write_text("# Four\n\nquokka\n")
    assert found(instance, "quokka") == ["new/deep/four.md"]
    (docs / "new").rename(docs / "old")
    assert found(instance, "quokka") == ["old/deep/four.md"]
    (docs / "old").rename(docs.parent / "elsewhere")
    assert found(instance, "quokka") == []
    (docs / "one.md").unlink()
    assert found(instance, "wombat") == []


def test_sync_and_changes(instance: Instance, docs: Path) -> None:
    tick = instance.json("changes")["tick"]
    (docs / "one.md").rename(docs / "first.md")
    (docs / "two.md").write_text("# Two\n\nedited\n")
    (docs / "sub/three.md").unlink()
    (docs / "four.md").write_text("# Four\n")
    (root,) = instance.json("sync", "docs", "--vectors")["roots"]
    assert (root["state"], root["documents"], root["embedded"]) == ("ready", 3, root["passages"])
    listed = instance.json("changes", "--since", str(tick))
    kinds = {(row["kind"], row["path"], row["path_before"]) for row in listed["changes"]}
    assert kinds == {
        ("renamed", "first.md", "one.md"),
        ("changed", "two.md", None),
        ("removed", "sub/three.md", None),
        ("added", "four.md", None),
    }
    assert listed["incomplete"] == []
    assert instance.json("changes", "--since", str(listed["tick"]))["changes"] == []
    assert instance.ctl("sync", "nowhere", check=False).code == 4


def test_a_root_that_is_gone_is_told_and_comes_back(instance: Instance, docs: Path) -> None:
    """F17."""
    docs.rename(docs.parent / "away")
    gone = instance.ctl("sync", "docs", check=False)
    assert (gone.code, "out of reach" in gone.err) == (4, True)
    (docs.parent / "away").rename(docs)
    (docs / "back.md").write_text("# Back\n\ncassowary\n")
    instance.ctl("sync", "docs")
    assert found(instance, "cassowary") == ["back.md"]


def test_polling_by_settings_is_as_fresh(instance: Instance, tmp_path: Path) -> None:
    (instance.home / "config").mkdir(parents=True)
    (instance.home / "config/config.toml").write_text('[watch]\nmode = "polling"\n')
    folder = tmp_path / "polled"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nemu\n")
    instance.json("root", "add", str(folder), "--wait=keyword")
    assert instance.json("status")["roots"][0]["watch_mode"] == "polling"
    (folder / "a.md").write_text("# A\n\nkiwi\n")
    assert (found(instance, "kiwi"), found(instance, "emu")) == (["a.md"], [])


def test_a_question_that_shall_not_wait(instance: Instance, docs: Path) -> None:
    state = instance.json("search", "text", "--fresh", "off")["state"]
    assert (state["fresh"], "as asked" in state["outstanding"]) == (False, True)
    assert found(instance, "text", "--fresh", "wait=5")
    assert instance.ctl("ls", "--fresh", "soon", check=False).code != 0


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environment
    )


def computed(instance: Instance) -> int:
    """Passages that the model has computed since the start."""
    instance.ctl("sync", "--vectors")
    status: Any = instance.json("status")
    value: int = status["model"]["computed"]
    return value


def test_switching_branches_back_and_forth_embeds_once(instance: Instance, tmp_path: Path) -> None:
    """W17, W19: the second time, and in a second work tree, nothing is computed."""
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init")
    for number in range(500):
        (repository / f"{number}.md").write_text(f"# Page {number}\n\nText of page {number}.\n")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "one")
    git(repository, "checkout", "-b", "other")
    for number in range(300):
        (repository / f"{number}.md").write_text(f"# Page {number}\n\nOther text of page {number}.\n")
    git(repository, "commit", "-am", "two")
    instance.json("root", "add", str(repository), "--name", "repository", "--wait")
    git(repository, "checkout", "main")
    once = computed(instance)
    assert once >= 800
    assert found(instance, '"Other text"') == []
    for branch in ("other", "main", "other"):
        git(repository, "checkout", branch)
        assert computed(instance) == once
    assert found(instance, '"Other text of page 7"')[0] == "7.md"
    git(repository, "worktree", "add", str(tmp_path / "second"), "main")
    instance.json("root", "add", str(tmp_path / "second"), "--name", "second", "--wait")
    assert computed(instance) == once
