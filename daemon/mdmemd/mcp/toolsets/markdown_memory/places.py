"""How callers and answers name documents, sections and the folder of a call. Pure; any thread."""

from __future__ import annotations

from mdmemd.mcp.toolsets.plain_parameters import PlainText
from mdmemd.search.outline import PREAMBLE_TITLE

CWD = PlainText(name="cwd", description="Absolute folder you work in, if another (git worktree).")

FILE_PATH = PlainText(
    name="file_path", description="Path as an answer gave it, absolute, or its unique end.", required=True
)


def section_name(heading_path: tuple[str, ...], *, part: int | None) -> str:
    """``A > B``, ``A > B (Part 2)``; both are taken by ``read_section``."""
    name = " > ".join(heading_path) or PREAMBLE_TITLE
    return name if part is None else f"{name} (Part {part})"
