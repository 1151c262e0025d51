"""What every agent is told: start this program.

Invariant: the program is named by its absolute path, so that it is found whatever ``PATH`` an agent gives it
and whichever Python is active then.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from mdmem.errors import NotFoundError

SHIM = "mdmem-mcp"
CONTROL = "mdmemctl"


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One MCP server as agents list it."""

    name: str
    command: str
    arguments: tuple[str, ...] = ()


def shim_path(*, interpreter: str = sys.executable) -> str:
    """The absolute path of ``mdmem-mcp`` in the installation that runs now.

    Raises ``NotFoundError`` where this installation has none.
    """
    return _program(SHIM, interpreter)


def control_path(*, interpreter: str = sys.executable) -> str:
    """The absolute path of ``mdmemctl`` in the same installation; raises as ``shim_path`` does."""
    return _program(CONTROL, interpreter)


def _program(name: str, interpreter: str) -> str:
    # Links are left alone: the interpreter of a virtual environment is a link to one that has no mdmem.
    path = os.path.join(os.path.dirname(os.path.abspath(interpreter)), name)
    if not os.access(path, os.X_OK):
        raise NotFoundError(
            f"There is no {name} beside {interpreter}.", remedy="Install mdmem again into this Python."
        )
    return path
