"""Whether the daemon is of the same build as this program. Pure."""

from __future__ import annotations

import os
import sys

from mdmem_proto.envelope import Answer
from mdmem_proto.release import VERSION


def build_notice(daemon: Answer) -> str | None:
    """One sentence with the remedy where the daemon is of another version or environment."""
    if daemon.version == VERSION and _folder(daemon.interpreter) == _folder(sys.executable):
        return None
    return (
        f"the daemon is version {daemon.version} of {daemon.interpreter}, this program {VERSION} of "
        f"{sys.executable}; `mdmemctl stop` ends it, and the next command starts the matching one."
    )


def _folder(interpreter: str) -> str:
    """The environment of an interpreter, whose name in it may differ (``python``, ``python3``)."""
    return os.path.realpath(os.path.dirname(interpreter))
