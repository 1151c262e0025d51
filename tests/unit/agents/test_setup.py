"""Setting up agents, with their own commands and without."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mdmem.agents.catalogue import AGENTS, Places, Scope
from mdmem.agents.server_entry import ServerEntry
from mdmem.agents.setup import install, snippet, uninstall
from mdmem.errors import InvalidRequestError, RefusedError

ENTRY = ServerEntry("mdmem", "/opt/a b/mdmem-mcp")
FILES = [(name, scope) for name, agent in AGENTS.items() for scope in agent.files]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A home without any agent's command."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    return Places(home=str(home), folder=str(folder), codex_home=str(home / ".codex"), is_mac=False)


def content(path: str) -> Any:
    text = Path(path).read_text()
    return tomllib.loads(text) if path.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize(("name", "scope"), FILES)
def test_an_entry_comes_once_and_goes(places: Places, name: str, scope: Scope) -> None:
    agent = AGENTS[name]
    done = install(agent, ENTRY, scope=scope, places=places)
    assert done.changed
    found = content(done.by)[agent.key]["mdmem"]
    assert found["command"] == "/opt/a b/mdmem-mcp"
    assert found["args"] == []
    assert not install(agent, ENTRY, scope=scope, places=places).changed
    assert uninstall(agent, "mdmem", scope=scope, places=places).changed
    assert "mdmem" not in content(done.by).get(agent.key, {})
    assert not uninstall(agent, "mdmem", scope=scope, places=places).changed


@pytest.mark.parametrize(("name", "scope"), FILES)
def test_the_snippet_is_what_is_written(places: Places, name: str, scope: Scope) -> None:
    path, text = snippet(AGENTS[name], ENTRY, scope=scope, places=places)
    done = install(AGENTS[name], ENTRY, scope=scope, places=places)
    assert (path, text) == (done.by, Path(done.by).read_text())
    assert "$" not in text


def test_an_entry_of_another_installation_is_replaced(places: Places) -> None:
    agent = AGENTS["cursor"]
    install(agent, ServerEntry("mdmem", "/old/mdmem-mcp"), scope=Scope.USER, places=places)
    done = install(agent, ENTRY, scope=Scope.USER, places=places)
    assert done.changed
    assert content(done.by)["mcpServers"]["mdmem"]["command"] == "/opt/a b/mdmem-mcp"


def test_a_dry_run_only_tells(places: Places, tmp_path: Path) -> None:
    for agent in AGENTS.values():
        assert install(agent, ENTRY, scope=Scope.USER, places=places, dry_run=True).changed
    assert not (tmp_path / "home").exists()


def test_an_agent_without_projects_says_so(places: Places) -> None:
    with pytest.raises(InvalidRequestError, match="no list of servers for a single project"):
        install(AGENTS["claude-desktop"], ENTRY, scope=Scope.PROJECT, places=places)


def test_settings_of_desktop_programs_on_macos(places: Places) -> None:
    mac = Places(places.home, places.folder, places.codex_home, is_mac=True)
    path, _ = snippet(AGENTS["claude-desktop"], ENTRY, scope=Scope.USER, places=mac)
    assert path == f"{places.home}/Library/Application Support/Claude/claude_desktop_config.json"


def program(tmp_path: Path, name: str, *, status: int = 0) -> Path:
    """A command of an agent that notes how it was called, word by word."""
    log = tmp_path / f"{name}.log"
    script = tmp_path / "bin" / name
    script.write_text(
        f'#!/bin/sh\nfor word in "$@"; do echo "$word" >>{log}; done\necho "no luck" >&2\nexit {status}\n'
    )
    script.chmod(0o755)
    return log


def test_the_own_command_of_an_agent_is_used(places: Places, tmp_path: Path) -> None:
    log = program(tmp_path, "claude")
    done = install(AGENTS["claude-code"], ENTRY, scope=Scope.PROJECT, places=places)
    assert log.read_text().splitlines() == [
        *("mcp", "add", "--scope", "project", "mdmem", "--", "/opt/a b/mdmem-mcp")
    ]
    assert done.by == "claude mcp add --scope project mdmem -- '/opt/a b/mdmem-mcp'"
    assert not (tmp_path / "project" / ".mcp.json").exists()


def test_x10_a_hostile_name_is_one_word(places: Places, tmp_path: Path) -> None:
    log = program(tmp_path, "codex")
    install(AGENTS["codex"], ServerEntry("a;$(b)\nc", "/x"), scope=Scope.USER, places=places)
    assert log.read_text().splitlines() == ["mcp", "add", "a;$(b)", "c", "--", "/x"]


def test_an_old_entry_is_removed_by_the_own_command_first(places: Places, tmp_path: Path) -> None:
    install(AGENTS["claude-code"], ServerEntry("mdmem", "/old"), scope=Scope.USER, places=places)
    log = program(tmp_path, "claude")
    install(AGENTS["claude-code"], ENTRY, scope=Scope.USER, places=places)
    words = log.read_text().splitlines()
    assert words[:2] == ["mcp", "remove"]
    assert words[5:7] == ["mcp", "add"]


def test_vscode_adds_by_its_command_and_removes_by_its_file(places: Places, tmp_path: Path) -> None:
    agent = AGENTS["vscode"]
    written = install(agent, ENTRY, scope=Scope.USER, places=places)
    uninstall(agent, "mdmem", scope=Scope.USER, places=places)
    log = program(tmp_path, "code")
    install(agent, ENTRY, scope=Scope.USER, places=places)
    option, value = log.read_text().splitlines()
    assert option == "--add-mcp"
    assert json.loads(value) == {"name": "mdmem", "command": "/opt/a b/mdmem-mcp", "args": []}
    Path(written.by).write_text(json.dumps({"servers": {"mdmem": {}}}))
    assert uninstall(agent, "mdmem", scope=Scope.USER, places=places).by == written.by


def test_a_command_that_fails_is_told_with_its_words(places: Places, tmp_path: Path) -> None:
    program(tmp_path, "codex", status=3)
    with pytest.raises(RefusedError, match="no luck"):
        install(AGENTS["codex"], ENTRY, scope=Scope.USER, places=places)


def test_what_codex_leaves_out_is_no_difference(places: Places) -> None:
    path = Path(places.codex_home) / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[mcp_servers.mdmem]\ncommand = "/opt/a b/mdmem-mcp"\nstartup_timeout_sec = 9\n')
    assert not install(AGENTS["codex"], ENTRY, scope=Scope.USER, places=places).changed
