"""A loaded model: texts to unit vectors. The only module that imports ``onnxruntime``.

Invariants: every vector is finite and has length 1, whatever the graph gives; a text's vector depends neither
on its neighbours in the call nor on their order (up to rounding, cosine above 0.999); memory is bounded by
``batches.TOKENS_MAX`` padded tokens a run, because long texts are cut and only few go together. Session
threads block between runs instead of spinning, and the allocator keeps no arena: its size would follow the
largest run ever seen. Loaded and used on the embedder thread.

Does not check the weights (``model_files``), choose between models (``registry``) or remember vectors
(``vector_cache``).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]  # the wheel has no type information

from mdmemd.embed.batches import plan_batches
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.model_files import verified_path
from mdmemd.embed.registry import ModelSpec, Pooling
from mdmemd.embed.tokenizer import WordPieceTokenizer
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatMatrix, FloatVector

LOG_ERRORS_ONLY = 3
"""``log_severity_level`` of onnxruntime: its warnings concern whoever exported the graph."""


class Session(Protocol):
    """What is used of ``onnxruntime.InferenceSession``."""

    def run(self, output_names: list[str], input_feed: dict[str, npt.NDArray[np.int64]]) -> list[Any]:
        """The named outputs."""

    def get_inputs(self) -> list[Any]:
        """The graph's inputs, each with a ``name``."""


class OnnxEncoder:
    """``ports.Encoder`` over one session."""

    def __init__(self, spec: ModelSpec, *, session: Session, tokenizer: WordPieceTokenizer) -> None:
        self._spec = spec
        self._session = session
        self._tokenizer = tokenizer
        self._fingerprint = spec.fingerprint
        self._input_names = {node.name for node in session.get_inputs()}
        self._texts_cut = 0

    @property
    def fingerprint(self) -> str:
        """See ``ModelSpec.fingerprint``."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._spec.dimensions

    @property
    def texts_cut(self) -> int:
        """How many texts so far were longer than the model's limit: only their beginnings count."""
        return self._texts_cut

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit vectors, shape ``(len(texts), dimensions)``.

        Raises ``FloatingPointError`` where one is not finite.
        """
        return self._encode([self._spec.passage_prompt + text for text in texts])

    def encode_query(self, text: str) -> FloatVector:
        """Unit vector of a question. Raises ``FloatingPointError`` where it is not finite."""
        vector: FloatVector = self._encode([self._spec.query_prompt + text])[0]
        return vector

    def _encode(self, texts: Sequence[str]) -> FloatMatrix:
        tokenized = self._tokenizer.encode(texts)
        self._texts_cut += tokenized.cut
        vectors = np.empty((len(texts), self._spec.dimensions), np.float32)
        for group in plan_batches([len(ids) for ids in tokenized.ids]):
            vectors[group] = self._run([tokenized.ids[position] for position in group])
        return vectors

    def _run(self, rows: Sequence[Sequence[int]]) -> FloatMatrix:
        """One run of the graph over token ids padded to the longest row."""
        shape = (len(rows), max(len(row) for row in rows))
        ids = np.zeros(shape, np.int64)
        mask = np.zeros(shape, np.int64)
        for row, tokens in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros(shape, np.int64)}
        used = {name: values for name, values in feed.items() if name in self._input_names}
        (hidden,) = self._session.run([self._spec.output], used)
        return to_unit_length(pool(hidden, mask, pooling=self._spec.pooling))


def pool(hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64], *, pooling: Pooling) -> FloatMatrix:
    """One vector a row, shape ``(rows, dimensions)``, of token vectors ``(rows, tokens, dimensions)``.

    Padding (mask 0) does not count.
    """
    if pooling is Pooling.CLS:
        return hidden[:, 0]
    weights = (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)
    with np.errstate(invalid="ignore"):
        pooled: FloatMatrix = np.matmul(weights[:, np.newaxis, :], hidden)[:, 0]
    return pooled


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


def load_encoder(spec: ModelSpec, *, threads: int) -> OnnxEncoder:
    """Verify and load a model; ``threads`` 0 means as many as the process may use.

    Raises ``ModelUnavailableError``: a file is missing or damaged, or an intact file cannot be loaded.
    """
    weights = verified_path(spec.weights)
    with open(verified_path(spec.vocabulary), encoding="utf-8", newline="\n") as file:
        tokenizer = WordPieceTokenizer(file.read(), tokens_max=spec.tokens_max)
    try:
        session = onnxruntime.InferenceSession(
            weights, _session_options(threads), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the library's errors have no common base below Exception
        raise ModelUnavailableError(
            f"The files of the model {spec.name} are intact, but onnxruntime {onnxruntime.__version__} "
            f"cannot load them: {error}",
            remedy="Free some memory if it ran out, or install another onnxruntime, and restart mdmemd.",
        ) from error
    encoder = OnnxEncoder(spec, session=session, tokenizer=tokenizer)
    release_free_memory()
    return encoder


def usable_cores() -> int:
    """Processor cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _session_options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or usable_cores()
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # The lower levels compute 84, 76 and 47 passages a second where this one computes 126 (2 cores).
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_cpu_mem_arena = False
    options.log_severity_level = LOG_ERRORS_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
