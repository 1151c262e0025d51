"""``mdmemctl mcp``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest

from mdmem.agents.server_entry import shim_path
from mdmem_proto.messages import RootListResult
from mdmem_testkit import wire_values as values
from mdmem_testkit.ctl import Ctl
from mdmem_testkit.fake_daemon import FakeDaemon


@pytest.fixture
def user(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without agents' commands."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.chdir(home)
    return home


def test_install_and_uninstall(ctl: Ctl, user: Path) -> None:
    outcome = ctl("mcp", "install", "cursor")
    assert outcome.out.decode() == f"Cursor: added by {user}/.cursor/mcp.json\n"
    servers = json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["mdmem"]["command"] == shim_path()
    assert ctl("mcp", "install", "cursor").out.decode() == f"Cursor has it already: {user}/.cursor/mcp.json\n"
    assert ctl("mcp", "uninstall", "cursor", "--json").json["changed"] is True
    assert ctl("mcp", "uninstall", "cursor", "--json").json["changed"] is False


def test_a_project_is_told_that_the_path_is_of_this_machine(ctl: Ctl, user: Path) -> None:
    outcome = ctl("mcp", "install", "claude-code", "--scope", "project")
    assert "of this machine" in outcome.err
    assert (user / ".mcp.json").exists()


def test_a_tool_set_is_part_of_the_entry(ctl: Ctl, user: Path) -> None:
    ctl("mcp", "install", "cursor", "--tools", "markdex")
    servers = json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert servers["mdmem"]["args"] == ["--tools", "markdex"]
    assert ctl("mcp", "install", "cursor", "--json").json["changed"] is True, "the set is given up again"
    assert '"--tools"' in ctl("mcp", "print", "cursor", "--tools", "docsearch").out.decode()
    wrong = ctl("mcp", "install", "cursor", "--tools", "nonsense")
    assert wrong.code == 2
    assert "markdown-memory" in wrong.err


def test_a_dry_run(ctl: Ctl, user: Path) -> None:
    outcome = ctl("mcp", "install", "vscode", "--dry-run")
    assert outcome.out.decode().startswith("would add it: ")
    assert list(user.iterdir()) == []


def test_an_unknown_agent_is_a_usage_error(ctl: Ctl, user: Path) -> None:
    outcome = ctl("mcp", "install", "emacs")
    assert outcome.code == 2
    assert "claude-code" in outcome.err


@pytest.mark.parametrize("agent", ["claude-code", "codex", "agents-md"])
def test_print(ctl: Ctl, user: Path, agent: str) -> None:
    outcome = ctl("mcp", "print", agent)
    assert outcome.code == 0
    assert (shim_path() if agent != "agents-md" else "search_docs") in outcome.out.decode()


def test_plugin(ctl: Ctl, user: Path) -> None:
    assert ctl("mcp", "plugin", "mdmem-plugin").code == 0
    assert (user / "mdmem-plugin" / ".claude-plugin" / "plugin.json").exists()


def read_event(path: Path) -> io.StringIO:
    return io.StringIO(json.dumps({"tool_name": "Read", "tool_input": {"file_path": str(path)}}))


def test_d13_the_hook_without_a_daemon_is_silent_and_starts_none(
    ctl: Ctl, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MDMEM_NO_START")
    long_file = user / "long.md"
    long_file.write_text("x" * 20_000)
    monkeypatch.setattr("sys.stdin", read_event(long_file))
    outcome = ctl("mcp", "hook")
    assert (outcome.code, outcome.out, outcome.err) == (0, b"", "")
    assert [path.name for path in user.iterdir()] == ["long.md"]


def test_the_hook_with_a_daemon_that_knows_the_folder(
    ctl: Ctl,
    user: Path,
    daemon: FakeDaemon,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("docs").resolve()
    (folder / "long.md").write_text("x" * 20_000)
    root = msgspec.structs.replace(values.ROOT, path=str(folder))
    daemon.script["roots.list"] = [RootListResult(roots=(root,))]
    monkeypatch.setattr("sys.stdin", read_event(folder / "long.md"))
    assert "additionalContext" in ctl("mcp", "hook").out.decode()
