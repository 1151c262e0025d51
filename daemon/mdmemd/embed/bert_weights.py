"""Reads the weights of a BERT encoder out of an ONNX graph of another make.

Found by structure, not by name: tables by the input that looks them up, matrices and norms by their order in
the graph, biases by the addition that follows a matrix. Every shape is checked; a graph with anything missing
or left over is refused, never guessed at. What shapes cannot tell (the order of query, key and value; the
activation), ``graph_check`` finds in the vectors.

Weights that the file stores as int8 with a scale stay as they are, so reading loses nothing and unpacks
nothing large. Imports ``onnx``, and so is imported only when a graph has to be built. Embedder thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from mdmemd.model import FloatMatrix, FloatVector

MATRICES_PER_LAYER = 6
"""Query, key, value, attention output, intermediate, output."""

NORMS_PER_LAYER = 2

INT8_MAX = 127
"""Symmetric: -128 is not used, as kernels require."""


class UnexpectedGraphError(Exception):
    """The graph is not a BERT encoder as this module knows it. The message is a clause."""


@dataclass(frozen=True, slots=True)
class PackedMatrix:
    """A matrix as int8 ``values`` and float32 ``scales`` along one axis; their product is meant.

    ``scales`` has one number a column, or for a table one a row.
    """

    values: npt.NDArray[np.int8]
    scales: FloatVector


@dataclass(frozen=True, slots=True)
class Dense:
    """``x @ matrix + bias``; the matrix has the shape ``(inputs, outputs)`` and a scale a column."""

    matrix: PackedMatrix
    bias: FloatVector


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation."""

    gain: FloatVector
    bias: FloatVector
    epsilon: float


@dataclass(frozen=True, slots=True)
class BertLayer:
    """One transformer layer, norms after the residual additions."""

    query: Dense
    key: Dense
    value: Dense
    attention_output: Dense
    attention_norm: Norm
    intermediate: Dense
    output: Dense
    output_norm: Norm


@dataclass(frozen=True, slots=True)
class BertWeights:
    """An encoder for texts of a single segment.

    Attributes:
        words: one row and one scale a token of the vocabulary.
        positions: float32, one row a position, with the row of the first segment added.
    """

    words: PackedMatrix
    positions: FloatMatrix
    embedding_norm: Norm
    layers: tuple[BertLayer, ...]


def read_bert_weights(path: str, *, tokens_max: int) -> BertWeights:
    """The weights in the ONNX file.

    Raises ``UnexpectedGraphError``, also where it has fewer than ``tokens_max`` positions.
    """
    graph = _Graph(onnx.load(path).graph)
    tables = graph.tables()
    words = tables["words"].packed(axis=1)
    positions = tables["positions"].floats() + tables["segments"].floats()[0]
    norms = list(graph.norms())
    matrices = list(graph.dense())
    layer_count, rest = divmod(len(matrices), MATRICES_PER_LAYER)
    if rest or not layer_count or len(norms) != 1 + NORMS_PER_LAYER * layer_count:
        raise UnexpectedGraphError(f"it has {len(matrices)} matrices and {len(norms)} norms")
    weights = BertWeights(
        words=words,
        positions=positions,
        embedding_norm=norms[0],
        layers=tuple(
            _layer(matrices[number * MATRICES_PER_LAYER :], norms[1 + number * NORMS_PER_LAYER :])
            for number in range(layer_count)
        ),
    )
    _check_shapes(weights, tokens_max=tokens_max)
    return weights


def quantise(matrix: FloatMatrix, *, axis: int) -> PackedMatrix:
    """The matrix as int8, scaled so that the largest magnitude along ``axis`` becomes ``INT8_MAX``."""
    scales = np.abs(matrix).max(axis=axis) / np.float32(INT8_MAX)
    scales[scales < np.finfo(np.float32).tiny] = 1  # all zero, or as good as
    values = np.rint(matrix / np.expand_dims(scales, axis)).astype(np.int8)
    return PackedMatrix(values, scales.astype(np.float32))


@dataclass(frozen=True, slots=True)
class _Constant:
    """A constant of the graph: an array as stored, and what it is to be multiplied by, if anything."""

    stored: npt.NDArray[np.generic]
    scale: npt.NDArray[np.float32] | None = None

    def floats(self) -> FloatMatrix:
        values = self.stored.astype(np.float32)
        return values if self.scale is None else values * self.scale

    def packed(self, *, axis: int) -> PackedMatrix:
        """As stored where that is int8 with the scales that ``quantise`` along the axis would make."""
        rows, columns = self.stored.shape
        scales_shape = (1, columns) if axis == 0 else (rows, 1)
        if self.scale is not None and self.stored.dtype == np.int8 and self.scale.shape == scales_shape:
            values = self.stored.astype(np.int8, copy=False)
            if values.min() >= -INT8_MAX:
                return PackedMatrix(values, self.scale.reshape(-1))
        return quantise(self.floats(), axis=axis)


