"""A loaded model: texts to unit vectors.

Invariants: every vector is finite and has length 1, whatever the graph gives; a text's vector depends on the
text alone, because each text is a run of its own, without padding; memory is bounded by the model's token
limit times the threads. Texts of one call run side by side, each on one thread: measured on 2 cores, that
computes as many passages a second as the best batches and a third more than one run on two threads at a time.
Passages are encoded on the embedder thread, questions on any.

Does not open files or sessions (``loading``), choose between models (``registry``) or remember vectors
(``vector_cache``).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from mdmemd.embed.registry import ModelSpec, Pooling
from mdmemd.embed.session import Session
from mdmemd.embed.tokenizer import WordPieceTokenizer
from mdmemd.model import FloatMatrix, FloatVector


class OnnxEncoder:
    """``ports.Encoder`` over one session, with at most ``threads`` runs at a time.

    ``fingerprint`` is that of the vectors which the session's graph gives.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        session: Session,
        tokenizer: WordPieceTokenizer,
        fingerprint: str,
        threads: int,
        message: str | None = None,
    ) -> None:
        self._spec = spec
        self._session = session
        self._tokenizer = tokenizer
        self._fingerprint = fingerprint
        self._message = message
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="encoder")
        self._input_names = {node.name for node in session.get_inputs()}
        self._texts_cut = 0

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give another vector: with the model, and with its graph."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._spec.dimensions

    @property
    def texts_cut(self) -> int:
        """How many passages so far were longer than the model's limit: only their beginnings count."""
        return self._texts_cut

    @property
    def message(self) -> str | None:
        """What the user should know about how the model runs, in sentences; ``None`` if all is well."""
        return self._message

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit vectors, shape ``(len(texts), dimensions)``.

        Raises ``FloatingPointError`` where one is not finite.
        """
        tokenized = self._tokenizer.encode([self._spec.passage_prompt + text for text in texts])
        self._texts_cut += tokenized.cut
        vectors = np.empty((len(texts), self._spec.dimensions), np.float32)
        # A single text is not worth the way to another thread and back.
        run = self._pool.map if len(texts) > 1 else map
        for row, vector in enumerate(run(self._vector, tokenized.ids)):
            vectors[row] = vector
        return to_unit_length(vectors)

    def encode_query(self, text: str) -> FloatVector:
        """Unit vector of a question. Raises ``FloatingPointError`` where it is not finite."""
        (tokens,) = self._tokenizer.encode([self._spec.query_prompt + text]).ids
        vector: FloatVector = to_unit_length(self._vector(tokens)[np.newaxis])[0]
        return vector

    def _vector(self, tokens: Sequence[int]) -> FloatVector:
        """One run of the graph; any thread."""
        ids = np.array([tokens], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        used = {name: values for name, values in feed.items() if name in self._input_names}
        (hidden,) = self._session.run([self._spec.output], used)
        return pool(hidden[0], pooling=self._spec.pooling)


def pool(hidden: npt.NDArray[np.float32], *, pooling: Pooling) -> FloatVector:
    """The vector of a text, shape ``(dimensions,)``, of those of its tokens, ``(tokens, dimensions)``."""
    with np.errstate(invalid="ignore"):
        vector: FloatVector = hidden[0] if pooling is Pooling.CLS else hidden.mean(axis=0)
    return vector


def to_unit_length(vectors: FloatMatrix) -> FloatMatrix:
    """The rows divided by their Euclidean norms.

    Raises ``FloatingPointError`` where one is not finite or has no direction.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    bad = ~(np.isfinite(norms) & (norms > 0))
    if bad.any():
        raise FloatingPointError(f"the model gave no usable vector for {bad.sum()} of {len(vectors)} texts")
    unit: FloatMatrix = vectors / norms
    return unit
