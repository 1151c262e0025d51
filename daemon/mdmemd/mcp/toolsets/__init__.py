"""Tool sets: our own tools, and those of other systems with their names and answers, one folder each."""
