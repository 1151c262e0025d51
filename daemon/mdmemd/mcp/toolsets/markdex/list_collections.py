"""``list_collections`` of markdex: the roots, with their passages as points and the model as the vector."""

from __future__ import annotations

from mdmemd.mcp.quoting import encodable
from mdmemd.mcp.service import Service
from mdmemd.mcp.tool import Call, Structured, Tool

DESCRIPTION = "List the collections of Markdown that can be searched, with their sizes."


def run(service: Service, _call: Call) -> Structured:
    """The collections by name."""
    model = service.model()
    rows = [
        {
            "name": encodable(status.name),
            "dimension": model.dimensions,
            "vector_name": model.name,
            "points": status.passages,
        }
        for status in service.roots()
    ]
    lines = (f"- {row['name']} ({row['points']} points, dim {row['dimension']})" for row in rows)
    return Structured("\n".join(lines) or "No collections.", {"collections": rows})


TOOL = Tool(
    name="list_collections",
    title="List collections",
    description=DESCRIPTION,
    parameters=(),
    run=run,
    output_schema={
        "type": "object",
        "properties": {
            "collections": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "dimension": {"type": "integer"},
                        "vector_name": {"type": "string"},
                        "points": {"type": "integer"},
                    },
                    "required": ["name", "dimension", "vector_name", "points"],
                },
            }
        },
        "required": ["collections"],
    },
)
