"""``mdmem-mcp``, which an agent's client starts: a pump between standard streams and the daemon's socket."""
