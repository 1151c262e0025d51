"""The client side of mdmem: ``mdmem.link`` (the public Python API), ``mdmem.cli`` and ``mdmem.mcp``.

Nothing is imported here: what a client costs to start is part of its contract.
"""
