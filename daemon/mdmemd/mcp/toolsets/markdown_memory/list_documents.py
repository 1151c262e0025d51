"""``list_documents`` of markdown-memory: the documents of the corpus, or below one folder of it."""

from __future__ import annotations

from dataclasses import replace

from mdmemd.mcp.answer_budget import fitting
from mdmemd.mcp.quoting import compact_json
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.tools.list_documents import place_of
from mdmemd.mcp.toolsets.corpus import corpus_of
from mdmemd.mcp.toolsets.markdown_memory.index_status import index_status
from mdmemd.mcp.toolsets.markdown_memory.places import CWD
from mdmemd.mcp.toolsets.plain_parameters import PlainText

DESCRIPTION = """\
List the indexed Markdown documents, all or below one directory: to see what exists. To find an answer, use \
search_docs."""


def run(service: Service, call: Call) -> str:
    """The listing as JSON; ``last_modified`` is unix seconds."""
    roots, prefix = place_of(service, call.arguments["directory"].strip(), scope=call.scope)
    corpus = corpus_of(service, replace(call.scope, roots=roots))
    listing = service.documents(roots=roots, prefix=prefix)
    shown = fitting(
        {
            "file_path": corpus.shown(row.root, row.path),
            "title": row.title,
            "section_count": row.sections,
            "last_modified": row.modified_at,
        }
        for row in listing.documents
    )
    total = len(listing.documents)
    cut = f"{len(shown)} of {total} documents: narrow it with directory" if len(shown) < total else ""
    status = index_status(listing.state, scope=call.scope, corpus=corpus, cut=cut)
    return compact_json({"documents": shown, "index_status": status})


TOOL = Tool(
    name="list_documents",
    title="List documents",
    description=DESCRIPTION,
    parameters=(PlainText(name="directory", description="Folder relative to the root, or absolute."), CWD),
    run=run,
)
