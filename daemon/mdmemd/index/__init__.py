"""The index of a root, in memory: documents, sections, passages, words, vectors, and questions to them.

``root_index`` is the mutable side and belongs to the writer thread; ``snapshot`` and ``scope`` are the frozen
side, read by many threads meanwhile. A root is a few immutable segments plus the deletions in each
(``segment``, ``deletions``), so that a snapshot shares almost everything with the next one. No paths of the
disk are opened here and no threads are started.
"""
