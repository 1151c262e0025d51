"""``mdmemctl index``, ``gc``, ``export`` and ``import``."""

from __future__ import annotations

import os
import sys

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import complete_root
from mdmem.cli.progress import progress
from mdmem.cli.render.maintenance import render_export, render_freed, render_indexed
from mdmem.cli.render.status import render_root
from mdmem.link.client import Client
from mdmem_proto.messages import ImportResult, IndexResult, RootInfo


@click.command()
@click.argument("target", required=False, default="", shell_complete=complete_root)
@click.option("--force", is_flag=True, help="Make the whole index anew; the old one answers until then.")
@click.option("--wait", "waits", is_flag=True, help="Return when everything can be searched.")
@command_options()
def index(invocation: Invocation, target: str, *, force: bool, waits: bool) -> Answer:
    """Look at a root or a file now; at all roots without TARGET.

    Changes are noticed without this. It is for what cannot be noticed, and for an index that looks wrong: a
    file is read again whatever the index knows of it, and --force makes the index of a root from nothing.
    """
    with invocation.connect() as client:
        found = client.index(name=target, path=os.path.abspath(target) if target else "", force=force)
        if waits:
            roots = tuple(_finished(invocation, client, root) for root in found.roots)
            found = IndexResult(roots=roots, file=found.file)
    verb = "looked at" if not force else "indexed anew" if waits else "indexing anew"
    return invocation.answer(found, lambda _style: render_indexed(found, verb=verb))


@click.command()
@command_options()
def gc(invocation: Invocation) -> Answer:
    """Remove what no registered folder needs.

    Indexes of folders that were removed, leftovers of interrupted writes, vectors over the bound of their
    cache. Searching goes on meanwhile.
    """
    with invocation.connect() as client:
        freed = client.gc()
    return invocation.answer(freed, lambda _style: render_freed(freed))


@click.command()
@click.argument("root", shell_complete=complete_root)
@click.argument("file", type=click.Path())
@click.option("--force", is_flag=True, help="Write over FILE if it is there.")
@command_options()
def export(invocation: Invocation, root: str, file: str, *, force: bool) -> Answer:
    """Write the index of ROOT to FILE, for another machine.

    The vectors are in it; the texts are not, so the documents must be there too: `mdmemctl import`.
    """
    with invocation.connect() as client:
        done = client.export_root(root, os.path.abspath(file), force=force)
    return invocation.answer(done, lambda _style: render_export(done))


@click.command("import")
@click.argument("file", type=click.Path())
@click.option("--path", "folder", type=click.Path(), required=True, help="The folder with the documents.")
@click.option("--root", "name", default="", help="How the root is called; as it was exported otherwise.")
@click.option("--wait", "waits", is_flag=True, help="Return when everything can be searched.")
@command_options()
def import_(invocation: Invocation, file: str, folder: str, name: str, *, waits: bool) -> Answer:
    """Register a folder with the index in FILE, which `mdmemctl export` has written.

    Files with the content that was exported are neither parsed nor embedded again; all others are indexed as
    ever.
    """
    with invocation.connect() as client:
        root = client.import_root(os.path.abspath(file), folder=os.path.abspath(folder), name=name).root
        if waits:
            root = _finished(invocation, client, root)
    done = f"imported {render_root(root)}\n"
    return invocation.answer(ImportResult(root=root), lambda _style: done)


def _finished(invocation: Invocation, client: Client, root: RootInfo) -> RootInfo:
    """The root when everything in it can be searched."""
    with progress(sys.stderr, quiet=invocation.quiet) as report:
        return client.wait_root(root.name, on_progress=report)
