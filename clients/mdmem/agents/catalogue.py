"""The agents that mdmem can be given to, as data: their files, their shape, their own commands.

Adding an agent is adding an entry to ``AGENTS``. Paths and shapes are those that each program documents for
its MCP servers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mdmem.agents.server_entry import ServerEntry


class Scope(StrEnum):
    """For all projects of the user, or for the project in the working directory."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Places:
    """What the paths of configuration files hang on."""

    home: str
    folder: str
    codex_home: str
    is_mac: bool

    @classmethod
    def here(cls) -> Places:
        """Those of this process."""
        home = os.path.expanduser("~")
        codex = os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
        return cls(home=home, folder=os.getcwd(), codex_home=codex, is_mac=sys.platform == "darwin")

    def application(self, name: str) -> str:
        """Where a desktop program keeps its settings."""
        parent = "Library/Application Support" if self.is_mac else ".config"
        return os.path.join(self.home, parent, name)


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """An agent's own program for its list of servers.

    Each function gives the words behind ``program``; ``remove`` is ``None`` where it has no such command.
    ``replaces`` says whether adding under a name in use replaces that entry; else it must be removed first.
    """

    program: str
    add: Callable[[ServerEntry, Scope], list[str]]
    remove: Callable[[str, Scope], list[str]] | None
    replaces: bool


@dataclass(frozen=True, slots=True)
class Agent:
    """One program: ``files`` by scope, the key of its table of servers, and the shape of an entry."""

    title: str
    files: dict[Scope, Callable[[Places], str]]
    key: str
    is_toml: bool = False
    with_type: bool = False
    own_command: OwnCommand | None = None
    own_command_scopes: tuple[Scope, ...] = ()

    def value(self, entry: ServerEntry) -> dict[str, Any]:
        """The entry as this program writes it."""
        kind = {"type": "stdio"} if self.with_type else {}
        return {**kind, "command": entry.command, "args": list(entry.arguments)}


def _vscode_add(entry: ServerEntry, _scope: Scope) -> list[str]:
    import json

    value = {"name": entry.name, "command": entry.command, "args": list(entry.arguments)}
    return ["--add-mcp", json.dumps(value)]


AGENTS: dict[str, Agent] = {
    "claude-code": Agent(
        title="Claude Code",
        files={
            Scope.USER: lambda places: os.path.join(places.home, ".claude.json"),
            Scope.PROJECT: lambda places: os.path.join(places.folder, ".mcp.json"),
        },
        key="mcpServers",
        with_type=True,
        own_command=OwnCommand(
            program="claude",
            add=lambda entry, scope: [
                *("mcp", "add", "--scope", scope, entry.name, "--", entry.command),
                *entry.arguments,
            ],
            remove=lambda name, scope: ["mcp", "remove", "--scope", scope, name],
            replaces=False,
        ),
        own_command_scopes=(Scope.USER, Scope.PROJECT),
    ),
    "codex": Agent(
        title="Codex",
        files={
            Scope.USER: lambda places: os.path.join(places.codex_home, "config.toml"),
            Scope.PROJECT: lambda places: os.path.join(places.folder, ".codex", "config.toml"),
        },
        key="mcp_servers",
        is_toml=True,
        own_command=OwnCommand(
            program="codex",
            add=lambda entry, _scope: ["mcp", "add", entry.name, "--", entry.command, *entry.arguments],
            remove=lambda name, _scope: ["mcp", "remove", name],
            replaces=True,
        ),
        own_command_scopes=(Scope.USER,),
    ),
    "claude-desktop": Agent(
        title="Claude Desktop",
        files={
            Scope.USER: lambda places: os.path.join(
                places.application("Claude"), "claude_desktop_config.json"
            )
        },
        key="mcpServers",
    ),
    "cursor": Agent(
        title="Cursor",
        files={
            Scope.USER: lambda places: os.path.join(places.home, ".cursor", "mcp.json"),
            Scope.PROJECT: lambda places: os.path.join(places.folder, ".cursor", "mcp.json"),
        },
        key="mcpServers",
        with_type=True,
    ),
    "vscode": Agent(
        title="VS Code",
        files={
            Scope.USER: lambda places: os.path.join(places.application("Code"), "User", "mcp.json"),
            Scope.PROJECT: lambda places: os.path.join(places.folder, ".vscode", "mcp.json"),
        },
        key="servers",
        with_type=True,
        own_command=OwnCommand(program="code", add=_vscode_add, remove=None, replaces=True),
        own_command_scopes=(Scope.USER,),
    ),
}
