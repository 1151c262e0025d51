"""``mdmemctl search``."""

from __future__ import annotations

import functools

import click

from mdmem.cli.answer import Answer
from mdmem.cli.filter_options import filter_options
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import fresh_option, roots_option
from mdmem.cli.render.search import render_search
from mdmem_proto.limits import SEARCH_HITS_MAX
from mdmem_proto.messages import Filter, Mode


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@roots_option
@click.option(
    "--limit",
    type=click.IntRange(1, SEARCH_HITS_MAX),
    default=5,
    show_default=True,
    help="Most sections to return.",
)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Which evidence ranks: both, the words, or the meaning.",
)
@filter_options
@fresh_option
@command_options()
def search(
    invocation: Invocation,
    query: tuple[str, ...],
    roots: tuple[str, ...],
    limit: int,
    mode: Mode,
    where: Filter | None,
    fresh: str,
) -> Answer:
    """Answer with the best section and pointers to more.

    Put -- before a question that begins with a dash: mdmemctl search -- --no-build-isolation
    """
    with invocation.connect() as client:
        result = client.search(" ".join(query), roots=roots, limit=limit, mode=mode, where=where, fresh=fresh)
    return invocation.answer(result, functools.partial(render_search, result))
