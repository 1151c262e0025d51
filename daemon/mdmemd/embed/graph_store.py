"""Keeps compiled graphs between starts.

Format: one blob a model, named after the hash of its weights; little-endian:

=============  ===============================================================================================
32 bytes       SHA-256 of the graph's identity and of all that follows
float32 each   the shipped graph's vectors of ``CHECK_TEXTS``: texts times dimensions
the rest       the compiled graph: an ONNX model
=============  ===============================================================================================

The identity is the fingerprint that vectors of the graph have, with the check texts. Because it is hashed and
not stored, a blob of another model, of another version of the compiler and one with a flipped byte are all
the same to the reader: not there.

What a graph is worth is not stored: it is compared with the shipped graph's vectors at each start (40 ms),
since another processor or another onnxruntime may compute otherwise. A cache, which can be deleted at any
time. Embedder thread.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from mdmemd.embed.graph_check import CHECK_TEXTS
from mdmemd.model import FloatMatrix
from mdmemd.ports import BlobStore

COMPONENT = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """An ONNX model, and the vectors of ``CHECK_TEXTS`` that it has to come near to, one a row."""

    model: bytes
    references: FloatMatrix


class GraphStore:
    """The place of one model's compiled graph.

    Args:
        blobs: where it is.
        weights_sha256: of the file that it was compiled from.
        fingerprint: of the vectors that it gives.
        dimensions: length of a vector.
    """

    def __init__(self, blobs: BlobStore, *, weights_sha256: str, fingerprint: str, dimensions: int) -> None:
        self._blobs = blobs
        self._name = f"compiled-{weights_sha256[:16]}.graph"
        self._identity = "\0".join([fingerprint, *CHECK_TEXTS]).encode()
        self._dimensions = dimensions

    def read(self) -> CompiledGraph | None:
        """The graph, or ``None`` where there is none that can be used. Raises ``OSError``."""
        try:
            content = memoryview(self._blobs.read(self._name))
        except FileNotFoundError:
            return None
        digest_bytes = hashlib.sha256().digest_size
        if content[:digest_bytes] != self._digest(content[digest_bytes:]):
            return None
        components = len(CHECK_TEXTS) * self._dimensions
        references = np.frombuffer(content, COMPONENT, components, offset=digest_bytes)
        return CompiledGraph(
            model=bytes(content[digest_bytes + references.nbytes :]),
            references=references.reshape(len(CHECK_TEXTS), self._dimensions).astype(np.float32),
        )

    def write(self, graph: CompiledGraph) -> None:
        """Keep the graph in place of any before it. Raises ``OSError``."""
        payload = graph.references.astype(COMPONENT).tobytes() + graph.model
        self._blobs.replace(self._name, self._digest(payload) + payload)

    def _digest(self, payload: bytes | memoryview) -> bytes:
        digest = hashlib.sha256(self._identity)
        digest.update(payload)
        return digest.digest()
