"""``get_document_outline`` of markdown-memory: the headings of one document as a tree.

A document with more than ``NODES_MAX`` headings is shown down to the deepest level that fits.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from mdmemd.mcp.quoting import compact_json, line_span
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call, Tool
from mdmemd.mcp.tools.document_lookup import look_up
from mdmemd.mcp.toolsets.markdown_memory.places import CWD, FILE_PATH
from mdmemd.search.page import Outline, OutlineNode

NODES_MAX = 500

DESCRIPTION = """\
List the headings of one Markdown document with level, lines and token cost, without their text: to choose \
what to read_section. Pass a heading_path on as it stands."""


def run(service: Service, call: Call) -> str:
    """The tree as JSON."""

    def read(path: str, root: str) -> Outline:
        return service.outline(path, root=root)

    outline = look_up(service, call.arguments["file_path"], scope=call.scope, read=read)
    deepest = _deepest(outline.nodes)
    return compact_json([_row(node, deepest=deepest) for node in outline.nodes[:NODES_MAX]])


def _deepest(nodes: tuple[OutlineNode, ...]) -> int:
    """The level down to which all headings together are at most ``NODES_MAX``."""
    counts: Counter[int] = Counter()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        counts[node.level] += 1
        pending.extend(node.children)
    total, deepest = 0, 0
    for level in sorted(counts):
        total += counts[level]
        if total > NODES_MAX:
            break
        deepest = level
    return deepest


def _row(node: OutlineNode, *, deepest: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "title": node.title,
        "level": node.level,
        "heading_path": " > ".join(node.heading_path) or node.title,
        "lines": line_span(node.lines),
        "tokens": node.tokens,
    }
    if node.parts > 1:
        row["parts"] = node.parts
    children = [_row(child, deepest=deepest) for child in node.children if child.level <= deepest]
    return row | ({"children": children} if children else {})


TOOL = Tool(
    name="get_document_outline",
    title="Outline of a document",
    description=DESCRIPTION,
    parameters=(FILE_PATH, CWD),
    run=run,
)
