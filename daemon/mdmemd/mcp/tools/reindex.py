"""``reindex``: looks at roots now, reads one file again, or makes an index anew.

Waits until what that found has been read, telling progress to clients that asked for it; what takes longer
than clients like to wait goes on behind the answer, which says so.
"""

from __future__ import annotations

import os
from typing import Any

from mdmemd.engine.indexing import Target
from mdmemd.engine.report import RootState, RootStatus
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.parameters import Flag, Text
from mdmemd.mcp.quoting import compact_json
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Indexing, Service
from mdmemd.mcp.state_line import NO_ROOTS
from mdmemd.mcp.tool import CWD, ROOT, Call, Tool, noted

DESCRIPTION = """\
Bring the index up to date now and wait for it. Rarely needed: searches look for changed files themselves. \
Use it when index_status shows a problem, or with force to make the index of a root anew."""


def begin(service: Service, indexing: Indexing, call: Call) -> Target:
    """Have the work begun; what is done when this returns is said at ``engine.indexing``."""
    force, path = call.arguments["force"], call.arguments["path"].strip()
    if path:
        return indexing.index("", path=_absolute(service, path, scope=call.scope), force=force)
    names = call.scope.roots
    if not names:
        if force and not call.scope.is_named:
            raise InvalidRequestError(
                "'force' makes whole indexes anew: name the root.",
                remedy='Give root, or root="*" for all of them.',
                candidates=tuple(status.name for status in service.roots()),
            )
        return indexing.index("", path="", force=force)
    begun = [indexing.index(name, path="", force=force) for name in names]
    return Target(tuple(dict.fromkeys(name for target in begun for name in target.roots)))


def run(service: Service, call: Call) -> str:
    """How far it is, as JSON."""
    target = call.target
    assert target is not None
    roots = [status for status in service.roots() if status.name in target.roots]
    answer: dict[str, Any] = {"file": target.file} if target.file else {}
    answer["roots"] = [_root(status) for status in roots]
    answer["state"] = _state(roots)
    return compact_json(noted(answer, scope=call.scope))


def _absolute(service: Service, path: str, *, scope: Scope) -> str:
    """The absolute path that is meant; a relative one begins at the only root of the call."""
    if os.path.isabs(path):
        return os.path.normpath(path)
    folders = {status.name: status.path for status in service.roots()}
    if len(scope.roots) != 1 or scope.roots[0] not in folders:
        raise InvalidRequestError(
            f"It is not clear in which root {path!r} is.", remedy="Give one 'root', or an absolute path."
        )
    return os.path.normpath(os.path.join(folders[scope.roots[0]], path))


def _root(status: RootStatus) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": status.name,
        "state": status.state.value,
        "documents": status.documents,
        "sections": status.sections,
    }
    if status.pending_files:
        row["pending_files"] = status.pending_files
    if status.problem_count:
        row["problem_count"] = status.problem_count
    if status.detail:
        row["detail"] = status.detail
    return row


def _state(roots: list[RootStatus]) -> str:
    if not roots:
        return NO_ROOTS
    going_on = [status.name for status in roots if status.state is RootState.INDEXING]
    if going_on:
        return (
            f"goes on in {', '.join(going_on)}; searches are answered meanwhile, index_status tells how far"
        )
    unreachable = [status.name for status in roots if status.state is RootState.MISSING]
    if unreachable:
        return f"out of reach: {', '.join(unreachable)}"
    embedding = [status.name for status in roots if status.state is RootState.EMBEDDING]
    if embedding:
        return f"all files are read; embedding goes on in {', '.join(embedding)}"
    return "up to date"


TOOL = Tool(
    name="reindex",
    title="Bring the index up to date",
    description=DESCRIPTION,
    parameters=(
        Text(
            name="path",
            description="Only this file, relative to the root or absolute.",
            synonyms=("file_path", "file", "filename", "directory", "dir", "folder"),
        ),
        Flag(name="force", synonyms=("rebuild", "full", "force_rebuild")),
        ROOT,
        CWD,
    ),
    run=run,
    begin=begin,
    is_read_only=False,
)
