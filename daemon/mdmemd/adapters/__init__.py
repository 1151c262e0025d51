"""The real outside world: one file per outside thing, each implements one port; adapters do not know each other."""
