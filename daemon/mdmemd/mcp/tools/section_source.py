"""The line above a text that was read: which lines of which file these are. Pure."""

from __future__ import annotations

from mdmemd.mcp.quoting import line_span
from mdmemd.search.page import SectionText


def section_source(section: SectionText) -> str:
    """``guide.md (root docs), lines 3-9, 40 tokens, ^k3f9a2c7: Guide > Install``."""
    source = (
        f"{section.path} (root {section.root}), lines {line_span(section.lines)}, {section.tokens} tokens"
    )
    if section.id is not None:
        source += f", {section.id}"
    name = " > ".join(section.heading_path)
    if section.part is not None:
        name += f" (part {section.part})"
    return source + (f": {name}" if name else "")
