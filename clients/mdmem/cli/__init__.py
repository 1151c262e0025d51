"""The command ``mdmemctl``: ``main`` is the entry, ``commands`` has the commands, ``render`` makes text."""
