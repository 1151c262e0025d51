"""What each command asks of the daemon."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from mdmem_proto.messages import (
    ChangesParams,
    Filter,
    ListParams,
    OutlineParams,
    PreviewParams,
    ReadParams,
    RootAddParams,
    RootWaitParams,
    SearchParams,
    SyncParams,
)
from mdmem_proto.release import VERSION
from mdmem_testkit import wire_values as values
from mdmem_testkit.ctl import Ctl
from mdmem_testkit.fake_daemon import FakeDaemon
from mdmem_testkit.fake_mdmemd import environment, starts


def test_search(ctl: Ctl, daemon: FakeDaemon) -> None:
    outcome = ctl("search", "a", "b", "--root", "x", "--root", "y", "--limit", "7", "--mode", "semantic", "c")
    assert outcome.code == 0
    assert daemon.requests == [
        ("search", SearchParams(query="a b c", roots=("x", "y"), limit=7, mode="semantic"))
    ]


FILTER_WORDS = (
    *("--tag", "a", "--tag", "b", "--prop", "status=done", "--path", "docs/*.md", "--group", "docs"),
    *(
        "--since",
        "7d",
        "--before",
        "today",
        "--kind",
        "memory",
        "--links-to",
        "a.md",
        "--linked-from",
        "b.md",
    ),
)
FILTER = Filter(
    groups=("docs",),
    paths=("docs/*.md",),
    tags=("a", "b"),
    properties=("status=done",),
    since="7d",
    before="today",
    kind="memory",
    links_to="a.md",
    linked_from="b.md",
)


def test_filters(ctl: Ctl, daemon: FakeDaemon) -> None:
    assert ctl("search", "x", *FILTER_WORDS).code == 0
    assert ctl("ls", "docs", *FILTER_WORDS).code == 0
    assert daemon.requests == [
        ("search", SearchParams(query="x", filter=FILTER)),
        ("list", ListParams(prefix="docs", filter=FILTER)),
    ]


def test_paths_of_filters_may_begin_in_the_current_folder(
    ctl: Ctl, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ctl("search", "x", "--path", "./docs/*.md", "--links-to", "./a.md")
    chosen = Filter(paths=(f"{tmp_path}/docs/*.md",), links_to=f"{tmp_path}/a.md")
    assert daemon.requests == [("search", SearchParams(query="x", filter=chosen))]


def test_read(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("read", "a.md", "A > B", "--root", "x", "--part", "2", "--include-subsections")
    assert daemon.requests == [
        ("read", ReadParams("a.md", heading="A > B", root="x", part=2, include_subsections=True))
    ]


def test_every_question_says_how_long_it_may_wait(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("search", "a", "--fresh", "off")
    ctl("read", "a.md", "--fresh=wait")
    ctl("outline", "a.md", "--fresh", "wait=5")
    ctl("ls", "--fresh", "off")
    assert daemon.requests == [
        ("search", SearchParams("a", fresh="off")),
        ("read", ReadParams("a.md", fresh="wait")),
        ("outline", OutlineParams("a.md", fresh="wait=5")),
        ("list", ListParams(fresh="off")),
    ]


def test_sync(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("sync")
    ctl("sync", "x", "y", "--vectors")
    assert daemon.requests == [
        ("sync", SyncParams()),
        ("sync", SyncParams(roots=("x", "y"), until="embedded")),
    ]


def test_changes(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("changes")
    ctl("changes", "x", "--since", "1700000000123")
    ctl("changes", "--since", "2020-01-31T08:00:00+00:00")
    assert daemon.requests == [
        ("changes", ChangesParams()),
        ("changes", ChangesParams(roots=("x",), since_tick=1_700_000_000_123)),
        ("changes", ChangesParams(since_time=1_580_457_600.0)),
    ]
    before = time.time() - 7_200
    ctl("changes", "--since", "2h")
    asked = daemon.requests[-1][1]
    assert isinstance(asked, ChangesParams)
    assert before <= (asked.since_time or 0) <= time.time() - 7_200


@pytest.mark.parametrize("since", ["soon", "5 m", "-1", "2020-13-01", "9" * 30])
def test_a_moment_that_is_none_is_a_usage_error(ctl: Ctl, daemon: FakeDaemon, since: str) -> None:
    assert ctl("changes", "--since", since).code == 2
    assert daemon.requests == []


def test_read_prints_the_bytes_of_the_section(ctl: Ctl, daemon: FakeDaemon) -> None:
    assert ctl("read", "a.md", "-q").out == values.READ.text.encode()


@pytest.mark.parametrize("path", ["docs/a.md", "/src/uv/docs/a.md", ".hidden/a.md", "..a.md"])
def test_a_path_is_one_of_a_root(ctl: Ctl, daemon: FakeDaemon, path: str) -> None:
    ctl("outline", path)
    assert daemon.requests == [("outline", OutlineParams(path))]


def test_a_path_that_begins_with_a_dot_is_one_of_the_current_folder(
    ctl: Ctl, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    ctl("read", "./a.md")
    ctl("outline", "../b.md", "--root", "x")
    assert daemon.requests == [
        ("read", ReadParams(f"{tmp_path}/docs/a.md")),
        ("outline", OutlineParams(f"{tmp_path}/b.md", root="x")),
    ]


def test_preview(ctl: Ctl, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is one of the current folder, whatever roots there are."""
    monkeypatch.chdir(tmp_path)
    ctl("preview", "docs/a.md")
    ctl("preview", "--chunk-mode", "window", "/b.txt")
    assert daemon.requests == [
        ("preview", PreviewParams(f"{tmp_path}/docs/a.md")),
        ("preview", PreviewParams("/b.txt", chunk_mode="window")),
    ]
    assert ctl("preview", "--chunk-mode", "paragraph", "a.md").code == 2


