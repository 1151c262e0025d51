"""``mdmemctl why``."""

from __future__ import annotations

import functools
import os

import click

from mdmem.cli.answer import Answer
from mdmem.cli.filter_options import filter_options
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import document_path, limit_option, roots_option
from mdmem.cli.render.rules import render_why
from mdmem.cli.render.search import render_why_query
from mdmem_proto.messages import Filter


@click.command()
@click.argument("question", nargs=-1, metavar="[QUERY...]")
@click.argument("path", type=click.Path())
@roots_option
@limit_option("Sections on the page that PATH is held against.")
@filter_options
@command_options()
def why(
    invocation: Invocation,
    question: tuple[str, ...],
    path: str,
    roots: tuple[str, ...],
    limit: int,
    where: Filter | None,
) -> Answer:
    """Tell whether the file or folder PATH is indexed, and if not, by which rule.

    With a QUERY: where PATH, or the section PATH#HEADING, stands among its answers, and why.
    """
    with invocation.connect() as client:
        if not question:
            result = client.why_path(os.path.abspath(path))
            return invocation.answer(result, functools.partial(render_why, result))
        document, _, heading = path.partition("#")
        standing = client.why_query(
            " ".join(question),
            os.path.abspath(document) if os.path.exists(document) else document_path(document),
            heading=heading,
            roots=roots,
            limit=limit,
            where=where,
        )
    return invocation.answer(standing, functools.partial(render_why_query, standing))
