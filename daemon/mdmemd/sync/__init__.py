"""Which files belong to a root, what changed, and in which order: decides without touching the index."""
