"""An encoder without a model: vectors from hashed words, so that texts with common words are similar."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from mdmemd.model import FloatMatrix, FloatVector

CEILING_SECONDS = 20.0


class FakeEncoder:
    """``ports.Encoder``. ``calls`` has the texts of every call; ``fails_on`` are texts that have no vector.

    ``message`` is what the user should know. ``hold`` makes the next passages wait for ``release``;
    ``entered`` is set when one has begun.
    """

    def __init__(
        self,
        *,
        dimensions: int = 32,
        words_max: int = 256,
        fails_on: Collection[str] = (),
        fingerprint: str = "fake",
        message: str | None = None,
    ) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.entered = threading.Event()
        self.fails_on = set(fails_on)
        self._dimensions = dimensions
        self._words_max = words_max
        self._fingerprint = fingerprint
        self._message = message
        self._texts_cut = 0
        self._open = threading.Event()
        self._open.set()

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def texts_cut(self) -> int:
        return self._texts_cut

    @property
    def message(self) -> str | None:
        return self._message

    def hold(self) -> None:
        self._open.clear()
        self.entered.clear()

    def release(self) -> None:
        self._open.set()

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        self.entered.set()
        assert self._open.wait(CEILING_SECONDS), "held and never released"
        self._texts_cut += sum(len(text.split()) > self._words_max for text in texts)
        return self._encode(texts)

    def encode_query(self, text: str) -> FloatVector:
        vector: FloatVector = self._encode([text])[0]
        return vector

    def _encode(self, texts: Sequence[str]) -> FloatMatrix:
        self.calls.append(tuple(texts))
        if self.fails_on.intersection(texts):
            raise FloatingPointError("told to fail")
        vectors = [self._vector(text) for text in texts]
        return np.array(vectors, np.float32).reshape(len(texts), self._dimensions)

    def _vector(self, text: str) -> FloatVector:
        words = text.lower().split()
        total = _word_vector("", self._dimensions, self._fingerprint).copy()
        for word in words[: self._words_max]:
            total += _word_vector(word, self._dimensions, self._fingerprint)
        unit: FloatVector = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


@lru_cache(maxsize=10_000)
def _word_vector(word: str, dimensions: int, fingerprint: str) -> FloatVector:
    identity = f"{fingerprint} {word}".encode("utf-8", "surrogatepass")
    seed = hashlib.blake2b(identity, digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(seed)).standard_normal(dimensions).astype(np.float32)
