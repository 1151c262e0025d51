"""``index_directory`` of markdown-memory: has a folder looked at now, and registers it if it is new.

The numbers are of the whole root that holds the folder. Embedding goes on behind the answer, which says so.
"""

from __future__ import annotations

import os

from mdmemd.engine.report import RootState, RootStatus
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Indexing, Service
from mdmemd.mcp.state_line import NO_ROOTS
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.toolsets.corpus import corpus_of
from mdmemd.mcp.toolsets.index_changes import Begun, begin_roots, changes_since
from mdmemd.mcp.toolsets.markdown_memory.places import CWD
from mdmemd.mcp.toolsets.plain_parameters import NullableText

DESCRIPTION = """\
Bring the index of a directory up to date now, or index a new one. Rarely needed: searches look for changed \
files themselves."""


def begin(service: Service, indexing: Indexing, call: Call) -> Begun:
    """Have the work begun."""
    names = _names(service, call.arguments["directory"].strip(), scope=call.scope)
    return begin_roots(service, indexing, names, force=False)


def _names(service: Service, directory: str, *, scope: Scope) -> tuple[str, ...]:
    """The roots that hold the folder, which is registered if none does; without one, those of the session."""
    statuses = service.roots()
    if not directory:
        return scope.roots or tuple(status.name for status in statuses)
    folder = os.path.normpath(os.path.join(corpus_of(service, scope).folder, directory))
    around = [status for status in statuses if os.path.commonpath((status.path, folder)) == status.path]
    if around:
        return (max(around, key=lambda status: len(status.path)).name,)
    found = service.project_roots(folder, beside=scope.session)
    if not found.names:
        raise InvalidRequestError(
            f"{folder} cannot be indexed: {one_line(found.reason or '')}",
            remedy="Give a folder that holds Markdown, or register it: mdmemctl root add FOLDER",
        )
    return found.names


def run(service: Service, call: Call) -> str:
    """The summary."""
    begun = call.target
    assert isinstance(begun, Begun)
    changes = changes_since(service, begun)
    statuses = [status for status in service.roots() if status.name in begun.roots]
    if not statuses:
        return NO_ROOTS
    sections = sum(row.sections for row in changes.renewed)
    unchanged = len(changes.now) - len(changes.renewed)
    summary = (
        f"Indexed {', '.join(status.path for status in statuses)} in {changes.seconds:.2f}s: "
        f"{len(changes.now)} scanned, {len(changes.renewed)} (re)indexed, {unchanged} unchanged, "
        f"{len(changes.gone)} purged, {sections} sections embedded ({changes.embedded} passages)."
    )
    notes = [f"NOTE {call.scope.note}"] if call.scope.note else []
    for status in statuses:
        notes += _notes(status)
    return "\n".join((summary, *notes))


def _notes(status: RootStatus) -> list[str]:
    lines = []
    if status.state is RootState.INDEXING:
        lines.append(f"NOTE goes on in {status.path}: {status.pending_files} files to be read")
    if status.embedded < status.passages:
        lines.append(f"NOTE {status.embedded} of {status.passages} passages are embedded; the rest follows")
    lines += [f"ERROR {one_line(item.path)}: {one_line(item.problem.message)}" for item in status.problems]
    if status.problem_count:
        lines.append(f"INCOMPLETE: {status.problem_count} file(s) with problems")
    return lines


TOOL = Tool(
    name="index_directory",
    title="Bring the index up to date",
    description=DESCRIPTION,
    parameters=(
        NullableText(name="directory", description="Folder; without it the folders of this project."),
        CWD,
    ),
    run=run,
    begin=begin,
    is_read_only=False,
)
