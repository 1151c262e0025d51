"""Saved indexes of real daemons: killed at random moments, and with files that may not grow.

``MDMEM_KILLS=200`` kills that many times instead of a few.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.private_daemon import CEILING_SECONDS, Instance

pytestmark = pytest.mark.e2e

KILLS = int(os.environ.get("MDMEM_KILLS", "6"))
FILES = 60
FILE_BYTES_MAX = 24 * 1024
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
LIFE_SECONDS_MAX = 4.0
"""A daemon is killed between its readiness and this: over the first walk, embedding, and the first save."""


def text(choose: random.Random, number: int) -> str:
    paragraphs = [" ".join(choose.choices(WORDS, k=8)) for _ in range(3)]
    return f"# Title {number}\n\n" + f"\n\n## Part {choose.randint(0, 9)}\n\n".join(paragraphs) + "\n"


def seen(instance: Instance, root: str) -> dict[str, Any]:
    """What the root answers, once all of it is in."""
    instance.ctl("root", "add", root, "--name", "docs", "--wait")
    answer = {}
    for question in ("alpha beta", "theta", "Title 7"):
        found = instance.json("search", question, "--limit", "50", "--mode", "keyword")
        assert found["state"]["fresh"], found["state"]
        answer[question] = sorted(
            (hit["path"], hit["lines"], round(hit["score"], 3)) for hit in found["hits"]
        )
    state = found["state"]
    assert state["embedded"] == state["passages"]
    answer["counts"] = [state[name] for name in ("documents", "sections", "passages")]
    answer["documents"] = [row["path"] for row in instance.json("ls")["documents"]]
    return json.loads(json.dumps(answer))


def test_killed_at_random_moments_it_answers_like_a_fresh_index(instance: Instance, tmp_path: Path) -> None:
    """D14, W18: while it indexes, embeds and saves, with files changing all the time."""
    choose = random.Random(1)
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(FILES):
        (documents / f"{number}.md").write_text(text(choose, number))
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait=keyword")
    for _ in range(KILLS):
        pid = instance.pid()
        killed = threading.Timer(choose.uniform(0, LIFE_SECONDS_MAX), os.kill, (pid, signal.SIGKILL))
        killed.start()
        while killed.is_alive():
            number = choose.randrange(FILES)
            path = documents / f"{number}.md"
            if choose.random() < 0.1:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text(choose, number))
            instance.ctl("search", "alpha", check=False, environment={"MDMEM_NO_START": "1"})
        killed.join()
        status = instance.json("status")  # starts the next one
        assert [root["name"] for root in status["roots"]] == ["docs"]
        assert [message for message in status["messages"] if "vector cache" in message] == []
        instance.ctl("search", "alpha")
    after = seen(instance, str(documents))
    assert "Traceback" not in instance.log
    other = Instance(tmp_path / "fresh")
    try:
        assert after == seen(other, str(documents))
    finally:
        other.close()


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, resource.RLIM_INFINITY))


def test_files_that_may_not_grow_cost_no_answer(instance: Instance, documents: Path, tmp_path: Path) -> None:
    """T10: a real limit of the size of a file stops the save; the daemon says so and goes on."""
    for number in range(200):
        (documents / f"{number}.md").write_text(text(random.Random(number), number))
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    instance.ctl("stop")
    (folder,) = (instance.home / "cache/index").iterdir()
    saved = {path.name: path.read_bytes() for path in folder.iterdir()}
    for number in range(100):
        (documents / f"{number}.md").write_text(text(random.Random(1_000 + number), number))
    started = instance.spawn("mdmem", "start", preexec_fn=limit_files)  # its daemon inherits the limit
    started.communicate(timeout=CEILING_SECONDS)
    instance.ctl("search", "alpha")
    instance.ctl("stop")
    assert "cannot be saved" in instance.log
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == saved
    assert seen(instance, str(documents))["counts"][0] == 203


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limit of a running daemon is lifted")
def test_a_disk_that_is_full_and_freed_again(instance: Instance, documents: Path) -> None:
    """T10, T6: status says so, nothing is lost, and the next save succeeds and takes the message away."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    instance.ctl("gc")  # saves
    (folder,) = (instance.home / "cache/index").iterdir()
    saved = {path.name: path.read_bytes() for path in folder.iterdir()}
    pid = instance.pid()
    no_limit = resource.prlimit(pid, resource.RLIMIT_FSIZE, (FILE_BYTES_MAX, resource.RLIM_INFINITY))
    for number in range(200):
        (documents / f"{number}.md").write_text(text(random.Random(number), number))
    instance.ctl("index", "--wait")
    refused = instance.ctl("gc", check=False)
    messages = instance.json("status")["messages"]
    assert refused.code == 0 or "cannot be changed" in refused.err
    assert [message for message in messages if "docs cannot be saved" in message]
    assert {name: (folder / name).read_bytes() for name in saved} == saved
    assert instance.json("search", "alpha", "--mode", "keyword")["hits"]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, no_limit)
    instance.ctl("gc")
    assert not [each for each in instance.json("status")["messages"] if "cannot be saved" in each]
    assert instance.pid() == pid
    assert seen(instance, str(documents))["counts"][0] == 203
