"""Text to vectors: the pinned model, its tokenizer and encoder, the vector cache and the queue before them.

Entry: ``queue.EmbedQueue``, whose steps run on the embedder thread. Knows no roots and no documents, only
texts and keys; nothing here opens a network connection.
"""
