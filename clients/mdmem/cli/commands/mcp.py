"""``mdmemctl mcp install``, ``uninstall``, ``print``, ``plugin`` and ``hook``: mdmem for coding agents."""

from __future__ import annotations

import os
import sys

import click

from mdmem.agents.catalogue import AGENTS, Places, Scope
from mdmem.agents.server_entry import ServerEntry, control_path, shim_path
from mdmem.cli.answer import Answer
from mdmem.cli.group import LazyGroup
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.render.agents import AGENTS_MD, render_done
from mdmem_proto.tool_sets import TOOL_SETS

_agent = click.argument("agent", type=click.Choice([*AGENTS]))
_scope = click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.USER.value,
    show_default=True,
    help="For all your projects, or for the one in this folder.",
)
_name = click.option("--name", default="mdmem", show_default=True, help="How the agent calls the server.")
_tools = click.option(
    "--tools",
    type=click.Choice(TOOL_SETS),
    help="The tool names and answers of another system, for prompts and habits that are made for it.",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")


@click.command(
    cls=LazyGroup,
    lazy={
        "install": "mdmem.cli.commands.mcp:install",
        "uninstall": "mdmem.cli.commands.mcp:uninstall",
        "print": "mdmem.cli.commands.mcp:print_",
        "plugin": "mdmem.cli.commands.mcp:plugin",
        "hook": "mdmem.cli.commands.mcp:hook",
    },
)
def mcp() -> None:
    """Give mdmem to a coding agent."""


@click.command()
@_agent
@_scope
@_name
@_tools
@_dry_run
@command_options(starts_daemon=False)
def install(
    invocation: Invocation, agent: str, scope: str, name: str, tools: str | None, dry_run: bool
) -> Answer:
    """Have AGENT start mdmem-mcp."""
    from mdmem.agents.setup import install as set_up

    entry = _entry(name, tools)
    done = set_up(AGENTS[agent], entry, scope=Scope(scope), places=Places.here(), dry_run=dry_run)
    if done.changed and scope == Scope.PROJECT:
        invocation.note("the entry names a program of this machine; others must install it themselves")
    return invocation.answer(
        {"agent": agent, "changed": done.changed, "by": done.by, "dry_run": dry_run},
        lambda _style: render_done(done, verb="add", dry_run=dry_run),
    )


@click.command()
@_agent
@_scope
@_name
@_dry_run
@command_options(starts_daemon=False)
def uninstall(invocation: Invocation, agent: str, scope: str, name: str, dry_run: bool) -> Answer:
    """Have AGENT forget mdmem-mcp."""
    from mdmem.agents.setup import uninstall as take_away

    done = take_away(AGENTS[agent], name, scope=Scope(scope), places=Places.here(), dry_run=dry_run)
    return invocation.answer(
        {"agent": agent, "changed": done.changed, "by": done.by, "dry_run": dry_run},
        lambda _style: render_done(done, verb="remove", dry_run=dry_run),
    )


@click.command("print")
@click.argument("agent", type=click.Choice([*AGENTS, "agents-md"]))
@_scope
@_name
@_tools
@command_options(starts_daemon=False)
def print_(invocation: Invocation, agent: str, scope: str, name: str, tools: str | None) -> Answer:
    """Print what to paste by hand into AGENT's file, or into AGENTS.md (agents-md)."""
    if agent == "agents-md":
        return invocation.answer({"text": AGENTS_MD}, lambda _style: AGENTS_MD)
    from mdmem.agents.setup import snippet

    entry = _entry(name, tools)
    path, text = snippet(AGENTS[agent], entry, scope=Scope(scope), places=Places.here())
    invocation.note(f"this belongs into {path}")
    return invocation.answer({"file": path, "text": text}, lambda _style: text)


@click.command()
@click.argument("folder", type=click.Path())
@_name
@command_options(starts_daemon=False)
def plugin(invocation: Invocation, folder: str, name: str) -> Answer:
    """Write the Claude Code plugin (server, skill, hook) as FOLDER."""
    from mdmem.agents.plugin_folder import plugin_files, write_plugin

    files = plugin_files(ServerEntry(name, shim_path()), control=control_path())
    path = os.path.abspath(folder)
    write_plugin(path, files)
    return invocation.answer(
        {"folder": path, "files": sorted(files)},
        lambda _style: f"wrote the plugin to {path}\nTry it: claude --plugin-dir {path}\n",
    )


@click.command(hidden=True)
@command_options(starts_daemon=False)
def hook(invocation: Invocation) -> Answer:
    """Answer a PreToolUse event on standard input, or say nothing."""
    from mdmem.agents.read_hook import advice, asked_file
    from mdmem.errors import MdmemError

    path = asked_file(sys.stdin.read())
    said = None
    if path is not None:
        try:
            with invocation.connect() as client:
                said = advice(path, (root.path for root in client.list_roots()))
        except MdmemError:
            said = None  # no daemon, no advice: reading goes on as ever
    return invocation.answer({}, lambda _style: said or "")


def _entry(name: str, tools: str | None) -> ServerEntry:
    return ServerEntry(name, shim_path(), ("--tools", tools) if tools else ())
