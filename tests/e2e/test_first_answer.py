"""The whole path with the installed commands, a real daemon and the real built-in model."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from mdmem_testkit.private_daemon import CEILING_SECONDS, Instance

pytestmark = pytest.mark.e2e


def test_from_nothing_to_the_one_section_that_answers(instance: Instance, documents: Path) -> None:
    added = instance.json("root", "add", str(documents), "--name", "docs", "--wait")
    assert added["root"]["state"] == "ready"
    assert added["root"]["documents"] == 3

    # No word of the question but "new" is in the section: meaning finds it.
    answer = instance.json("search", "get back to the old version when the new one is broken")
    best = answer["hits"][0]
    assert (best["root"], best["path"]) == ("docs", "guides/deploy.md")
    assert best["heading_path"] == ["Deploying", "Rolling back a bad release"]
    assert best["lines"] == [10, 14]
    assert "shipctl undo --to-previous" in best["excerpt"]["text"]
    first, last = best["excerpt"]["lines"]
    assert (documents / "guides/deploy.md").read_text().splitlines()[first - 1 : last] == best["excerpt"][
        "text"
    ].splitlines()
    assert all(hit["excerpt"] is None for hit in answer["hits"][1:])
    state = answer["state"]
    assert state["mode"] == "hybrid"
    assert state["degraded"] is None
    assert state["fresh"] is True
    assert state["coverage"] == "complete"
    assert state["documents"] == 3
    assert state["passages"] == state["embedded"] > 0


def test_the_json_of_a_search_is_the_one_that_programs_rely_on(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--wait")
    answer = instance.json("search", "lentils", "--limit", "2")
    assert list(answer) == ["query", "hits", "state", "cursor", "near_misses", "did_you_mean"]
    hit = "root path heading_path part lines tokens score kind excerpt matched_passage also_in"
    assert list(answer["hits"][0]) == [*hit.split(), "contributions", "lowered_for", "id"]
    state = "mode degraded fresh pending_files documents sections passages embedded coverage"
    assert list(answer["state"])[:12] == [*state.split(), "keyword_match", "exact_sections", "took_ms"]
    assert answer["state"]["keyword_match"] == "matched"
    assert answer["state"]["exact_sections"] == 1


def test_identifiers_are_found_whole_and_unknown_ones_abstain(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--wait")
    assert instance.json("search", "SHIP_TOKEN_FILE")["hits"][0]["heading_path"][-1] == "Required settings"
    assert instance.json("search", "--", "--with-plugins")["hits"][0]["heading_path"][-1] == "Editor"
    nothing = instance.json("search", "SHIP_NO_SUCH_THING")
    assert nothing["hits"] == []
    assert nothing["state"]["keyword_match"] == "no_match"


def test_read_outline_and_ls(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait=keyword")
    lines = (documents / "guides/deploy.md").read_text().splitlines()
    text = instance.json("read", "guides/deploy.md", "rolling back a bad release")["text"]
    assert text == "".join(f"{line}\n" for line in lines[9:14])
    nodes = instance.json("outline", "setup.md")["nodes"]
    assert [node["title"] for node in nodes] == ["Setting up a workstation"]
    assert [node["title"] for node in nodes[0]["children"]] == ["Editor", "Keyboard"]
    rows = instance.json("ls")["documents"]
    assert [row["path"] for row in rows] == ["cookbook.md", "guides/deploy.md", "guides/setup.md"]
    for folder in ("guides", str(documents / "guides")):
        rows = instance.json("ls", folder)["documents"]
        assert [row["path"] for row in rows] == ["guides/deploy.md", "guides/setup.md"]
    absent = instance.ctl("ls", "guide", check=False)
    assert absent.code == 4
    assert "  guides\n" in absent.err


def test_filters_choose_documents_also_after_a_restart(instance: Instance, documents: Path) -> None:
    (documents / "note.md").write_text("---\ntags: [ops]\n---\n# Note\n\nSee [it](guides/deploy.md): ship.\n")
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    for _ in range(2):
        answer = instance.json("search", "ship a release", "--tag", "ops")
        assert [hit["path"] for hit in answer["hits"]] == ["note.md"]
        assert answer["state"]["filtered_sections"] == 1
        rows = instance.json("ls", "--links-to", "deploy.md", "--since", "yesterday")["documents"]
        assert [row["path"] for row in rows] == ["note.md"]
        rows = instance.json("ls", "--path", "s*.md", "--group", "guides")["documents"]
        assert [row["path"] for row in rows] == ["guides/setup.md"]
        unknown = instance.ctl("search", "x", "--tag", "opps", check=False)
        assert unknown.code == 4
        assert "ops" in unknown.err
        instance.ctl("stop")


def test_a_save_is_in_the_next_answer(instance: Instance, documents: Path) -> None:
    """W2, C9, T3: edits, new and deleted files, without a watcher's delay."""
    instance.ctl("root", "add", str(documents), "--wait")
    (documents / "new.md").write_text("# Beekeeping\n\nThe hive needs a quiet xylotherapy corner.\n")
    answer = instance.json("search", "xylotherapy")
    assert answer["hits"][0]["path"] == "new.md"
    assert answer["state"]["fresh"] is True
    temporary = documents / ".new.md.tmp"
    temporary.write_text("# Beekeeping\n\nThe hive needs a loud zymosis corner.\n")
    os.replace(temporary, documents / "new.md")
    assert instance.json("search", "xylotherapy", "--mode", "keyword")["hits"] == []
    assert "zymosis" in instance.json("search", "zymosis")["hits"][0]["excerpt"]["text"]
    (documents / "new.md").unlink()
    answer = instance.json("search", "zymosis", "--mode", "keyword")
    assert answer["hits"] == []
    assert answer["state"]["documents"] == 3


