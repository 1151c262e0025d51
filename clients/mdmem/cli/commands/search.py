"""``mdmemctl search``."""

from __future__ import annotations

import functools

import click

from mdmem.cli.answer import Answer
from mdmem.cli.filter_options import filter_options
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import fresh_option, limit_option, roots_option
from mdmem.cli.render.search import render_search
from mdmem_proto.limits import PAGE_TOKENS_MAX
from mdmem_proto.messages import Filter, Mode


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@roots_option
@limit_option("Most sections to return.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic", "exact"]),
    default="hybrid",
    show_default=True,
    help="Which evidence ranks: both, the words, or the meaning; exact lists all that hold every word.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(0, PAGE_TOKENS_MAX),
    default=0,
    metavar="TOKENS",
    help="What the answer may cost its reader; 0 is about 500.",
)
@click.option("--expand", is_flag=True, help="Quote whole sections, as many as fit.")
@click.option("--cursor", default="", metavar="TEXT", help="Go on where the answer with this cursor ended.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@filter_options
@fresh_option
@command_options()
def search(
    invocation: Invocation,
    query: tuple[str, ...],
    roots: tuple[str, ...],
    limit: int,
    mode: Mode,
    max_tokens: int,
    expand: bool,
    cursor: str,
    explain: bool,
    where: Filter | None,
    fresh: str,
) -> Answer:
    """Answer with the best section and pointers to more.

    Put -- before a question that begins with a dash: mdmemctl search -- --no-build-isolation
    """
    with invocation.connect() as client:
        result = client.search(
            " ".join(query),
            roots=roots,
            limit=limit,
            mode=mode,
            where=where,
            fresh=fresh,
            max_tokens=max_tokens,
            expand=expand,
            cursor=cursor,
            explain=explain,
        )
    return invocation.answer(result, functools.partial(render_search, result))
