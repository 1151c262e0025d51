"""A loaded model: texts to unit vectors.

Invariants: every vector is finite and has length 1, whatever the graph gives; a text's vector depends on the
text alone, because each text is a run of its own, without padding; memory is bounded by the model's token
limit times the threads. A passage over that limit (600 characters of Chinese can be) is read in up to
``WINDOWS_MAX`` windows, a run each, whose mean by tokens is its vector, so that nothing is lost; questions
keep their beginnings. Texts of one call run side by side, each on one thread: measured on 2 cores, that
computes as many passages a second as the best batches and a third more than one run on two threads at a time.
Passages are encoded on the embedder thread, questions on any.

Does not open files or sessions (``loading``), choose between models (``registry``) or remember vectors
(``vector_cache``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt

from mdmemd.embed.inference_threads import inference_threads
from mdmemd.embed.registry import ModelSpec, Pooling
from mdmemd.embed.session import Session
from mdmemd.embed.tokenizer import TextTokenizer
from mdmemd.model import FloatMatrix, FloatVector

WINDOWS_MAX = 4
"""Of 256 tokens: more than 600 characters and their headings take, at a token each."""


def as_it_is(text: str) -> str:
    """What a model of many languages reads of a text."""
    return text


class OnnxEncoder:
    """``ports.Encoder`` over one session, with at most ``threads`` runs at a time.

    ``fingerprint`` is that of the vectors which the session's graph gives; ``gloss`` turns a text into what
    the model reads of it, for passages and questions alike.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        session: Session,
        tokenizer: TextTokenizer,
        fingerprint: str,
        threads: int,
        gloss: Callable[[str], str] = as_it_is,
        message: str | None = None,
    ) -> None:
        self._spec = spec
        self._gloss = gloss
        self.session = session
        self._tokenizer = tokenizer
        self._fingerprint = fingerprint
        self._message = message
        self._pool = inference_threads(threads)
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
        """How many passages so far were longer than all windows together: their ends do not count."""
        return self._texts_cut

    @property
    def message(self) -> str | None:
        """What the user should know about how the model runs, in sentences; ``None`` if all is well."""
        return self._message

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit vectors, shape ``(len(texts), dimensions)``.

        Raises ``FloatingPointError`` where one is not finite.
        """
        prompt = self._spec.passage_prompt
        tokenized = [
            self._tokenizer.windows(prompt + self._gloss(text), count_max=WINDOWS_MAX) for text in texts
        ]
        self._texts_cut += sum(each.is_cut for each in tokenized)
        windows = [ids for each in tokenized for ids in each.ids]
        # A single text is not worth the way to another thread and back.
        run = self._pool.map if len(windows) > 1 else map
        found = iter(zip(run(self._vector, windows), map(len, windows), strict=True))
        vectors = np.empty((len(texts), self._spec.dimensions), np.float32)
        for row, each in enumerate(tokenized):
            vectors[row] = _mean([next(found) for _ in each.ids])
        return to_unit_length(vectors)

    def encode_query(self, text: str) -> FloatVector:
        """Unit vector of a question. Raises ``FloatingPointError`` where it is not finite."""
        (tokens,) = self._tokenizer.encode([self._spec.query_prompt + self._gloss(text)]).ids
        vector: FloatVector = to_unit_length(self._vector(tokens)[np.newaxis])[0]
        return vector

    def _vector(self, tokens: Sequence[int]) -> FloatVector:
        """One run of the graph; any thread."""
        (found,) = self.session.run([self._spec.output], feed(tokens, names=self._input_names))
        vector: FloatVector = pool(found[0], pooling=self._spec.pooling)
        if vector.shape != (self._spec.dimensions,):
            raise UnexpectedOutputError(
                f"its output {self._spec.output} gives a vector of shape {vector.shape} instead of "
                f"({self._spec.dimensions},)"
            )
        return vector


class UnexpectedOutputError(Exception):
    """The graph's output is not what the model's entry says. The message is a clause."""


def feed(
    tokens: Sequence[int], *, names: Collection[str], segments: Sequence[int] | None = None
) -> dict[str, npt.NDArray[np.int64]]:
    """The inputs of a run on one text, shape ``(1, tokens)``: those that a graph with these ``names`` takes.

    ``segments`` tells to which of two texts a token belongs; without it all belong to one.
    """
    ids = np.array([tokens], np.int64)
    values = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids) if segments is None else np.array([segments], np.int64),
        "position_ids": np.arange(ids.shape[1], dtype=np.int64)[np.newaxis],
    }
    return {name: value for name, value in values.items() if name in names}


def pool(found: npt.NDArray[np.float32], *, pooling: Pooling) -> FloatVector:
    """The vector of a text, shape ``(dimensions,)``.

    ``found`` has those of its tokens, ``(tokens, dimensions)``, or is that vector where the graph pools.
    """
    with np.errstate(invalid="ignore"):
        match pooling:
            case Pooling.MEAN:
                vector: FloatVector = found.mean(axis=0)
            case Pooling.CLS:
                vector = found[0]
            case Pooling.LAST:
                vector = found[-1]  # no padding stands behind it
            case Pooling.GRAPH:
                vector = found
    return vector


def _mean(windows: Sequence[tuple[FloatVector, int]]) -> FloatVector:
    """Of the directions of a text's windows, each by its number of tokens."""
    if len(windows) == 1:
        return windows[0][0]
    directions = to_unit_length(np.array([vector for vector, _ in windows], np.float32))
    mean: FloatVector = np.average(directions, axis=0, weights=[tokens for _, tokens in windows])
    return mean


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
