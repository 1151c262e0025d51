"""``mdmemctl read``, ``outline`` and ``ls``: one document, or the list of them."""

from __future__ import annotations

import functools
import re
import sys

import click

from mdmem.cli.answer import Answer, style_of
from mdmem.cli.filter_options import filter_options
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import document_path, fresh_option, root_option, roots_option
from mdmem.cli.render.document import (
    render_listing,
    render_outline,
    render_place,
    render_read,
    render_read_many,
)
from mdmem.cli.render.style import line
from mdmem_proto.limits import READ_BYTES_MAX
from mdmem_proto.messages import Filter


@click.command()
@click.argument("path")
@click.argument("rest", nargs=-1, metavar="[HEADING | PATH...]")
@root_option
@click.option("--part", type=click.IntRange(min=1), help="One part of a section that was cut for its size.")
@click.option("--include-subsections", is_flag=True, help="The text of deeper headings too.")
@click.option(
    "--max-bytes",
    type=click.IntRange(1, READ_BYTES_MAX),
    default=262_144,
    show_default=True,
    help="Of several PATHs: most text of all together.",
)
@fresh_option
@command_options()
def read(
    invocation: Invocation,
    path: str,
    rest: tuple[str, ...],
    root: str,
    part: int | None,
    include_subsections: bool,
    max_bytes: int,
    fresh: str,
) -> Answer:
    """Print one section verbatim, or the whole file.

    PATH is relative to its root, absolute, or any ending of it that only one document has. HEADING is a
    breadcrumb, "Guide > Install", or the end of one; PATH#HEADING and PATH:10-40 are understood too. Where
    the section stands is told on standard error. Several PATHs, or a glob in quotes, are read in one go.
    """
    if len(rest) > 1 or any(_names_a_document(each) for each in rest) or _is_glob(path):
        with invocation.connect() as client:
            several = client.read_many(
                [document_path(each) for each in (path, *rest)],
                root=root,
                include_subsections=include_subsections,
                max_bytes=max_bytes,
                fresh=fresh,
            )
        return invocation.answer(several, functools.partial(render_read_many, several))
    heading = "".join(rest)
    with invocation.connect() as client:
        result = client.read(
            document_path(path),
            heading=heading,
            root=root,
            part=part,
            include_subsections=include_subsections,
            fresh=fresh,
        )
    if not (invocation.as_json or invocation.quiet):
        sys.stderr.write(render_place(result, style_of(sys.stderr)))
    return invocation.answer(result, functools.partial(render_read, result))


def _names_a_document(text: str) -> bool:
    """Whether a second argument is another document and no heading."""
    return re.search(r"\.(md|markdown|mdx)(:[0-9-]+|#.+)?$", text, re.IGNORECASE) is not None


def _is_glob(text: str) -> bool:
    return any(character in text for character in "*?[")


@click.command()
@click.argument("path")
@root_option
@fresh_option
@command_options()
def outline(invocation: Invocation, path: str, root: str, fresh: str) -> Answer:
    """Print the heading tree of a document.

    It must be indexed; mdmemctl preview shows any other file.
    """
    with invocation.connect() as client:
        result = client.outline(document_path(path), root=root, fresh=fresh)
    return invocation.answer(result, functools.partial(render_outline, result))


@click.command()
@click.argument("prefix", default="")
@roots_option
@filter_options
@fresh_option
@command_options()
def ls(
    invocation: Invocation, prefix: str, roots: tuple[str, ...], where: Filter | None, fresh: str
) -> Answer:
    """List the documents, all or below the folder PREFIX."""
    with invocation.connect() as client:
        result = client.list_documents(roots=roots, prefix=prefix, where=where, fresh=fresh)
    if not result.state.fresh:
        invocation.note(f"the list is not complete yet: {line(result.state.outstanding or 'still indexing')}")
    return invocation.answer(result, functools.partial(render_listing, result))
