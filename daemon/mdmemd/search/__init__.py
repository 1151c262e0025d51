"""One question against one snapshot, and reading what it found. Knows no sockets and no threads."""