class _Graph:
    """A graph with its nodes by input and output. Nodes stand in topological order, as ONNX demands."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._nodes = list(graph.node)
        self._initializers = {tensor.name: tensor for tensor in graph.initializer}
        self._producers = {name: node for node in self._nodes for name in node.output}
        self._consumers: dict[str, list[onnx.NodeProto]] = {}
        for node in self._nodes:
            for name in node.input:
                self._consumers.setdefault(name, []).append(node)

    def tables(self) -> dict[str, _Constant]:
        """The embedding tables by what they are looked up with."""
        kinds = {"input_ids": "words", "token_type_ids": "segments"}
        tables: dict[str, _Constant] = {}
        for node in self._of_type("Gather"):
            table = self._constant(node.input[0])
            if table is None or table.stored.ndim != 2:
                continue
            kind = kinds.get(node.input[1], "positions")
            if kind in tables:
                raise UnexpectedGraphError(f"it has two tables of {kind}")
            tables[kind] = table
        if len(tables) != len(kinds) + 1:
            raise UnexpectedGraphError(f"of its embedding tables only {sorted(tables)} were found")
        return tables

    def norms(self) -> Iterator[Norm]:
        """All layer normalisations."""
        for node in self._of_type("LayerNormalization"):
            epsilon = [attribute.f for attribute in node.attribute if attribute.name == "epsilon"]
            gain, bias = (self._vector(name) for name in node.input[1:3])
            yield Norm(gain, bias, epsilon[0])

    def dense(self) -> Iterator[Dense]:
        """All multiplications by a constant matrix, with the addition of a bias that follows each."""
        for node in self._of_type("MatMul"):
            matrix = self._constant(node.input[1])
            if matrix is None:
                continue
            if matrix.stored.ndim != 2:
                raise UnexpectedGraphError(f"the matrix {node.input[1]} has the shape {matrix.stored.shape}")
            following = self._consumers.get(node.output[0], [])
            if [after.op_type for after in following] != ["Add"]:
                raise UnexpectedGraphError(f"no bias follows the matrix {node.input[1]}")
            (bias,) = (name for name in following[0].input if name != node.output[0])
            yield Dense(matrix.packed(axis=0), self._vector(bias))

    def _of_type(self, op_type: str) -> Iterator[onnx.NodeProto]:
        return (node for node in self._nodes if node.op_type == op_type)

    def _vector(self, name: str) -> FloatVector:
        constant = self._constant(name)
        if constant is None or constant.stored.ndim != 1:
            raise UnexpectedGraphError(f"{name} is not a constant vector")
        return constant.floats()

    def _constant(self, name: str) -> _Constant | None:
        """The value, where it is an initializer, or one that is cast and scaled by another."""
        if name in self._initializers:
            return _Constant(numpy_helper.to_array(self._initializers[name]))
        node = self._producers.get(name)
        if node is not None and node.op_type == "Cast":
            return self._constant(node.input[0])
        if node is not None and node.op_type == "Mul":
            stored, scale = (self._constant(factor) for factor in node.input)
            if stored is not None and scale is not None and stored.scale is None:
                return _Constant(stored.stored, scale.floats())
        return None


def _layer(matrices: Sequence[Dense], norms: Sequence[Norm]) -> BertLayer:
    query, key, value, attention_output, intermediate, output = matrices[:MATRICES_PER_LAYER]
    return BertLayer(
        query=query,
        key=key,
        value=value,
        attention_output=attention_output,
        attention_norm=norms[0],
        intermediate=intermediate,
        output=output,
        output_norm=norms[1],
    )


def _check_shapes(weights: BertWeights, *, tokens_max: int) -> None:
    """Raise ``UnexpectedGraphError`` where the parts do not fit together."""
    hidden = weights.words.values.shape[1]
    inner = weights.layers[0].intermediate.bias.shape[0]
    if weights.positions.shape[1] != hidden or weights.positions.shape[0] < tokens_max:
        raise UnexpectedGraphError(f"its table of positions has the shape {weights.positions.shape}")
    for number, layer in enumerate(weights.layers):
        square = [layer.query, layer.key, layer.value, layer.attention_output]
        fits = [dense.matrix.values.shape == (hidden, hidden) for dense in square]
        fits.append(layer.intermediate.matrix.values.shape == (hidden, inner))
        fits.append(layer.output.matrix.values.shape == (inner, hidden))
        all_dense = [*square, layer.intermediate, layer.output]
        fits += [dense.bias.shape == dense.matrix.scales.shape for dense in all_dense]
        if not all(fits):
            raise UnexpectedGraphError(f"the matrices of layer {number} do not fit together")
    norms = [weights.embedding_norm]
    norms += [norm for layer in weights.layers for norm in (layer.attention_norm, layer.output_norm)]
    if any(norm.gain.shape != (hidden,) or norm.bias.shape != (hidden,) for norm in norms):
        raise UnexpectedGraphError("its norms do not fit its embeddings")
