"""``mdmemctl sync``."""

from __future__ import annotations

import sys

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import complete_root
from mdmem.cli.progress import progress
from mdmem.cli.render.status import render_root
from mdmem_proto.messages import SyncResult


@click.command()
@click.argument("roots", nargs=-1, metavar="[ROOT...]", shell_complete=complete_root)
@click.option("--vectors", is_flag=True, help="Wait until everything can be found by meaning too.")
@command_options()
def sync(invocation: Invocation, roots: tuple[str, ...], vectors: bool) -> Answer:
    """Wait until everything saved so far can be searched.

    In all roots, or in those named; exits with 4 where a folder is out of reach.
    """
    with invocation.connect() as client, progress(sys.stderr, quiet=invocation.quiet) as report:
        found = client.sync(roots=roots, until="embedded" if vectors else "keyword", on_progress=report)
    return invocation.answer(
        SyncResult(roots=found), lambda _style: "".join(f"{render_root(root)}\n" for root in found)
    )
