"""The options that choose which documents may answer: the same for every command that searches or lists."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from mdmem.cli.options import document_path
from mdmem_proto.messages import Filter

_OPTIONS = (
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        help="Only with this tag or one below it; repeated: all.",
    ),
    click.option(
        "--prop",
        "properties",
        multiple=True,
        metavar="KEY[=VALUE]",
        help="Only with this in the front matter; repeated: every key, any of its values.",
    ),
    click.option(
        "--path",
        "paths",
        multiple=True,
        metavar="PATH",
        help="Only this file, below this folder, or what fits this glob; repeated: any.",
    ),
    click.option(
        "--group",
        "groups",
        multiple=True,
        metavar="FOLDER",
        help="Only in this top-level folder ('.': in none); repeated: any.",
    ),
    click.option(
        "--since",
        default="",
        metavar="DATE",
        help="Only dated then or later (2026-03-01, yesterday, 7d, 2w), by its own date or its file's.",
    ),
    click.option("--before", default="", metavar="DATE", help="Only dated earlier."),
    click.option(
        "--kind", type=click.Choice(["document", "memory"]), help="Only documents, or only memories."
    ),
    click.option("--links-to", default="", metavar="PATH", help="Only what links to this document."),
    click.option("--linked-from", default="", metavar="PATH", help="Only what this document links to."),
)


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command's function: adds the options and passes them as ``where``, ``None`` for none."""

    @functools.wraps(function)
    def run(
        *arguments: Any,
        tags: tuple[str, ...],
        properties: tuple[str, ...],
        paths: tuple[str, ...],
        groups: tuple[str, ...],
        since: str,
        before: str,
        kind: str | None,
        links_to: str,
        linked_from: str,
        **others: Any,
    ) -> Any:
        where = Filter(
            groups=groups,
            paths=tuple(document_path(path) for path in paths),
            tags=tags,
            properties=properties,
            since=since,
            before=before,
            kind=kind or "",
            links_to=document_path(links_to),
            linked_from=document_path(linked_from),
        )
        return function(*arguments, where=None if where == Filter() else where, **others)

    decorated: Callable[..., Any] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
