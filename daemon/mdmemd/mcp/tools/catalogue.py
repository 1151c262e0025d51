"""The tools that agents see, in this order."""

from __future__ import annotations

from mdmemd.mcp.tools import (
    get_document_outline,
    index_status,
    list_documents,
    read_section,
    reindex,
    search_docs,
)

TOOLS = (
    search_docs.TOOL,
    read_section.TOOL,
    get_document_outline.TOOL,
    list_documents.TOOL,
    index_status.TOOL,
    reindex.TOOL,
)