def test_a_restart_embeds_nothing_again(instance: Instance, documents: Path) -> None:
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    before = instance.pid()
    instance.ctl("stop")
    waited = instance.json("root", "add", str(documents), "--wait")
    assert waited["created"] is False
    assert instance.pid() != before
    assert instance.json("search", "sourdough starter")["state"]["mode"] == "hybrid"
    status = instance.json("status")
    assert (status["model"]["computed"], status["model"]["from_cache"]) == (0, 0)
    assert status["roots"][0]["embedded"] == status["roots"][0]["passages"] > 0


def test_a_restart_without_the_saved_index_embeds_nothing_again(instance: Instance, documents: Path) -> None:
    """T7: the saved index is a cache, and its loss costs no run of the model."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    instance.ctl("stop")
    shutil.rmtree(instance.home / "cache/index")
    instance.ctl("root", "add", str(documents), "--wait")
    model = instance.json("status")["model"]
    assert model["computed"] == 0
    assert model["from_cache"] > 0


def test_a_kill_loses_nothing(instance: Instance, documents: Path) -> None:
    """D5: the socket file of a dead daemon is in the way of nobody."""
    instance.ctl("root", "add", str(documents), "--name", "docs", "--wait")
    os.kill(instance.pid(), signal.SIGKILL)
    answer = instance.json("search", "lentil soup")
    assert answer["hits"][0]["path"] == "cookbook.md"


def test_twenty_clients_at_once_start_one_daemon_and_all_get_answers(
    instance: Instance, documents: Path
) -> None:
    """D1."""
    instance.ctl("root", "add", str(documents), "--wait")
    instance.ctl("stop")
    clients = [instance.spawn("mdmem", "search", "--json", "lentil soup") for _ in range(20)]
    results = [client.communicate(timeout=CEILING_SECONDS) for client in clients]
    assert [client.returncode for client in clients] == [0] * 20, results[0]
    assert all(b"cookbook.md" in out for out, _ in results)
    assert instance.log.count(" serves ") == 2


def test_two_homes_are_two_instances(instance: Instance, documents: Path, tmp_path: Path) -> None:
    """D11."""
    other = Instance(tmp_path / "other")
    try:
        instance.ctl("root", "add", str(documents), "--wait=keyword")
        assert other.json("root", "list")["roots"] == []
        assert other.pid() != instance.pid()
    finally:
        other.close()


def test_a_home_too_deep_for_a_socket_works(tmp_path: Path, documents: Path) -> None:
    """D3."""
    deep = Instance(tmp_path / ("d" * 90) / ("e" * 90))
    try:
        deep.ctl("root", "add", str(documents), "--wait=keyword")
        status = deep.json("status")["daemon"]
        assert len(os.fsencode(status["socket"])) < 104
    finally:
        deep.close()


def test_a_second_daemon_says_who_runs(instance: Instance) -> None:
    pid = instance.pid()
    second = instance.spawn("mdmemd")
    _, err = second.communicate(timeout=CEILING_SECONDS)
    assert second.returncode == 3
    assert f"process {pid}" in err.decode()


def test_sigterm_ends_the_daemon_cleanly(instance: Instance) -> None:
    daemon = instance.spawn("mdmemd")
    assert daemon.stderr is not None
    for line in daemon.stderr:
        if b" serves " in line:
            break
    daemon.send_signal(signal.SIGTERM)
    _, err = daemon.communicate(timeout=CEILING_SECONDS)
    assert daemon.returncode == 0
    assert b"has stopped" in err
    assert not (instance.home / "run/mdmem.sock").exists()
