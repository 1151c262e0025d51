"""What the daemon keeps on disk besides its caches, behind the ``BlobStore`` port.

The list of roots (user data).
"""
