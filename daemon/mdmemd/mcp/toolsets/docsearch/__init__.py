"""The tools of mcp-docsearch on our engine: one file for each, ``tools`` lists them."""
