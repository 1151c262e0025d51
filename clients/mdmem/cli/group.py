"""The tree of commands. A command's module is imported when the command was chosen, or when all are listed.

A new command is one file in ``commands`` and one row here.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

PROGRAM = "mdmemctl"


class LazyGroup(click.Group):
    """A group whose commands are named as ``module:attribute``."""

    def __init__(self, name: str | None = None, *, lazy: Mapping[str, str], **settings: Any) -> None:
        super().__init__(name, **settings)
        self._lazy = dict(lazy)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A group without a command is a question for help, and answered like one."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names in the order of the table, which is the order of use."""
        return list(self._lazy)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or ``None`` where there is none of that name."""
        target = self._lazy.get(cmd_name)
        if target is None:
            return None
        module, _, attribute = target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but a misspelt command is answered with the nearest ones of the table."""
        name = args[0]
        if name in self._lazy or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        nearest = get_close_matches(name, self._lazy)
        hint = f" Did you mean {', '.join(nearest)}?" if nearest else ""
        raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)


@click.command(
    cls=LazyGroup,
    name=PROGRAM,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done (an empty answer too), 1 done in part, 2 usage, 3 daemon unavailable, "
    "4 not found, 5 refused, 70 internal error, 130 interrupted, 141 the reader of the output has gone.",
    lazy={
        "search": "mdmem.cli.commands.search:search",
        "read": "mdmem.cli.commands.read:read",
        "outline": "mdmem.cli.commands.document:outline",
        "preview": "mdmem.cli.commands.preview:preview",
        "ls": "mdmem.cli.commands.document:ls",
        "root": "mdmem.cli.commands.root:root",
        "eval": "mdmem.cli.commands.evaluate:evaluate",
        "mcp": "mdmem.cli.commands.mcp:mcp",
        "why": "mdmem.cli.commands.why:why",
        "sync": "mdmem.cli.commands.sync:sync",
        "changes": "mdmem.cli.commands.changes:changes",
        "index": "mdmem.cli.commands.maintenance:index",
        "gc": "mdmem.cli.commands.maintenance:gc",
        "export": "mdmem.cli.commands.maintenance:export",
        "import": "mdmem.cli.commands.maintenance:import_",
        "model": "mdmem.cli.commands.model:model",
        "status": "mdmem.cli.commands.daemon:status",
        "start": "mdmem.cli.commands.daemon:start",
        "stop": "mdmem.cli.commands.daemon:stop",
        "version": "mdmem.cli.commands.daemon:version",
        "completion": "mdmem.cli.commands.completion:completion",
    },
)
def mdmemctl() -> None:
    """Search and read the Markdown of this machine. The daemon behind it is started when it is needed."""
