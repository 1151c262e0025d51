"""``mdmemctl outline`` and ``ls``: the headings of one document, and the list of all."""

from __future__ import annotations

import functools

import click
import msgspec

from mdmem.cli.answer import Answer
from mdmem.cli.filter_options import filter_options
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import document_path, fresh_option, root_option, roots_option
from mdmem.cli.render.document import render_listing, render_outline
from mdmem.cli.render.style import line
from mdmem_proto.messages import Filter


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
@click.argument("folder", default="")
@roots_option
@filter_options
@fresh_option
@command_options()
def ls(
    invocation: Invocation, folder: str, roots: tuple[str, ...], where: Filter | None, fresh: str
) -> Answer:
    """List the documents, all or those of FOLDER.

    That is what --path takes; with both, those below FOLDER, relative to its root, that fit a --path.
    """
    where, prefix = _placed(where, document_path(folder))
    with invocation.connect() as client:
        result = client.list_documents(roots=roots, prefix=prefix, where=where, fresh=fresh)
    if not result.state.fresh:
        invocation.note(f"the list is not complete yet: {line(result.state.outstanding or 'still indexing')}")
    return invocation.answer(result, functools.partial(render_listing, result))


def _placed(where: Filter | None, folder: str) -> tuple[Filter | None, str]:
    """The filter with the folder among its paths, which must exist; else it is a prefix beside them."""
    if not folder or (where is not None and where.paths):
        return where, folder
    return msgspec.structs.replace(where or Filter(), paths=(folder,)), ""
