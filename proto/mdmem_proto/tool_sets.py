"""The names of the tool sets that an MCP session may ask for (``mcp.open``), so that both sides know them.

What each holds is the daemon's (``mdmemd.mcp.toolsets``). Imports nothing: the shim checks an option by it.
"""

from __future__ import annotations

NATIVE = "mdmem"
"""The set that a session gets if neither it nor ``config.toml`` names one."""

TOOL_SETS = (NATIVE, "markdown-memory", "markdex", "docsearch")
