"""``mdmemctl changes``."""

from __future__ import annotations

import functools
import re
import time
from datetime import datetime

import click

from mdmem.cli.answer import Answer
from mdmem.cli.invocation import Invocation, command_options
from mdmem.cli.options import complete_root
from mdmem.cli.render.changes import render_changes
from mdmem.cli.render.style import line

_AGO = re.compile(r"([0-9]+)([smhd])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int | None, float | None]:
    """Tick or unix seconds: ``10m`` ago, a date and time of this time zone, or a tick printed before."""
    if value is None:
        return None, None
    if value.isascii() and value.isdecimal() and len(value) < 19:
        return int(value), None
    if ago := _AGO.fullmatch(value):
        return None, time.time() - int(ago[1]) * _UNIT_SECONDS[ago[2]]
    try:
        return None, datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise click.BadParameter(
            f"{value!r} is no moment. Say 10m, 2h or 1d, a time like 2030-01-31T08:00, or a tick.", ctx, param
        ) from error


@click.command()
@click.argument("roots", nargs=-1, metavar="[ROOT...]", shell_complete=complete_root)
@click.option(
    "--since",
    callback=_moment,
    metavar="TIME|TICK",
    help="10m, 2h, 1d, a date and time, or a tick; all that is remembered otherwise.",
)
@command_options()
def changes(invocation: Invocation, roots: tuple[str, ...], since: tuple[int | None, float | None]) -> Answer:
    """List which documents changed, oldest first, and the tick to ask from next time.

    The daemon remembers the last 10,000 changes of each root since its start; it says where that is not
    enough.
    """
    tick, moment = since
    with invocation.connect() as client:
        result = client.changes(roots=roots, since_tick=tick, since_time=moment)
    if result.incomplete and since != (None, None):
        names = ", ".join(line(name) for name in result.incomplete)
        invocation.note(f"older changes are not remembered of: {names}")
    return invocation.answer(result, functools.partial(render_changes, result))
