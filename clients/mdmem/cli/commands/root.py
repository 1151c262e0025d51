"""``mdmemctl root add``, ``list`` and ``remove``; ``set`` and ``show`` are in ``root_rules``."""

from __future__ import annotations

import functools
import os
import sys

import click

from mdmem.cli.answer import Answer
from mdmem.cli.group import LazyGroup
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import CHUNK_MODES, WATCH_CHOICES, complete_root
from mdmem.cli.progress import progress
from mdmem.cli.render.status import render_root, render_roots
from mdmem.cli.render.style import line
from mdmem_proto.messages import ChunkMode, RootAddResult, RootListResult, WaitUntil, WatchChoice

_WAIT = "--wait"


@click.command(
    cls=LazyGroup,
    lazy={
        "add": "mdmem.cli.commands.root:add",
        "list": "mdmem.cli.commands.root:list_",
        "show": "mdmem.cli.commands.root_rules:show",
        "set": "mdmem.cli.commands.root_rules:set_",
        "remove": "mdmem.cli.commands.root:remove",
    },
)
def root() -> None:
    """Register, list, change and remove folders."""


class _AddCommand(click.Command):
    """``root add``, whose ``--wait`` takes a value with ``=`` only.

    click would take the next word as the value, and in ``root add --wait DOCS`` that is the folder.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        options = [f"{_WAIT}=embedded" if word == _WAIT else word for word in args[:end]]
        return super().parse_args(ctx, options + args[end:])


@click.command(cls=_AddCommand)
@click.argument("path", type=click.Path())
@click.option("--name", default="", help="How the root is called; the folder's name otherwise.")
@click.option(
    "--chunk-mode",
    type=click.Choice(CHUNK_MODES),
    default="auto",
    show_default=True,
    help="Cut files at headings, into line windows, or as each file suggests.",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave these out; may be repeated.")
@click.option("--include", multiple=True, metavar="GLOB", help="Index only these; may be repeated.")
@click.option(
    "--watch",
    type=click.Choice(WATCH_CHOICES),
    default="auto",
    show_default=True,
    help="How changes are noticed.",
)
@click.option(
    _WAIT,
    "until",
    type=click.Choice(["keyword", "embedded"]),
    metavar="[=keyword|embedded]",
    help="Return when the words, or (--wait alone) everything, can be searched.",
)
@command_options()
def add(
    invocation: Invocation,
    path: str,
    name: str,
    chunk_mode: ChunkMode,
    exclude: tuple[str, ...],
    include: tuple[str, ...],
    watch: WatchChoice,
    until: WaitUntil | None,
) -> Answer:
    """Register the folder PATH; indexing goes on in the daemon.

    A GLOB without / matches names at any depth, one with / starts at PATH; a folder takes along what is in
    it. What git ignores is left out; .mdmemignore files are written like .gitignore and win over it.
    """
    with invocation.connect() as client:
        result = client.add_root(
            os.path.abspath(path),
            name=name,
            chunk_mode=chunk_mode,
            exclude=exclude,
            include=include,
            watch=watch,
        )
        if until is not None:
            with progress(sys.stderr, quiet=invocation.quiet) as report:
                ready = client.wait_root(result.root.name, until=until, on_progress=report)
            result = RootAddResult(root=ready, created=result.created)
    for problem in result.root.problems:
        if not problem.path:
            invocation.note(f"{line(result.root.name)}: {line(problem.message)}")
    if result.root.detail is not None:
        invocation.note(f"{line(result.root.name)}: {line(result.root.detail)}")
    word = "added" if result.created else "registered before as"
    return invocation.answer(result, lambda _style: f"{word} {render_root(result.root)}\n")


@click.command("list")
@command_options()
def list_(invocation: Invocation) -> Answer:
    """List the registered folders and how far each is."""
    with invocation.connect() as client:
        roots = client.list_roots()
    return invocation.answer(RootListResult(roots=roots), functools.partial(render_roots, roots))


@click.command()
@click.argument("name", shell_complete=complete_root)
@command_options()
def remove(invocation: Invocation, name: str) -> Answer:
    """Forget the root NAME; its files are not touched."""
    with invocation.connect() as client:
        client.remove_root(name)
    return invocation.answer(
        {"removed": name}, lambda _style: f"removed {line(name)}; its files are untouched\n"
    )
