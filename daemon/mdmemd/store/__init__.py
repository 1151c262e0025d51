"""What the daemon keeps on disk besides its caches, behind the ``BlobStore`` port: the list of roots (user data)."""
