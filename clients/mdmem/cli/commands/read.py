"""``mdmemctl read``: one section or file verbatim, or several places in one go."""

from __future__ import annotations

import functools
import re
import sys

import click

from mdmem.cli.answer import Answer, style_of
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import document_path, fresh_option, root_option
from mdmem.cli.render.document import render_place, render_read, render_read_many
from mdmem.cli.render.style import line
from mdmem.errors import EXIT_DONE, EXIT_PARTLY, from_failure
from mdmem_proto.limits import READ_BYTES_MAX
from mdmem_proto.messages import ReadManyResult

BYTES_MAX = 262_144
"""Of several places, where the caller says nothing."""

_ADDRESS = re.compile(
    r"(?P<path>.+?\.(?:md|markdown|mdx))(?::[0-9-]+|#(?P<heading>.+))?", re.IGNORECASE | re.DOTALL
)
"""As the daemon takes a place apart (``search.address``); what is no such text is a path or a heading."""


@click.command()
@click.argument("path")
@click.argument("rest", nargs=-1, metavar="[HEADING | PATH...]")
@root_option
@click.option("--part", type=click.IntRange(min=1), help="One part of a section that was cut for its size.")
@click.option("--include-subsections", is_flag=True, help="The text of deeper headings too.")
@click.option(
    "--max-bytes",
    type=click.IntRange(1, READ_BYTES_MAX),
    help=f"Of several PATHs: most text of all together.  [default: {BYTES_MAX}]",
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
    max_bytes: int | None,
    fresh: str,
) -> Answer:
    """Print one section verbatim, or the whole file.

    PATH is relative to its root, absolute, or any ending of it that only one document has. HEADING is a
    breadcrumb, "Guide > Install", or the end of one; PATH#HEADING and PATH:10-40 are understood too, and the
    id of a section as outline and search show it: ^k3f9a2c7. Where the section stands is told on standard
    error.

    Several PATHs, or patterns in quotes such as "docs/**/*.md#Install*", are read in one go; the exit code is
    1 where some of them could not be read.
    """
    if len(rest) > 1 or any(_is_place(each, after=path) for each in rest) or _is_pattern(path):
        if part is not None:
            raise click.UsageError("--part is of one section, and several places are asked for.")
        with invocation.connect() as client:
            several = client.read_many(
                [document_path(each) for each in (path, *rest)],
                root=root,
                include_subsections=include_subsections,
                max_bytes=max_bytes or BYTES_MAX,
                fresh=fresh,
            )
        return invocation.answer(
            several, functools.partial(render_read_many, several), exit_code=_told_failures(several)
        )
    if max_bytes is not None:
        raise click.UsageError(
            "--max-bytes is of several places, and one is asked for: name its lines, PATH:10-40."
        )
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


def _is_place(text: str, *, after: str) -> bool:
    """Whether an argument behind PATH is another place and no heading; an id behind a path is a heading."""
    if text.startswith("^"):
        return after.startswith("^")
    return _ADDRESS.fullmatch(text) is not None


def _is_pattern(text: str) -> bool:
    """Whether it may mean several places; in a heading, question marks and brackets are just that."""
    found = _ADDRESS.fullmatch(text)
    path, heading = (found["path"], found["heading"] or "") if found else (text, "")
    return any(sign in path for sign in "*?[") or "*" in heading


def _told_failures(result: ReadManyResult) -> int:
    """Name on standard error what could not be read, and give the exit code."""
    failed = [item for item in result.items if item.section is None]
    if not failed:
        return EXIT_DONE
    names = ", ".join(line(item.address) for item in failed)
    sys.stderr.write(f"mdmemctl: {len(failed)} of {len(result.items)} could not be read: {names}\n")
    if len(failed) < len(result.items):
        return EXIT_PARTLY
    return from_failure(failed[0].code or "not_found", failed[0].error or "").exit_code
