"""``index``, ``gc``, ``export`` and ``import`` with real daemons, and a vector cache that is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Instance]:
    """Another machine."""
    made = Instance(tmp_path / "other")
    yield made
    made.close()


def hits(instance: Instance, question: str) -> list[tuple[str, list[int], float]]:
    """What is found by words and meaning; on a busy machine a question may not get its vector in time."""
    for _ in range(20):
        found = instance.json("search", question, "--limit", "50")
        if found["state"]["mode"] == "hybrid" and found["state"]["fresh"]:
            return [(hit["path"], hit["lines"], hit["score"]) for hit in found["hits"]]
    raise AssertionError(found["state"])


QUESTIONS = ("roll back a release", "sourdough", "SHIP_REGION", "keyboard")


def test_an_index_travels_to_another_machine(
    instance: Instance, other: Instance, documents: Path, tmp_path: Path
) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    file = tmp_path / "docs.mdmem"
    instance.ctl("export", "docs", str(file))
    assert str(documents).encode() not in file.read_bytes()
    again = instance.ctl("export", "docs", str(file), check=False)
    assert (again.code, "--force" in again.err) == (5, True)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in documents.rglob("*.md"):
        target = copy / path.relative_to(documents)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    warm = tmp_path / "warm"
    warm.mkdir()
    (warm / "a.md").write_text("# Warm\n")
    other.ctl("root", "add", str(warm), "--wait")  # the model is loaded then
    other.ctl("root", "remove", "warm")
    computed = other.json("status")["model"]["computed"]
    done = other.ctl("import", str(file), "--path", str(copy), "--wait")
    assert done.out.startswith("imported docs (")
    assert other.json("status")["model"]["computed"] == computed
    for question in QUESTIONS:
        assert hits(other, question) == hits(instance, question)
    other.ctl("stop")
    other.ctl("root", "list")
    assert other.json("ls")["state"]["embedded"] == instance.json("ls")["state"]["embedded"] > 0


def test_a_file_that_is_no_export_is_refused(instance: Instance, documents: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.mdmem"
    file.write_bytes(b"PK\3\4" * 100)
    refused = instance.ctl("import", str(file), "--path", str(documents), check=False)
    assert refused.code == 2
    assert "no whole export" in refused.err
    assert instance.json("root", "list")["roots"] == []


def test_an_index_made_anew_answers_as_before(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    before = {question: hits(instance, question) for question in QUESTIONS}
    computed = instance.json("status")["model"]["computed"]
    done = instance.ctl("index", "docs", "--force", "--wait")
    assert done.out.startswith("indexed anew docs")
    assert {question: hits(instance, question) for question in QUESTIONS} == before
    assert instance.json("status")["model"]["computed"] == computed
    read = instance.ctl("index", str(documents / "cookbook.md"))
    assert read.out == "read cookbook.md of docs again\n"


def test_gc_removes_the_index_of_a_removed_root(instance: Instance, documents: Path) -> None:
    """T12."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    instance.ctl("stop")
    index = instance.home / "cache/index"
    assert len(list(index.iterdir())) == 1
    leftover = instance.home / "data/.roots.json.1.tmp"
    leftover.write_bytes(b"half")
    instance.ctl("root", "remove", "docs")
    freed = instance.json("gc")
    assert freed["files"] >= 5
    assert freed["bytes"] > 1_000
    assert list(index.iterdir()) == []
    assert not leftover.exists()
    assert instance.json("gc")["files"] == 0


def test_the_vector_cache_may_be_deleted_under_a_running_daemon(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    before = {question: hits(instance, question) for question in QUESTIONS}
    for path in (instance.home / "cache").glob("vectors.sqlite*"):
        path.unlink()
    (documents / "new.md").write_text("# New\n\nA text about turbines.\n")
    instance.ctl("index", "--wait")
    assert hits(instance, "turbines")[0][0] == "new.md"
    assert (instance.home / "cache/vectors.sqlite").exists()
    (documents / "new.md").unlink()
    instance.ctl("index", "--wait")
    assert {question: hits(instance, question) for question in QUESTIONS} == before
    assert instance.json("status")["messages"] == []
    assert "Traceback" not in instance.log
