"""``mdmemctl eval`` and ``eval draft``: golden sets.

The daemon reads the golden set and asks; this reads and writes the files that the user names.
"""

from __future__ import annotations

import functools
import os
import sys

import click
import msgspec

from mdmem.cli.answer import Answer
from mdmem.cli.group import LazyGroup
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import limit_option, roots_option
from mdmem.cli.progress import progress
from mdmem.cli.render.evaluation import render_evaluation
from mdmem.errors import InvalidRequestError, NotFoundError
from mdmem_proto.limits import DRAFT_QUESTIONS_MAX
from mdmem_proto.messages import EvalParams, EvalResult, Mode

_RUN = "run"


class _EvalGroup(LazyGroup):
    """``eval`` with any word that is no command of its own is ``eval run`` of that file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), *ctx.help_option_names):
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


@click.command(
    "eval",
    cls=_EvalGroup,
    options_metavar="",
    subcommand_metavar="GOLDEN.json [OPTIONS] | draft [OPTIONS]",
    lazy={
        _RUN: "mdmem.cli.commands.evaluate:run",
        "draft": "mdmem.cli.commands.evaluate:draft",
    },
)
def evaluate() -> None:
    """Measure search on questions whose answers you know."""


@click.command(_RUN)
@click.argument("golden", type=click.Path())
@roots_option
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Which evidence ranks.",
)
@limit_option("Sections on a page; deeper answers count as missed.", default=10)
@click.option("--compare", type=click.Path(), help="Compare with a run that --save has written.")
@click.option("--save", type=click.Path(), help="Write the run to this file.")
@click.option("--baselines/--no-baselines", default=True, help="Ask BM25 alone and a plain grep as well.")
@command_options()
def run(
    invocation: Invocation,
    golden: str,
    roots: tuple[str, ...],
    mode: Mode,
    limit: int,
    compare: str | None,
    save: str | None,
    *,
    baselines: bool,
) -> Answer:
    """Ask every question of the file GOLDEN and print what was found.

    The file is a list of {"query", "relevant": [{"path", "heading_path"}]}, or a golden set of
    markdown-memory, markdex or qmd.
    """
    params = EvalParams(
        golden=_read(golden),
        roots=roots,
        mode=mode,
        limit=limit,
        baselines=baselines,
        before=_saved_run(compare) if compare is not None else None,
    )
    if save is not None and not os.path.isdir(os.path.dirname(os.path.abspath(save))):
        raise InvalidRequestError(
            f"{save} cannot be written: there is no such folder.",
            remedy="Give --save a file in one that exists.",
        )
    with invocation.connect() as client, progress(sys.stderr, quiet=invocation.quiet) as report:
        result = client.evaluate(params, on_progress=report)
    if save is not None:
        _write(save, msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    return invocation.answer(result, functools.partial(render_evaluation, result))


@click.command()
@roots_option
@click.option(
    "--questions",
    type=click.IntRange(1, DRAFT_QUESTIONS_MAX),
    default=50,
    show_default=True,
    help="How many of the latest questions.",
)
@command_options()
def draft(invocation: Invocation, roots: tuple[str, ...], questions: int) -> Answer:
    """Print a golden set of the latest questions, for you to correct.

    Each question comes with the section that is answered now. The daemon keeps the latest questions on this
    machine, unless config.toml has keep_questions = false in [search].
    """
    with invocation.connect() as client:
        result = client.draft_evaluation(roots=roots, questions=questions)
    if sys.stdout.isatty():
        invocation.note("a draft to be corrected: mdmemctl eval draft > golden.json")
    return invocation.answer(result, lambda _style: result.golden)


def _saved_run(path: str) -> EvalResult:
    try:
        return msgspec.json.decode(_read(path), type=EvalResult)
    except msgspec.MsgspecError as error:
        raise InvalidRequestError(
            f"{path} is no saved run: {error}.", remedy="--compare takes a file that --save has written."
        ) from error


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", remedy="Check the spelling.") from None
    except OSError as error:
        raise InvalidRequestError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"{path} is no UTF-8 text: {error}.") from error


def _write(path: str, content: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        raise InvalidRequestError(f"{path} cannot be written: {error.strerror}.") from error