def test_the_json_of_a_preview_is_the_one_that_programs_rely_on(ctl: Ctl, daemon: FakeDaemon) -> None:
    value = ctl("preview", "a.md", "--json").json
    keys = "front_matter title sections passages links tags problems"
    assert list(value) == keys.split()
    assert list(value["sections"][0]) == ["heading_path", "level", "part", "lines", "tokens"]
    assert list(value["passages"][0]) == ["section", "lines", "text"]
    assert list(value["links"][0]) == ["target", "path", "heading", "line", "embed"]
    assert list(value["problems"][0]) == ["kind", "line", "message"]


def test_ls(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("ls", "docs", "--root", "x", "--tag", "ops")
    ctl("ls", "/src/uv/docs")
    ctl("ls")
    assert daemon.requests == [
        ("list", ListParams(roots=("x",), filter=Filter(paths=("docs",), tags=("ops",)))),
        ("list", ListParams(filter=Filter(paths=("/src/uv/docs",)))),
        ("list", ListParams()),
    ]


@pytest.mark.parametrize(
    ("words", "until"),
    [
        (["DOCS"], None),
        (["DOCS", "--wait"], "embedded"),
        (["--wait", "DOCS"], "embedded"),
        (["DOCS", "--wait=embedded"], "embedded"),
        (["--wait=keyword", "DOCS"], "keyword"),
        (["--wait=keyword", "--", "DOCS"], "keyword"),
    ],
    ids=str,
)
def test_root_add(
    ctl: Ctl,
    daemon: FakeDaemon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    until: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = ctl("root", "add", "--name", "n", "--chunk-mode", "window", *words)
    assert outcome.code == 0
    add = ("roots.add", RootAddParams(f"{tmp_path}/DOCS", name="n", chunk_mode="window"))
    # It waits for the name that the daemon gave.
    wait = [("roots.wait", RootWaitParams(values.TROUBLED_ROOT.name, until=until))] if until else []  # type: ignore[arg-type]
    assert daemon.requests == [add, *wait]
    # Without a terminal progress is one line a phase, without control codes (C3), and none where quiet.
    progress = "indexing 202 files\nembedding 9,320 passages\n"
    assert outcome.err == (progress if until else "mdmemctl: notes: a part of it is out of order\n")
    assert ctl("root", "add", "DOCS", "--wait", "-q").err == ""


def test_a_folder_named_like_the_option_is_a_folder(
    ctl: Ctl, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ctl("root", "add", "--", "--wait")
    assert daemon.requests == [("roots.add", RootAddParams(f"{tmp_path}/--wait"))]


def test_start_stop_and_version(ctl: Ctl, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(home, "serve").items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MDMEM_NO_START")
    assert ctl("start", "--no-start").code == 3
    assert ctl("stop", "--json").json == {"stopped": False, "pid": None}
    assert ctl("version", "--json").json["daemon"] is None
    assert starts(home) == 0
    started = ctl("start", "--json").json
    assert started["version"] == VERSION
    assert started["socket"] == f"{home}/run/mdmem.sock"
    assert ctl("start").out.decode() == (
        f"mdmemd {VERSION} runs as process {started['pid']} at {started['socket']}\n"
    )
    assert ctl("version", "--json").json["daemon"] == {"version": VERSION, "interpreter": sys.executable}
    assert ctl("stop", "--json").json == {"stopped": True, "pid": started["pid"]}
    assert starts(home) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_the_shell(ctl: Ctl, shell: str) -> None:
    script = ctl("completion", shell).out.decode()
    assert f"_MDMEMCTL_COMPLETE={shell}_complete" in script
    assert ctl("completion", shell, "--json").json["script"] in script


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mdmemctl sea", ["search"]),
        ("mdmemctl root ", ["add", "list", "show", "set", "remove"]),
        ("mdmemctl root remove u", ["uv"]),
        ("mdmemctl search x --root ", ["notes", "uv"]),
        ("mdmemctl search x --mode k", ["keyword"]),
    ],
)
def test_a_shell_gets_its_completions(
    daemon: FakeDaemon,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    expected: list[str],
) -> None:
    from mdmem.cli.group import mdmemctl

    typed = words.split(" ")
    monkeypatch.setenv("_MDMEMCTL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(typed) - 1))
    with pytest.raises(SystemExit):
        mdmemctl.main(prog_name="mdmemctl")
    assert [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()] == expected


def test_completion_of_roots_is_empty_without_a_daemon(home: Path) -> None:
    from mdmem.cli.options import complete_root

    assert complete_root(None, None, "") == []  # type: ignore[arg-type]
