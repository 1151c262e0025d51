"""The real outside world: one file per outside thing, each implements one port.

Adapters do not know each other.
"""
