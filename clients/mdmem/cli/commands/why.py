"""``mdmemctl why``."""

from __future__ import annotations

import functools
import os

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.render.rules import render_why


@click.command()
@click.argument("path", type=click.Path())
@command_options()
def why(invocation: Invocation, path: str) -> Answer:
    """Tell whether the file or folder PATH is indexed, and if not, by which rule."""
    with invocation.connect() as client:
        result = client.why_path(os.path.abspath(path))
    return invocation.answer(result, functools.partial(render_why, result))
