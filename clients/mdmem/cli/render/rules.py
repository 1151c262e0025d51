"""What the rules of a root do, and where a path stands, as a person reads it."""

from __future__ import annotations

from datetime import datetime

from mdmem.cli.render.status import render_root
from mdmem.cli.render.style import Style, counted, line, table
from mdmem_proto.messages import RemovedRow, RootShowResult, WhyPathResult


def render_root_rules(result: RootShowResult, style: Style) -> str:
    """A root, its options, and a table of what is out."""
    root = result.root
    watched = root.watch_mode or "not yet"
    if root.watch_reason:
        watched += f" ({line(root.watch_reason)})"
    facts = [
        ["cut", root.chunk_mode],
        ["exclude", _texts(result.exclude)],
        ["include", _texts(result.include) or "everything"],
        ["watch", f"{result.watch}: {watched}, {counted(root.watches, 'folder')} watched"],
        ["rules from", _texts(result.ignore_files) or "no ignore file"],
    ]
    lines = [render_root(root), *table([fact for fact in facts if fact[1]])]
    if result.removed:
        lines += ["", *table([["OUT", "BY", "FOR EXAMPLE"], *(_removed(row) for row in result.removed)])]
    else:
        lines += ["", "No rule takes anything away."]
    if result.unused_globs:
        lines.append(style.bold(f"! these globs match nothing: {_texts(result.unused_globs)}"))
    if root.detail:
        lines.append(style.bold(f"! {line(root.detail)}"))
    return "\n".join(lines) + "\n"


def render_why(result: WhyPathResult, style: Style) -> str:
    """One sentence, then what else is known."""
    where = f"{line(result.root)}: {line(result.relative) or '.'}" if result.root else line(result.path)
    lines = [f"{style.bold(where)}: {line(result.sentence)}"]
    if result.indexed_at is not None:
        lines.append(f"  indexed at {_moment(result.indexed_at)}")
    elif result.modified_at is not None:
        lines.append("  indexed before the daemon's start")
    if result.modified_at is not None:
        lines.append(f"  as saved at {_moment(result.modified_at)}")
    for problem in result.problems:
        place = "" if problem.line is None else f"line {problem.line}: "
        lines.append(f"  {place}{line(problem.message)}")
    return "\n".join(lines) + "\n"


def _removed(row: RemovedRow) -> list[str]:
    counts = ((row.files, "file"), (row.folders, "folder"))
    amount = ", ".join(counted(number, noun) for number, noun in counts if number)
    return [amount, line(row.sentence), _texts(row.examples)]


def _texts(texts: tuple[str, ...]) -> str:
    return ", ".join(line(text) for text in texts)


def _moment(unix_seconds: float) -> str:
    return datetime.fromtimestamp(unix_seconds).astimezone().isoformat(sep=" ", timespec="seconds")
