"""What agents see: the tools, their texts, the instructions, and one MCP session for each connected shim."""
