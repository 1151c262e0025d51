"""One question against one snapshot: query parsing, candidates, fusion, quoting, reading and outlines. Knows
no sockets and no threads.
"""
