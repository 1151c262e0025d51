"""What the commands that set up agents print."""

from __future__ import annotations

from mdmem.agents.setup import Done
from mdmem.cli.render.style import line

AGENTS_MD = """\
Documentation, notes and decisions of this project are indexed by mdmem. Before you grep or open whole
Markdown files, ask `search_docs` (a full question, or exact identifiers), then `read_section` for more of a
result. Results are ranked, not complete.
"""


def render_done(done: Done, *, verb: str, dry_run: bool) -> str:
    """One line."""
    by = line(done.by)
    if not done.changed:
        state = "has it already" if verb == "add" else "does not have it"
        return f"{done.agent} {state}: {by}\n"
    if dry_run:
        return f"would {verb} it: {by}\n"
    return f"{done.agent}: {'added' if verb == 'add' else 'removed'} by {by}\n"
