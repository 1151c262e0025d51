"""``list_headings`` of markdex: the heading paths of one collection, each once, sorted."""

from __future__ import annotations

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.quoting import compact_json, encodable
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call, Structured, Tool
from mdmemd.mcp.toolsets.markdex.collections import COLLECTION, rest_errors, slug

CHARACTERS_MAX = 40_000
"""Of all headings: they travel twice, and agents refuse answers above 25,000 tokens."""

DESCRIPTION = "List the headings of a collection, to see what it covers."


def run(service: Service, call: Call) -> Structured:
    """The headings, as many as fit; the text says how many do not."""
    collection = call.arguments["collection"].strip()
    if not collection:
        raise InvalidRequestError("collection is required")
    with rest_errors(collection):
        found = service.headings(roots=(collection,))
    headings = sorted({encodable(slug(heading_path)) for heading_path in found} - {""})
    shown: list[str] = []
    left = CHARACTERS_MAX
    for heading in headings:
        left -= len(heading) + 1
        if left < 0:
            break
        shown.append(heading)
    if not headings:
        return Structured(f"No headings in {compact_json(collection)}.", {"headings": []})
    more = [f"({len(headings) - len(shown)} more)"] if len(shown) < len(headings) else []
    return Structured("\n".join((*(f"- {heading}" for heading in shown), *more)), {"headings": shown})


TOOL = Tool(
    name="list_headings",
    title="List headings",
    description=DESCRIPTION,
    parameters=(COLLECTION,),
    run=run,
    output_schema={
        "type": "object",
        "properties": {"headings": {"type": "array", "items": {"type": "string"}}},
        "required": ["headings"],
    },
)
