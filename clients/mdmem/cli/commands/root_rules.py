"""``mdmemctl root set`` and ``root show``: what a root's options are, and what its rules take away."""

from __future__ import annotations

import functools

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import CHUNK_MODES, WATCH_CHOICES, complete_root
from mdmem.cli.render.rules import render_root_rules
from mdmem.cli.render.status import render_root
from mdmem.cli.render.style import line
from mdmem_proto.messages import ChunkMode, WatchChoice


@click.command("set")
@click.argument("name", shell_complete=complete_root)
@click.option("--name", "new_name", default="", metavar="NEW", help="Another name.")
@click.option("--chunk-mode", type=click.Choice(CHUNK_MODES), help="Cut all its files in another way.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave these out, in place of what was left out; may be repeated. '' alone: nothing.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Index only these, in place of what was; may be repeated. '' alone: everything.",
)
@click.option("--watch", type=click.Choice(WATCH_CHOICES), help="How changes are noticed.")
@command_options()
def set_(
    invocation: Invocation,
    name: str,
    new_name: str,
    chunk_mode: ChunkMode | None,
    exclude: tuple[str, ...],
    include: tuple[str, ...],
    watch: WatchChoice | None,
) -> Answer:
    """Change the options of the root NAME; what is not given stays.

    A change lasts, and is in effect at once: what is left out leaves the index, what is let in is indexed.
    """
    with invocation.connect() as client:
        root = client.set_root(
            name,
            new_name=new_name,
            chunk_mode=chunk_mode,
            exclude=_globs(exclude),
            include=_globs(include),
            watch=watch,
        )
    for problem in root.problems:
        if not problem.path:
            invocation.note(f"{line(root.name)}: {line(problem.message)}")
    return invocation.answer(root, lambda _style: f"changed {render_root(root)}\n")


@click.command()
@click.argument("name", shell_complete=complete_root)
@command_options()
def show(invocation: Invocation, name: str) -> Answer:
    """Show what is in the root NAME, and what is out by which rule."""
    with invocation.connect() as client:
        result = client.show_root(name)
    return invocation.answer(result, functools.partial(render_root_rules, result))


def _globs(given: tuple[str, ...]) -> tuple[str, ...] | None:
    """``None`` where the option was not given; one empty text stands for none at all."""
    if not given:
        return None
    return () if given == ("",) else given
