"""Large and hostile files with a real daemon: in the index in the end, and in nobody's way meanwhile."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

import pytest

from mdmem.link.client import Client
from mdmem_proto.messages import RootInfo
from mdmem_testkit.instances import endpoint_of
from mdmem_testkit.private_daemon import CEILING_SECONDS, Instance

pytestmark = pytest.mark.e2e

SLOW_SECONDS = 2.0
"""No search may take this long meanwhile: far more than it takes, far less than the file."""


def client_of(instance: Instance) -> Client:
    instance.ctl("start")
    return Client(endpoint_of(instance.home), start=False, timeout_seconds=CEILING_SECONDS)


def children(pid: int) -> set[int]:
    """The processes that a process has started (Linux)."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for thread in threads for child in (thread / "children").read_text().split()}


def wait_for_end(watched: int) -> None:
    """Wait until the process behind a pidfd has ended."""
    ended = select.poll()
    ended.register(watched, select.POLLIN)
    assert ended.poll(1000 * CEILING_SECONDS)
    os.close(watched)


def root(client: Client, name: str) -> RootInfo:
    return next(info for info in client.list_roots() if info.name == name)


def test_searches_stay_quick_while_a_file_of_10_mb_is_added(
    instance: Instance, documents: Path, tmp_path: Path
) -> None:
    """R8, F2."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    folder = tmp_path / "large"
    folder.mkdir()
    rows = "".join(f"| {number} | value {number} | {'more text ' * 9} |\n" for number in range(100_000))
    (folder / "table.md").write_text(f"# Table\n\n| a | b | c |\n| - | - | - |\n{rows}"[: 10 * 2**20])
    seconds: list[float] = []
    with client_of(instance) as client:
        client.add_root(str(folder), name="large")
        while root(client, "large").state == "indexing":
            asked = time.monotonic()
            answer = client.search("lentil soup", roots=["docs"], mode="keyword")
            seconds.append(time.monotonic() - asked)
            assert answer.hits[0].path == "cookbook.md"
        found = client.search("value 4711", roots=["large"], mode="keyword")
        assert found.hits[0].path == "table.md"
    assert len(seconds) > 10
    assert max(seconds) < SLOW_SECONDS


def test_nobody_waits_for_a_file_that_takes_minutes_not_even_stop(instance: Instance, tmp_path: Path) -> None:
    """P20, R8: what becomes of such a file in the end, the tests of the parse child say."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "nested.md").write_text(("- " * 40 + "needle\n") * 100_000)
    (folder / "small.md").write_text("# Small\n\nhaystack\n")
    with client_of(instance) as client:
        client.add_root(str(folder), name="hostile")
        while not (hits := client.search("haystack", mode="keyword").hits):
            pass
        assert hits[0].path == "small.md"
        assert root(client, "hostile").pending_files == 1
        (folder / "small.md").write_text("# Small\n\nnewer haystack\n")
        assert client.search("newer", mode="keyword").hits[0].path == "small.md"
    (child,) = children(instance.pid())
    watched = os.pidfd_open(child)
    instance.ctl("stop")
    wait_for_end(watched)


def test_the_child_that_parses_ends_with_the_daemon(instance: Instance, tmp_path: Path) -> None:
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\n" + "word\n\n" * 20_000)
    instance.ctl("root", "add", str(folder), "--wait=keyword")
    (child,) = children(instance.pid())
    watched = os.pidfd_open(child)
    instance.ctl("stop")
    wait_for_end(watched)


def test_preview_shows_a_file_and_indexes_nothing(instance: Instance, documents: Path) -> None:
    shown = instance.json("preview", str(documents / "guides/deploy.md"))
    assert shown["front_matter"] == {"title": "Deploying", "tags": ["operations"]}
    assert shown["title"] == "Deploying"
    assert shown["tags"] == ["operations"]
    assert [
        (each["heading_path"], each["level"], each["part"], each["lines"]) for each in shown["sections"]
    ] == [
        (["Deploying"], 1, None, [6, 9]),
        (["Deploying", "Rolling back a bad release"], 2, None, [10, 14]),
        (["Deploying", "Required settings"], 2, None, [15, 20]),
    ]
    row = shown["passages"][-1]
    assert (row["section"], row["lines"]) == (2, [20, 20])
    assert "SHIP_TOKEN_FILE" in row["text"]
    assert instance.json("ls")["documents"] == []
    large = documents / "large.txt"
    large.write_text("# A\n\n" + "word\n\n" * 20_000)
    assert "A" in instance.ctl("preview", str(large)).out


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("missing.md", 4, "There is no file"),
        ("guides", 5, "is a folder"),
        ("pipe.md", 5, "cannot be read"),
        ("huge.md", 5, "larger than the 10 MiB"),
    ],
)
def test_what_cannot_be_previewed(
    instance: Instance, documents: Path, name: str, code: int, sentence: str
) -> None:
    os.mkfifo(documents / "pipe.md")
    with (documents / "huge.md").open("wb") as file:
        file.truncate(10 * 2**20 + 1)
    result = instance.ctl("preview", str(documents / name), check=False)
    assert result.code == code
    assert sentence in result.err
    assert "Traceback" not in result.err
