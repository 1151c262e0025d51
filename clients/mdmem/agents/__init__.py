"""Setting up coding agents: where each keeps its list of MCP servers, and how to change that list safely."""
