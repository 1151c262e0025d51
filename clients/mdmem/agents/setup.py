"""Give mdmem to an agent, take it away, or show what to paste.

The agent's own command is used where it is installed, because it knows where its settings are; else its
file is changed. Invariants: doing either again changes nothing and says so; nothing passes through a shell,
so no name or path is ever taken for syntax.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass

from mdmem.agents.catalogue import Agent, OwnCommand, Places, Scope
from mdmem.agents.config_file import Table, change_json, change_toml, json_text, toml_text
from mdmem.agents.server_entry import ServerEntry
from mdmem.errors import InvalidRequestError, RefusedError

OWN_COMMAND_SECONDS = 60.0
"""Some of these programs take seconds to start."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: ``changed`` is false where it was so before; ``by`` is a file or a command line."""

    agent: str
    changed: bool
    by: str


def install(agent: Agent, entry: ServerEntry, *, scope: Scope, places: Places, dry_run: bool = False) -> Done:
    """Have the agent start ``entry``; replaces an entry of that name.

    Raises ``InvalidRequestError`` for a scope that the agent does not have, ``RefusedError`` where its file
    or its command does not allow it.
    """
    path = _path(agent, scope, places)
    if _holds(agent, path, entry):
        return Done(agent.title, changed=False, by=path)
    own = _own_command(agent, scope)
    if own is None:
        return Done(agent.title, changed=_put(agent, path, entry, dry_run=dry_run), by=path)
    command = [own.program, *own.add(entry, scope)]
    if not dry_run:
        if not own.replaces and own.remove is not None and _holds_name(agent, path, entry.name):
            _run([own.program, *own.remove(entry.name, scope)])
        _run(command)
    return Done(agent.title, changed=True, by=shlex.join(command))


def uninstall(agent: Agent, name: str, *, scope: Scope, places: Places, dry_run: bool = False) -> Done:
    """Take the entry ``name`` away. Raises as ``install`` does."""
    path = _path(agent, scope, places)
    if not _holds_name(agent, path, name):
        return Done(agent.title, changed=False, by=path)
    own = _own_command(agent, scope)
    if own is not None and own.remove is not None:
        command = [own.program, *own.remove(name, scope)]
        if not dry_run:
            _run(command)
        return Done(agent.title, changed=True, by=shlex.join(command))

    def remove(table: Table) -> None:
        table[agent.key].pop(name)

    change = change_toml if agent.is_toml else change_json
    return Done(agent.title, changed=change(path, remove, dry_run=dry_run), by=path)


def snippet(agent: Agent, entry: ServerEntry, *, scope: Scope, places: Places) -> tuple[str, str]:
    """The file of the agent, and what to put there by hand."""
    path = _path(agent, scope, places)
    content = {agent.key: {entry.name: agent.value(entry)}}
    return path, toml_text(content) if agent.is_toml else json_text(content)


def _path(agent: Agent, scope: Scope, places: Places) -> str:
    if scope not in agent.files:
        raise InvalidRequestError(
            f"{agent.title} has no list of servers for a single project.", remedy="Use --scope user."
        )
    return agent.files[scope](places)


def _own_command(agent: Agent, scope: Scope) -> OwnCommand | None:
    own = agent.own_command
    usable = own is not None and scope in agent.own_command_scopes and shutil.which(own.program) is not None
    return own if usable else None


def _put(agent: Agent, path: str, entry: ServerEntry, *, dry_run: bool) -> bool:
    def put(table: Table) -> None:
        table.setdefault(agent.key, {})[entry.name] = agent.value(entry)

    change = change_toml if agent.is_toml else change_json
    return change(path, put, dry_run=dry_run)


def _holds(agent: Agent, path: str, entry: ServerEntry) -> bool:
    """Whether the file has this entry; what the program or its user added to it does not matter."""
    found = _servers(agent, path).get(entry.name)
    if not isinstance(found, dict):
        return False
    return found.get("command") == entry.command and [*found.get("args", ())] == [*entry.arguments]


def _holds_name(agent: Agent, path: str, name: str) -> bool:
    return name in _servers(agent, path)


def _servers(agent: Agent, path: str) -> Table:
    """The table of servers as it is; empty where the file has none."""
    found: Table = {}

    def look(table: Table) -> None:
        servers = table.get(agent.key, {})
        if not isinstance(servers, dict):
            raise TypeError(agent.key)
        found.update(servers)

    change = change_toml if agent.is_toml else change_json
    change(path, look, dry_run=True)
    return found


def _run(command: list[str]) -> None:
    """Run an agent's own command; raises ``RefusedError`` with what it said."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=OWN_COMMAND_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RefusedError(
            f"`{shlex.join(command)}` failed: {error}.", remedy="Run it yourself to see more."
        ) from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
        raise RefusedError(
            f"`{shlex.join(command)}` failed: {said[-1]}", remedy="Run it yourself to see more."
        )
