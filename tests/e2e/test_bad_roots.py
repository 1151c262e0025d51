"""Everything that is wrong with a folder is one clear sentence, the right exit code, and nothing lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("path", "code", "sentence"),
    [
        ("/", 5, "the whole disk"),
        ("~", 5, "your home folder"),
        ("missing", 4, "There is no folder"),
        ("cookbook.md", 5, "is a file"),
    ],
)
def test_what_may_not_be_a_root(
    instance: Instance, documents: Path, path: str, code: int, sentence: str
) -> None:
    target = os.path.expanduser("~") if path == "~" else str(documents / path)
    result = instance.ctl("root", "add", target, check=False)
    assert result.code == code
    assert sentence in result.err
    assert "Traceback" not in result.err
    assert instance.json("root", "list")["roots"] == []


def test_an_empty_folder_and_one_without_markdown_say_so(instance: Instance, tmp_path: Path) -> None:
    """W13: zero files is said, not reported as success."""
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    other.mkdir()
    (other / "a.txt").write_text("x")
    for folder in (empty, other):
        added = instance.json("root", "add", str(folder), "--wait")
        assert added["root"]["state"] == "empty"
        assert "no Markdown" in added["root"]["detail"]


def test_the_same_root_twice_is_one_root(instance: Instance, documents: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(documents)
    first = instance.json("root", "add", str(documents))
    again = instance.json("root", "add", str(link))
    assert first["created"] is True
    assert again["created"] is False
    assert again["root"]["name"] == first["root"]["name"]
    other_name = instance.ctl("root", "add", str(documents), "--name", "other", check=False)
    assert other_name.code == 5
    assert "registered already" in other_name.err


def test_a_root_inside_a_root_is_indexed_once(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "outer", "--wait=keyword")
    inner = instance.json("root", "add", str(documents / "guides"), "--name", "inner", "--wait=keyword")
    assert "inside the root outer" in inner["root"]["detail"]
    rows = instance.json("ls")["documents"]
    assert [(row["root"], row["path"]) for row in rows] == [
        ("inner", "deploy.md"), ("inner", "setup.md"), ("outer", "cookbook.md"),
    ]  # fmt: skip
    instance.ctl("root", "remove", "inner")
    rows = instance.json("ls")["documents"]
    assert [row["path"] for row in rows] == ["cookbook.md", "guides/deploy.md", "guides/setup.md"]


def test_a_folder_that_vanishes_and_comes_back_keeps_its_documents(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    """W15, T6."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    documents.rename(tmp_path / "away")
    answer = instance.json("search", "lentil soup")
    assert answer["state"]["fresh"] is False
    assert "cannot be read" in answer["state"]["outstanding"]
    status = instance.json("status")["roots"][0]
    assert (status["state"], status["documents"]) == ("missing", 3)
    (tmp_path / "away").rename(documents)
    answer = instance.json("search", "lentil soup")
    assert answer["hits"][0]["path"] == "cookbook.md"
    assert answer["state"]["fresh"] is True


def test_a_corrupt_list_of_roots_is_kept_and_told(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--wait=keyword")
    instance.ctl("stop")
    listing = instance.home / "data/roots.json"
    listing.write_bytes(b'{"format": 1, "roots": [{')
    status = instance.json("status")
    assert status["roots"] == []
    assert any("could not be read" in message for message in status["messages"])
    kept = [path for path in listing.parent.iterdir() if "unreadable" in path.name]
    assert [path.read_bytes() for path in kept] == [b'{"format": 1, "roots": [{']


def test_an_unreadable_file_costs_only_itself(instance: Instance, documents: Path) -> None:
    """P8, C5."""
    (documents / "loop.md").symlink_to(documents / "loop.md")
    (documents / "bad.md").write_bytes(b"# Caf\xe9\n\nLatin bytes \xff here\n")
    added = instance.json("root", "add", str(documents), "--wait=keyword")
    assert added["root"]["documents"] == 4
    problems = {problem["path"]: problem for problem in added["root"]["problems"]}
    assert "loop.md" in problems
    assert "bad.md" in problems


def test_names_of_roots(instance: Instance, documents: Path) -> None:
    bad = instance.ctl("root", "add", str(documents), "--name", "../x", check=False)
    assert bad.code == 2
    unknown = instance.ctl("search", "x", "--root", "dcos", check=False)
    assert unknown.code == 4
    instance.ctl("root", "add", str(documents), "--name", "docs")
    near = instance.ctl("search", "x", "--root", "dosc", check=False)
    assert near.code == 4
    assert "docs" in near.err
    gone = instance.ctl("root", "remove", "other", check=False)
    assert gone.code == 4
