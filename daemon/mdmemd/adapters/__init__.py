"""The real outside world: one file or folder per outside thing, each implements one port.

Adapters do not know each other.
"""
