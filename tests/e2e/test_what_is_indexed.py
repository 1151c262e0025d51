"""Which files of a real folder are indexed, with real git, and that one can ask why."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem.link import connect
from mdmem_testkit import awkward_tree
from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


@pytest.fixture
def awkward(tmp_path: Path) -> Iterator[tuple[Path, set[str]]]:
    folder = tmp_path / "awkward"
    yield folder, awkward_tree.make(folder)
    awkward_tree.clean(folder)


def listed(instance: Instance, root: str) -> set[str]:
    return {row["path"] for row in instance.json("ls", "--root", root)["documents"]}


def test_awkward_names_and_objects(
    instance: Instance, awkward: tuple[Path, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S10: names that differ in case, form or space are documents of their own; nothing else gets in."""
    monkeypatch.setenv("MDMEM_HOME", str(instance.home))
    folder, expected = awkward
    added = instance.json("root", "add", str(folder), "--wait=keyword")["root"]
    assert listed(instance, "awkward") == expected
    problems = {row["path"]: row["kind"] for row in added["problems"]}
    assert problems.pop("sparse.md") == "too_large"
    assert problems.pop("dangling.md") == "broken_link"
    assert problems.pop("circle.md") == "unreadable"
    assert set(problems) <= {"bad\ufffd\ufffd.md", "locked", "locked.md"}
    with connect() as client:
        for name in expected:
            text = client.read(name, root="awkward").text
            assert text == awkward_tree.text_of("plain.md" if name == "hard.md" else name), name
    hits = instance.json("search", "needleoutside", "--mode", "keyword")["hits"]
    assert hits == []
    assert "link" in instance.ctl("why", str(folder / "alias.md")).out
    assert "no regular file" in instance.ctl("why", str(folder / "pipe.md")).out
    assert "larger than" in instance.ctl("why", str(folder / "sparse.md")).out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_rules_and_what_changes_them(instance: Instance, documents: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(documents), *arguments], check=True, capture_output=True)

    for name in ("gen/kept.md", "gen/new.md", "draft-1.md"):
        (documents / name).parent.mkdir(exist_ok=True)
        (documents / name).write_text("# Text\n")
    git("init", "-q")
    git("add", "gen/kept.md")
    (documents / ".gitignore").write_text("gen/\ndraft-*\n")
    name = instance.json("root", "add", str(documents), "--name", "docs", "--wait=keyword")["root"]["name"]
    everything = {
        "cookbook.md",
        "guides/deploy.md",
        "guides/setup.md",
        "gen/kept.md",
        "gen/new.md",
        "draft-1.md",
    }
    assert listed(instance, name) == everything - {"gen/new.md", "draft-1.md"}
    why = instance.ctl("why", str(documents / "gen/new.md")).out
    assert "ignored by .gitignore:1 (gen/)" in why
    (documents / ".mdmemignore").write_text("!draft-*\nguides/setup.md\n")
    assert listed(instance, name) == everything - {"gen/new.md", "guides/setup.md"}
    (documents / ".gitignore").unlink()
    (documents / ".mdmemignore").unlink()
    assert listed(instance, name) == everything


def test_options_of_a_root_last_and_show(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--exclude", "guides", "--wait=keyword")
    assert listed(instance, "docs") == {"cookbook.md"}
    shown = instance.json("root", "show", "docs")
    assert [(row["pattern"], row["folders"]) for row in shown["removed"]] == [("guides", 1)]
    changed = instance.json("root", "set", "docs", "--name", "notes", "--exclude", "", "--include", "guides")
    assert (changed["name"], changed["documents"]) == ("notes", 2)
    instance.ctl("stop")
    assert listed(instance, "notes") == {"guides/deploy.md", "guides/setup.md"}
    again = instance.ctl("root", "add", str(documents), "--exclude", "x", check=False)
    assert again.code == 5
    assert "root set notes" in again.err
    wrong = instance.ctl("root", "set", "notes", "--exclude", "!x", check=False)
    assert wrong.code == 2
    assert ".mdmemignore" in wrong.err
    unused = instance.ctl("root", "set", "notes", "--include", "*.txt")
    assert "match nothing: *.txt" in unused.err


def test_globs_for_all_roots_and_a_checkout_that_says_too_much(instance: Instance, documents: Path) -> None:
    """X2: a file in a checkout narrows and does nothing else."""
    config = instance.home / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[roots]\nexclude = ["cook*"]\n')
    marker = documents / "ran"
    (documents / ".mdmem.toml").write_text(
        f'exclude = ["setup.md", "/etc/../.."]\nhook = "touch {marker}"\nroots = ["{os.sep}"]\n'
    )
    added = instance.json("root", "add", str(documents), "--name", "docs", "--wait=keyword")["root"]
    assert listed(instance, "docs") == {"guides/deploy.md"}
    (problem,) = [row for row in added["problems"] if row["path"] == ".mdmem.toml"]
    for word in ("'hook'", "'roots'", "leads out"):
        assert word in problem["message"]
    assert not marker.exists()


def test_a_glob_in_the_settings_that_cannot_be_used_is_told(instance: Instance) -> None:
    config = instance.home / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[roots]\nexclude = ["!x"]\n')
    result = instance.ctl("status", check=False)
    assert result.code == 3
    assert "roots.exclude" in result.err
