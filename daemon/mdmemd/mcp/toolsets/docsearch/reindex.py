"""``reindex`` of mcp-docsearch: looks at the corpus now, reads one file again, or makes the index anew.

A section is what it calls a chunk. Searches look for changed files themselves, so that mostly nothing is left
to do here.
"""

from __future__ import annotations

import os

from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.mcp.parameters import Flag
from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.service import Indexing, Service
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.toolsets.corpus import corpus_of
from mdmemd.mcp.toolsets.index_changes import Begun, IndexChanges, begin_roots, changes_since
from mdmemd.mcp.toolsets.plain_parameters import PlainText
from mdmemd.search.page import DocumentRow

LINES_MAX = 200

DESCRIPTION = """\
Bring the index up to date now: all of it, or one file. Rarely needed: searches look for changed files \
themselves. force makes the whole index anew."""


def begin(service: Service, indexing: Indexing, call: Call) -> Begun:
    """Have the work begun; a file that is not in the corpus, or not indexed, is not found."""
    corpus = corpus_of(service, call.scope)
    path = call.arguments["file_path"].strip()
    names = tuple(status.name for status in corpus.statuses)
    if not path:
        if call.arguments["force"] and len(names) > 1:
            raise InvalidRequestError(
                "Which of the indexes to make anew is not clear: no single root serves this session.",
                remedy="Use: mdmemctl index NAME --force",
                candidates=names,
            )
        return begin_roots(service, indexing, names, force=call.arguments["force"])
    absolute = os.path.normpath(os.path.join(corpus.folder, path))
    missing = NotFoundError(f"File not found: {path}")
    if not corpus.folder or not absolute.startswith(f"{corpus.folder.rstrip('/')}/"):
        raise missing
    try:
        target = indexing.index("", path=absolute, force=False)
    except NotFoundError as error:
        raise missing from error
    if not target.file or target.roots[0] not in names:
        raise missing
    return Begun(target.roots, target.file)


def run(service: Service, call: Call) -> str:
    """What was done, and how many chunks there are."""
    begun = call.target
    assert isinstance(begun, Begun)
    changes = changes_since(service, begun)
    total = f"Total chunks: {sum(row.sections for row in changes.now)}"
    if begun.file:
        chunks = sum(row.sections for row in changes.now if row.path == begun.file)
        return f"Re-indexed {one_line(call.arguments['file_path'])}: {chunks} chunks\n{total}"
    is_forced = call.arguments["force"]
    if not is_forced and not changes.renewed and not changes.gone:
        return f"Index already up to date. {total}"
    lines = _lines(service, call, changes, is_forced=is_forced)
    more = [f"  ... and {len(lines) - LINES_MAX} more"] if len(lines) > LINES_MAX else []
    title = "Rebuilt index:" if is_forced else "Updated index:"
    return "\n".join((title, *lines[:LINES_MAX], *more, total))


def _lines(service: Service, call: Call, changes: IndexChanges, *, is_forced: bool) -> list[str]:
    corpus = corpus_of(service, call.scope)

    def shown(row: DocumentRow) -> str:
        return one_line(corpus.shown(row.root, row.path))

    indexed = changes.now if is_forced else changes.renewed
    lines = [f"  {shown(row)}: {row.sections} chunks" for row in indexed]
    return lines + [f"  {shown(row)}: deleted ({row.sections} chunks)" for row in changes.gone]


TOOL = Tool(
    name="reindex",
    title="Bring the index up to date",
    description=DESCRIPTION,
    parameters=(
        PlainText(name="file_path", description="Only this file, relative to the corpus."),
        Flag(name="force"),
    ),
    run=run,
    begin=begin,
    is_read_only=False,
)
