"""Changes of documents as a person reads them."""

from __future__ import annotations

import time

from mdmem.cli.render.style import Style, line, table
from mdmem_proto.messages import ChangeRow, ChangesResult


def render_changes(result: ChangesResult, style: Style) -> str:
    """A line a change, then the tick to ask from next time."""
    lines = table([_row(change) for change in result.changes]) if result.changes else ["nothing has changed"]
    return "\n".join([*lines, style.dim(f"tick {result.tick}")]) + "\n"


def _row(change: ChangeRow) -> list[str]:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(change.at))
    before = "" if change.path_before is None else f"{line(change.path_before)} -> "
    return [at, change.kind, line(change.root), before + line(change.path)]
