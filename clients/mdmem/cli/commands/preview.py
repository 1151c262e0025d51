"""``mdmemctl preview``."""

from __future__ import annotations

import functools
import os

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.render.preview import render_preview
from mdmem_proto.messages import ChunkMode


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--chunk-mode",
    type=click.Choice(["auto", "header", "window"]),
    help="Cut at headings, into line windows, or as the file suggests; that of its root otherwise.",
)
@click.option("--passages", "shows_passages", is_flag=True, help="Print the passages of each section too.")
@command_options()
def preview(
    invocation: Invocation, file: str, chunk_mode: ChunkMode | None, *, shows_passages: bool
) -> Answer:
    """Show how FILE would be indexed, without indexing it.

    Prints its sections and parts with lines, tokens and passages, and its problems. Any readable file will
    do; in a registered folder it is cut, and its links are resolved, as that root would. --json has
    everything: front matter, passages and links too.
    """
    with invocation.connect() as client:
        result = client.preview(os.path.abspath(file), chunk_mode=chunk_mode)
    return invocation.answer(result, functools.partial(render_preview, result, shows_passages=shows_passages))
