"""The tool sets by name.

Adding one is a folder here, its line below, and its name in ``mdmem_proto.tool_sets``. Pure data.
"""

from __future__ import annotations

from mdmem_proto.tool_sets import NATIVE
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.instructions import GUIDANCE
from mdmemd.mcp.prompts import PROMPTS
from mdmemd.mcp.tools.catalogue import TOOLS
from mdmemd.mcp.toolsets.docsearch.tools import DOCSEARCH
from mdmemd.mcp.toolsets.markdex.tools import MARKDEX
from mdmemd.mcp.toolsets.markdown_memory.tools import MARKDOWN_MEMORY
from mdmemd.mcp.toolsets.tool_set import ToolSet

TOOL_SETS = {
    NATIVE: ToolSet(TOOLS, GUIDANCE, PROMPTS),
    "markdown-memory": MARKDOWN_MEMORY,
    "markdex": MARKDEX,
    "docsearch": DOCSEARCH,
}


def tool_set(name: str) -> ToolSet:
    """The set called ``name``; raises ``InvalidRequestError`` with the names that there are."""
    found = TOOL_SETS.get(name)
    if found is None:
        raise InvalidRequestError(
            f"There is no tool set {name!r}.", remedy="Choose another.", candidates=tuple(TOOL_SETS)
        )
    return found
