"""The daemon and its roots as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.cli.render.style import Style, counted, line, table
from mdmem_proto.messages import ModelInfo, RootInfo, StatusResult


def render_status(status: StatusResult, style: Style, *, now: float) -> str:
    """The whole state; ``now`` is unix seconds."""
    daemon, model = status.daemon, status.model
    life = f"up {duration(now - daemon.started_at)}, {megabytes(daemon.rss_bytes)}"
    facts = [
        ["daemon", f"{daemon.version}, process {daemon.pid}, {life}"],
        ["python", line(daemon.interpreter)],
        ["socket", line(daemon.socket)],
        ["log", line(daemon.log or "standard error of the daemon")],
        ["model", _model(model)],
    ]
    warnings = [style.bold(f"! {line(message)}") for message in status.messages]
    return "\n".join([*table(facts), *warnings, "", render_roots(status.roots, style)])


def render_roots(roots: Sequence[RootInfo], style: Style) -> str:
    """A table of the roots, then what is wrong with each."""
    if not roots:
        return "No roots yet: `mdmemctl root add PATH` registers a folder.\n"
    rows = [["ROOT", "STATE", "DOCUMENTS", "SECTIONS", "EMBEDDED", "PENDING", "PATH"]]
    rows += [_root_row(root) for root in roots]
    lines = table(rows, right=frozenset({2, 3, 4, 5}))
    return "\n".join([*lines, *(text for root in roots for text in _troubles(root, style))]) + "\n"


def render_root(root: RootInfo) -> str:
    """One root in one sentence."""
    size = f"{counted(root.documents, 'document')}, {counted(root.sections, 'section')}"
    return f"{line(root.name)} ({line(root.path)}): {root.state}, {size}, {_embedded(root)} embedded"


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 5 min``, ``2 d 4 h``."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes_rest = divmod(minutes, 60)
    days, hours_rest = divmod(hours, 24)
    if days:
        return f"{days} d {hours_rest} h"
    if hours:
        return f"{hours} h {minutes_rest} min"
    return f"{minutes} min" if minutes else f"{rest} s"


def megabytes(size_bytes: int) -> str:
    """Bytes in units of 1,000,000."""
    return f"{size_bytes / 1e6:,.0f} MB"


def _model(model: ModelInfo) -> str:
    text = f"{line(model.name)}, {model.state}"
    if model.detail:
        text += f": {line(model.detail)}"
    if model.changing_to:
        text += f", changing to {line(model.changing_to)}"
    if model.queued:
        text += f", {counted(model.queued, 'passage')} queued, {model.passages_per_second:,.0f} a second"
    return text


def _root_row(root: RootInfo) -> list[str]:
    numbers = [f"{root.documents:,}", f"{root.sections:,}", _embedded(root), f"{root.pending_files:,}"]
    return [line(root.name), root.state, *numbers, line(root.path)]


def _embedded(root: RootInfo) -> str:
    return f"{root.embedded:,}/{root.passages:,}" if root.embedded < root.passages else f"{root.embedded:,}"


def _troubles(root: RootInfo, style: Style) -> list[str]:
    name = line(root.name)
    found = [style.bold(f"! {name}: {line(root.detail)}")] if root.detail else []
    if root.watch_mode == "polling" and root.watch_reason:
        found.append(f"  {name} is looked at when asked, not watched: {line(root.watch_reason)}")
    if root.problem_count:
        found.append(style.bold(f"! {name}: {counted(root.problem_count, 'problem')}"))
    for problem in root.problems:
        path = line(problem.path) or "the root itself"
        where = path if problem.line is None else f"{path}:{problem.line}"
        found.append(f"  {where}: {line(problem.message)}")
    hidden = root.problem_count - len(root.problems)
    return [*found, f"  and {hidden:,} more"] if root.problems and hidden > 0 else found
