"""``get_document_outline``: the headings of one document in order, each with what reading it costs.

A document with more headings than ``SECTIONS_MAX`` is shown down to the deepest level that fits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mdmemd.mcp.answer_budget import fitting
from mdmemd.mcp.quoting import compact_json, line_span
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import CWD, ROOT, Call, Tool, noted
from mdmemd.mcp.tools.document_lookup import FILE_PATH, look_up
from mdmemd.search.page import Outline, OutlineNode

SECTIONS_MAX = 400

DESCRIPTION = """\
List the headings of one Markdown document with level, lines and token cost, without their text: to choose \
what to read_section instead of reading a whole file. Pass a heading_path on as it stands."""


def run(service: Service, call: Call) -> str:
    """The outline as JSON."""

    def read(path: str, root: str) -> Outline:
        return service.outline(path, root=root)

    outline = look_up(service, call.arguments["file_path"], scope=call.scope, read=read)
    answer: dict[str, Any] = {
        "root": outline.root,
        "path": outline.path,
        "title": outline.title,
        "tokens": outline.tokens,
    }
    nodes = list(_walk(outline.nodes))
    shown = fitting(_row(node) for node in _shallow(nodes))
    answer["sections"] = shown
    if len(shown) < len(nodes):
        answer["cut"] = f"{len(shown)} of {len(nodes)} headings: deeper or later ones are left out"
    return compact_json(noted(answer, scope=call.scope))


def _walk(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def _shallow(nodes: list[OutlineNode]) -> list[OutlineNode]:
    chosen = nodes
    for level in range(5, 0, -1):
        if len(chosen) <= SECTIONS_MAX:
            break
        chosen = [node for node in nodes if node.level <= level]
    return chosen[:SECTIONS_MAX]


def _row(node: OutlineNode) -> dict[str, Any]:
    row: dict[str, Any] = {
        "heading_path": " > ".join(node.heading_path),
        "id": node.id,
        "level": node.level,
        "lines": line_span(node.lines),
        "tokens": node.tokens,
    }
    return row | ({"parts": node.parts} if node.parts > 1 else {})


TOOL = Tool(
    name="get_document_outline",
    title="Outline of a document",
    description=DESCRIPTION,
    parameters=(FILE_PATH, ROOT, CWD),
    run=run,
)
