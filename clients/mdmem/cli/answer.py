"""What a command returns, and the one door to standard output.

Invariants: a command writes nothing itself, so a broken pipe or a full disk is met in one place, ``main``;
JSON is UTF-8 whatever the locale is, one value on one line; text never fails to print: what the locale
cannot show is written as an escape.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

import msgspec

from mdmem.cli.render.style import Style
from mdmem.errors import EXIT_DONE


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer in both forms: ``value`` for ``--json`` (struct or dict), ``text`` ends in a line end."""

    value: object
    text: Callable[[Style], str]
    as_json: bool
    exit_code: int = EXIT_DONE


def write_answer(answer: Answer) -> None:
    """Write it to standard output and flush; raises ``OSError`` where nobody takes it."""
    if answer.as_json:
        write_json(answer.value)
    else:
        sys.stdout.write(answer.text(style_of(sys.stdout)))
        sys.stdout.flush()


def write_json(value: object) -> None:
    """One line of JSON on standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def style_of(stream: TextIO) -> Style:
    """Colour on a terminal, unless ``NO_COLOR`` is set (https://no-color.org) or the terminal has none."""
    terminal = stream.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Style(terminal=terminal, colour=terminal and not plain)
