"""The mdmem daemon: one warm, fresh memory of a user's Markdown.

Who owns what. Everything not listed is immutable and shared freely.

======================  =====================================================================================
thread                  alone may write
======================  =====================================================================================
main: one asyncio loop  connections, MCP sessions, signals
writer                  documents, postings, vectors, tick; publishes an immutable state (``engine.writer``)
large files             nothing: reads a large file, has it parsed by a child process and posts the outcome to
                        the writer (``engine.large_files``)
embedder                the vectors of passages and their cache (``embed.queue``): a fresh edit overtakes bulk
watcher                 nothing of the engine: turns events of the system into hints (``adapters.watching``)
checkpointer            the folders of saved indexes (``engine.checkpointer``)
query pool (small)      nothing; each call takes the published state once
question vectors (2)    nothing: a question's vector is begun there (``engine.question_vector``); where none
                        is free the thread that asks computes it, since the model's sessions may be shared
======================  =====================================================================================

Layers, lowest first; a package may import only what stands above it. ``pyproject.toml`` holds the contract.

``model`` ``errors`` ``ports`` ``config`` ``workers`` | ``text`` | ``index`` | ``sync`` | ``embed`` |
``store`` | ``search`` | ``engine`` | ``mcp`` | ``server`` | ``adapters`` | ``app`` ``__main__``
"""
