"""What one run of ``mdmemctl`` within the test's process did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit code, standard output and standard error."""

    code: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return msgspec.json.decode(self.out)


Ctl = Callable[..., Outcome]
"""Runs one command line, given word by word."""
