"""The wire contract of mdmem: frames, messages, handshake, limits, and where the socket is.

Invariants: no IO, no threads, no clock; both programs import this package and nothing else of each other.
The specification for other languages is ``proto/PROTOCOL.md``.

Reading order: ``limits``, ``version``, ``errors``, ``frames``, ``messages`` (what is asked and answered),
``envelope`` (what carries it), ``conversation`` (who may say what when), ``session`` (the face of all that);
``endpoint`` (where the socket is); ``msgpack`` and ``mcp_stream`` (the little of it that the MCP shim needs,
without msgspec); ``release`` (the program's version).
"""
