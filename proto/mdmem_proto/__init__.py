"""The wire contract of mdmem: frames, messages, handshake, limits, and where the socket is.

Invariants: no IO, no threads, no clock; both programs import this package and nothing else of each other.
The specification for other languages is ``proto/PROTOCOL.md``.
"""
