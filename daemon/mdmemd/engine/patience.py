"""How long an answer may wait for the disk: what a caller says as ``fresh``. Pure.

``""`` is the budget of the settings, ``off`` waits for nothing, ``wait`` for everything that is known, and
``wait=SECONDS`` at most so long.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError

WAIT_SECONDS = 60.0
"""``wait`` without a number."""

WAIT_SECONDS_MAX = 600.0
"""A waiter holds a thread of the query pool."""

_WAIT = re.compile(r"wait=([0-9]{1,6}(?:\.[0-9]{1,6})?)")


@dataclass(frozen=True, slots=True)
class Patience:
    """``is_explicit``: the caller named a time, so that a backlog is waited for too."""

    seconds: float
    is_explicit: bool = False


OFF = Patience(0.0, is_explicit=True)


def parse_patience(fresh: str, *, default_seconds: float) -> Patience:
    """What ``fresh`` says. Raises ``InvalidRequestError`` where it says nothing known."""
    if fresh == "":
        return Patience(default_seconds)
    if fresh == "off":
        return OFF
    if fresh == "wait":
        return Patience(WAIT_SECONDS, is_explicit=True)
    match = _WAIT.fullmatch(fresh)
    seconds = float(match[1]) if match else math.inf
    if not 0.0 <= seconds <= WAIT_SECONDS_MAX:
        raise InvalidRequestError(
            f"fresh is {fresh[:40]!r}.",
            remedy=f"It takes off, wait, or wait=SECONDS with up to {WAIT_SECONDS_MAX:.0f} seconds.",
        )
    return Patience(seconds, is_explicit=True)
