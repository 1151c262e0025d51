"""The RPC surface: listener, connections, one handler per request.

The only package of the daemon that knows wire types.
"""
