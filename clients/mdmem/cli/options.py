"""Options and arguments that several commands share, and how a shell completes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from mdmem.errors import MdmemError
from mdmem_proto.limits import SEARCH_HITS_MAX

_Command = TypeVar("_Command", bound=Callable[..., Any])

COMPLETION_TIMEOUT_SECONDS = 1.0

CHUNK_MODES = ("auto", "header", "window")
WATCH_CHOICES = ("auto", "events", "polling")


def complete_root(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Names of registered roots. The Tab key never starts a daemon and never shows an error."""
    from mdmem.link.client import connect

    try:
        with connect(start=False, timeout_seconds=COMPLETION_TIMEOUT_SECONDS) as client:
            return [root.name for root in client.list_roots() if root.name.startswith(incomplete)]
    except MdmemError:
        return []


def document_path(path: str) -> str:
    """The path as the daemon takes it: only ``./x`` and ``../x`` mean the current folder and not a root."""
    return os.path.abspath(path) if path.startswith(("./", "../")) else path


roots_option = click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_root,
    help="Only this root; may be repeated.",
)
fresh_option = click.option(
    "--fresh",
    default="",
    metavar="off|wait[=SECONDS]",
    help="Do not wait for changes on disk, or wait until all are in; 0.15 s at most otherwise.",
)
root_option = click.option(
    "--root",
    "root",
    default="",
    metavar="NAME",
    shell_complete=complete_root,
    help="The root that holds PATH.",
)


def limit_option(text: str, *, default: int = 5) -> Callable[[_Command], _Command]:
    """``--limit``, of sections on a page, with its help."""
    return click.option(
        "--limit",
        type=click.IntRange(1, SEARCH_HITS_MAX),
        default=default,
        show_default=True,
        help=text,
    )
