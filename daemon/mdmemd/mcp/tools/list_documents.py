"""``list_documents``: which documents there are.

At most ``DOCUMENTS_MAX`` rows; where there are more, the number of documents in each folder one level down
tells how to narrow it.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from mdmemd.engine.report import Listing
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.index.path_globs import is_glob
from mdmemd.mcp.answer_budget import fitting
from mdmemd.mcp.filter_parameters import FILTERS_AS_ELSEWHERE, filter_of
from mdmemd.mcp.parameters import Text
from mdmemd.mcp.quoting import compact_json
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Service
from mdmemd.mcp.state_line import listing_state
from mdmemd.mcp.tool import CWD, FRESH, ROOT, Call, Tool, noted
from mdmemd.search.page import DocumentRow

DOCUMENTS_MAX = 200
FOLDERS_MAX = 50

DESCRIPTION = """\
List the indexed Markdown documents (path, title, sections, tokens, modified, own date), all or below one \
directory: to see what exists. Filters as in search_docs, which is the one to find an answer."""


def run(service: Service, call: Call) -> str:
    """The listing as JSON; a directory without any document is an error, as it is in a filter."""
    directory = call.arguments["directory"].strip()
    globs = (directory,) if is_glob(directory) else ()
    roots, prefix = place_of(service, "" if globs else directory, scope=call.scope)
    where = filter_of(call.arguments, paths=globs or ((prefix,) if prefix else ()))
    listing = service.documents(roots=roots, prefix=prefix, where=where, fresh=call.arguments["fresh"])
    names = {row.root for row in listing.documents}
    answer: dict[str, Any] = {"root": next(iter(names))} if len(names) == 1 else {}
    shown = fitting(_row(row, with_root=len(names) > 1) for row in listing.documents[:DOCUMENTS_MAX])
    answer["documents"] = shown
    if len(shown) < len(listing.documents):
        answer["cut"] = f"{len(shown)} of {len(listing.documents)} documents: narrow it with directory"
        answer["folders"] = _folders(listing, prefix=prefix)
    answer["state"] = listing_state(listing.state, scope=call.scope)
    return compact_json(noted(answer, scope=call.scope))


def place_of(service: Service, directory: str, *, scope: Scope) -> tuple[tuple[str, ...], str]:
    """The roots and the root-relative folder that ``directory`` means."""
    if os.path.isabs(directory):
        return _absolute_place(service, os.path.normpath(directory))
    prefix = os.path.normpath(directory) if directory.strip() else ""
    if prefix == ".." or prefix.startswith("../"):
        raise InvalidRequestError(
            "'directory' must not leave its root.",
            remedy="Give a folder relative to the root, or an absolute one.",
        )
    return scope.roots, "" if prefix == "." else prefix


def _absolute_place(service: Service, directory: str) -> tuple[tuple[str, ...], str]:
    holders = [
        status for status in service.roots() if os.path.commonpath((status.path, directory)) == status.path
    ]
    if not holders:
        raise NotFoundError(
            "'directory' is in no registered root.",
            remedy="Give a folder of one of these, or one relative to a root.",
            candidates=tuple(status.path for status in service.roots()),
        )
    holder = max(holders, key=lambda status: len(status.path))
    prefix = os.path.relpath(directory, holder.path)
    return (holder.name,), "" if prefix == "." else prefix


def _row(row: DocumentRow, *, with_root: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"root": row.root} if with_root else {}
    modified = datetime.fromtimestamp(row.modified_at, UTC).strftime("%Y-%m-%dT%H:%MZ")
    return fields | {
        "path": row.path,
        "title": row.title,
        "sections": row.sections,
        "tokens": row.tokens,
        "modified": modified,
        **({"date": row.date} if row.date else {}),
    }


def _folders(listing: Listing, *, prefix: str) -> dict[str, int]:
    start = len(prefix) + 1 if prefix else 0
    counts = Counter(
        row.path[: row.path.index("/", start) + 1] for row in listing.documents if "/" in row.path[start:]
    )
    return dict(counts.most_common(FOLDERS_MAX))


TOOL = Tool(
    name="list_documents",
    title="List documents",
    description=DESCRIPTION,
    parameters=(
        Text(
            name="directory",
            description="Folder relative to the root, or absolute; or a glob.",
            synonyms=("dir", "path", "folder", "prefix"),
        ),
        ROOT,
        CWD,
        *FILTERS_AS_ELSEWHERE,
        FRESH,
    ),
    run=run,
)
