"""Assembles a BERT encoder as an ONNX graph of few, fused nodes that multiply in int8.

Operators of the domain ``com.microsoft`` stand for whole groups of the shipped graph's nodes: ``QAttention``
(all of attention but its output), ``DynamicQuantizeMatMul``, ``SkipLayerNormalization`` (bias, residual and
norm), ``BiasGelu`` (exact, with erf). Activations are quantised at run time, with one scale for the whole
tensor; so texts that share a run change each other's vectors (cosine 0.99, at worst 0.95), and the graph is
made for one text without padding, which gives the same vector each time, bit for bit. Its only input is
``input_ids``, int64, shape ``(1, tokens)``; its output is float32, shape ``(1, tokens, hidden)``.

The table of words stays int8 until rows are looked up; unpacked it would take 47 MB. Imports ``onnx``, and so
is imported only when a graph has to be built. Pure; embedder thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

from mdmemd.embed.bert_weights import BertLayer, BertWeights, Dense, Norm, PackedMatrix

FUSED = "com.microsoft"
FUSED_VERSION = 1
OPERATOR_SET = 17
IR_VERSION = 10
"""As of the shipped graph: the oldest onnxruntime that is supported reads both."""


def bert_graph(weights: BertWeights, *, attention_heads: int, output: str) -> bytes:
    """The model, serialised; ``output`` is the name of its output."""
    nodes = _Nodes()
    state = _embed(nodes, weights)
    for number, layer in enumerate(weights.layers):
        is_last = number == len(weights.layers) - 1
        state = _transform(
            nodes,
            layer,
            state,
            attention_heads=attention_heads,
            name=f"layer_{number}",
            output=output if is_last else f"layer_{number}",
        )
    hidden = weights.positions.shape[1]
    graph = helper.make_graph(
        nodes.nodes,
        "bert",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, "tokens", hidden])],
        nodes.constants,
    )
    operator_sets = [helper.make_opsetid("", OPERATOR_SET), helper.make_opsetid(FUSED, FUSED_VERSION)]
    model = helper.make_model(
        graph, opset_imports=operator_sets, ir_version=IR_VERSION, producer_name="mdmem"
    )
    serialised: bytes = model.SerializeToString()
    return serialised


class _Nodes:
    """The nodes and constants so far. A value is the name of what gives it."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(
        self, op_type: str, inputs: Sequence[str], output: str, *, domain: str = "", **attributes: Any
    ) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [output], domain=domain, **attributes))
        return output

    def multiply(self, values: str, matrix: PackedMatrix, name: str) -> str:
        """Quantise the values and multiply them by the matrix."""
        packed = self.constant(f"{name}_values", matrix.values)
        scales = self.constant(f"{name}_scales", matrix.scales)
        return self.add("DynamicQuantizeMatMul", [values, packed, scales], name, domain=FUSED)

    def add_and_norm(
        self, values: str, residual: str, norm: Norm, output: str, *, name: str, bias: str | None = None
    ) -> str:
        """The norm of the sum of both and the bias."""
        gain = self.constant(f"{name}_gain", norm.gain)
        shift = self.constant(f"{name}_shift", norm.bias)
        inputs = [values, residual, gain, shift, *([bias] if bias else [])]
        return self.add("SkipLayerNormalization", inputs, output, domain=FUSED, epsilon=norm.epsilon)


def _embed(nodes: _Nodes, weights: BertWeights) -> str:
    rows = nodes.constant("word_values", weights.words.values)
    scales = nodes.constant("word_scales", weights.words.scales[:, np.newaxis])
    packed = nodes.add("Gather", [rows, "input_ids"], "packed_words")
    scale = nodes.add("Gather", [scales, "input_ids"], "scales_of_words")
    unpacked = nodes.add("Cast", [packed], "unpacked_words", to=TensorProto.FLOAT)
    words = nodes.add("Mul", [unpacked, scale], "words")
    count = nodes.add("Shape", ["input_ids"], "tokens", start=1, end=2)
    table = nodes.constant("position_values", weights.positions)
    first = nodes.constant("first_position", np.zeros(1, np.int64))
    positions = nodes.add("Slice", [table, first, count], "positions")
    return nodes.add_and_norm(words, positions, weights.embedding_norm, "embeddings", name="embedding_norm")


def _transform(
    nodes: _Nodes, layer: BertLayer, state: str, *, attention_heads: int, name: str, output: str
) -> str:
    """One layer."""
    attended = _attend(nodes, layer, state, attention_heads=attention_heads, name=name)
    mixed = nodes.multiply(attended, layer.attention_output.matrix, f"{name}_attention_output")
    state = nodes.add_and_norm(
        mixed,
        state,
        layer.attention_norm,
        f"{name}_attention_state",
        name=f"{name}_attention_norm",
        bias=nodes.constant(f"{name}_attention_output_bias", layer.attention_output.bias),
    )
    inner = nodes.multiply(state, layer.intermediate.matrix, f"{name}_intermediate")
    inner_bias = nodes.constant(f"{name}_intermediate_bias", layer.intermediate.bias)
    activated = nodes.add("BiasGelu", [inner, inner_bias], f"{name}_activated", domain=FUSED)
    return nodes.add_and_norm(
        nodes.multiply(activated, layer.output.matrix, f"{name}_output"),
        state,
        layer.output_norm,
        output,
        name=f"{name}_output_norm",
        bias=nodes.constant(f"{name}_output_bias", layer.output.bias),
    )


def _attend(nodes: _Nodes, layer: BertLayer, state: str, *, attention_heads: int, name: str) -> str:
    """Attention of every token to all tokens."""
    merged = _side_by_side([layer.query, layer.key, layer.value])
    quantised = [f"{name}_quantised", f"{name}_scale", f"{name}_zero_point"]
    nodes.nodes.append(helper.make_node("DynamicQuantizeLinear", [state], quantised))
    values, scale, zero_point = quantised
    inputs = [
        values,
        nodes.constant(f"{name}_attention_values", merged.matrix.values),
        nodes.constant(f"{name}_attention_bias", merged.bias),
        scale,
        nodes.constant(f"{name}_attention_scales", merged.matrix.scales),
        "",  # no mask: there is no padding
        zero_point,
        nodes.constant(f"{name}_attention_zero_points", np.zeros(merged.bias.shape, np.int8)),
    ]
    return nodes.add("QAttention", inputs, f"{name}_attended", domain=FUSED, num_heads=attention_heads)


def _side_by_side(parts: Sequence[Dense]) -> Dense:
    return Dense(
        PackedMatrix(
            np.concatenate([part.matrix.values for part in parts], axis=1),
            np.concatenate([part.matrix.scales for part in parts]),
        ),
        np.concatenate([part.bias for part in parts]),
    )
