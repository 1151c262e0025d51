"""The options that every command has, and what a command does with them: connect, tell, answer.

``--json`` prints the answer as JSON on standard output (an error too, beside its sentence on standard
error), ``--quiet`` leaves out notes and progress, ``--no-start`` (on commands that would start the daemon)
answers "not running" instead.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from mdmem.cli.answer import Answer
from mdmem.cli.render.style import Style
from mdmem.errors import EXIT_DONE
from mdmem.link.client import Client, connect

Command = Callable[..., Answer]


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of one command."""

    as_json: bool
    quiet: bool
    start: bool

    def connect(self) -> Client:
        """Connect to the daemon, started where this command may; a daemon of another build is told about."""
        client = connect(start=self.start)
        if client.notice:
            self.note(client.notice)
        return client

    def note(self, text: str) -> None:
        """One line beside the answer, on standard error."""
        if not self.quiet:
            sys.stderr.write(f"mdmemctl: {text}\n")

    def answer(self, value: object, text: Callable[[Style], str], *, exit_code: int = EXIT_DONE) -> Answer:
        """The command's answer in both forms."""
        return Answer(value=value, text=text, as_json=self.as_json, exit_code=exit_code)


def command_options(*, starts_daemon: bool = True) -> Callable[[Command], Command]:
    """Decorate a command's function: adds the options and passes an ``Invocation`` as its first argument."""

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def run(*, as_json: bool, quiet: bool, no_start: bool = False, **arguments: Any) -> Answer:
            return function(Invocation(as_json, quiet, starts_daemon and not no_start), **arguments)

        decorated = click.option("-q", "--quiet", is_flag=True, help="No notes and no progress.")(run)
        decorated = click.option("--json", "as_json", is_flag=True, help="Print JSON (errors too).")(
            decorated
        )
        if starts_daemon:
            decorated = click.option(
                "--no-start", is_flag=True, help="Fail where the daemon is not running."
            )(decorated)
        return decorated

    return decorate
