"""``index_stats`` of mcp-docsearch: where the corpus is and how much of it is indexed."""

from __future__ import annotations

from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.toolsets.corpus import corpus_of
from mdmemd.text.limits import DEFAULT_LIMITS

DESCRIPTION = "Show which folder is indexed, how, and how many chunks there are."


def run(service: Service, call: Call) -> str:
    """Five lines."""
    corpus = corpus_of(service, call.scope)
    modes = sorted({status.chunk_mode.value for status in corpus.statuses})
    window, overlap = DEFAULT_LIMITS.window_lines, DEFAULT_LIMITS.window_overlap_lines
    return "\n".join(
        (
            f"Corpus: {one_line(corpus.folder)}",
            "Store: the mdmem daemon",
            f"Collection: {one_line(', '.join(status.name for status in corpus.statuses))}",
            f"Chunking: {', '.join(modes)} (window {window}, overlap {overlap})",
            f"Chunks: {sum(status.sections for status in corpus.statuses)}",
        )
    )


TOOL = Tool(
    name="index_stats",
    title="Index statistics",
    description=DESCRIPTION,
    parameters=(),
    run=run,
    waits_for_index=False,
)
