"""What the daemon keeps on disk, behind ports.

The list of roots (user data, ``BlobStore``), and saved indexes (a cache of the Markdown, ``CheckpointDisk``,
described in ``daemon/CHECKPOINT.md``).
"""
