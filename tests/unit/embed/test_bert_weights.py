from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import helper

from mdmem_testkit.tiny_bert import EPSILON, HIDDEN, LAYERS, POSITIONS, VOCABULARY, TinyBert
from mdmemd.embed.bert_weights import (
    BertWeights,
    Dense,
    PackedMatrix,
    UnexpectedGraphError,
    quantise,
    read_bert_weights,
)
from mdmemd.model import FloatMatrix


def read(tmp_path: Path, bert: TinyBert, *, tokens_max: int = POSITIONS) -> BertWeights:
    path = tmp_path / "model.onnx"
    path.write_bytes(bert.model())
    return read_bert_weights(str(path), tokens_max=tokens_max)


def unpacked(matrix: PackedMatrix) -> FloatMatrix:
    return matrix.values * matrix.scales


@pytest.mark.parametrize("packed", [True, False], ids=["int8", "float32"])
def test_each_weight_is_where_it_belongs(tmp_path: Path, packed: bool) -> None:
    """Int8 as stored, to the bit; float32 rounded to the nearest of 255 steps."""
    bert = TinyBert(packed=packed)
    weights = read(tmp_path, bert)
    tolerance = 0 if packed else 0.02
    assert weights.words.values.shape == (len(VOCABULARY), HIDDEN)
    words = weights.words.values * weights.words.scales[:, np.newaxis]
    np.testing.assert_allclose(words, bert.arrays["words"], rtol=0, atol=tolerance)
    positions = bert.arrays["positions"] + bert.arrays["segments"][0]
    np.testing.assert_array_equal(weights.positions, positions)
    assert len(weights.layers) == LAYERS
    for number, layer in enumerate(weights.layers):
        for part in ("query", "key", "value", "attention_output", "intermediate", "output"):
            dense: Dense = getattr(layer, part)
            name = f"layer.{number}.{part}"
            expected = bert.arrays[f"{name}.weight"]
            np.testing.assert_allclose(unpacked(dense.matrix), expected, rtol=0, atol=tolerance)
            np.testing.assert_array_equal(dense.bias, bert.arrays[f"{name}.bias"])
        for part in ("attention_norm", "output_norm"):
            norm = getattr(layer, part)
            np.testing.assert_array_equal(norm.gain, bert.arrays[f"layer.{number}.{part}.weight"])
            np.testing.assert_array_equal(norm.bias, bert.arrays[f"layer.{number}.{part}.bias"])
            assert norm.epsilon == pytest.approx(EPSILON)
    np.testing.assert_array_equal(weights.embedding_norm.gain, bert.arrays["embedding_norm.weight"])


def without_bias(bert: TinyBert) -> None:
    product = next(node for node in bert.nodes if node.output[0] == "layer.0.key.product")
    bias = next(node for node in bert.nodes if node.output[0] == "layer.0.key")
    product.output[0] = "layer.0.key"
    bert.nodes.remove(bias)


def without_norm(bert: TinyBert) -> None:
    norm = next(node for node in bert.nodes if node.output[0] == "layer.1.output_norm")
    bert.nodes[bert.nodes.index(norm)].CopyFrom(identity(norm.input[0], norm.output[0]))


def without_segments(bert: TinyBert) -> None:
    rows = next(node for node in bert.nodes if node.output[0] == "segment_rows")
    rows.CopyFrom(identity("word_rows", "segment_rows"))


def with_another_matrix(bert: TinyBert) -> None:
    pooler = bert.constant("pooler", np.eye(HIDDEN, dtype=np.float32))
    bias = bert.constant("pooler_bias", np.zeros(HIDDEN, np.float32))
    bert.add("MatMul", ["last_hidden_state", pooler], "pooled")
    bert.add("Add", ["pooled", bias], "with_bias")


def with_another_table(bert: TinyBert) -> None:
    table = bert.constant("languages", np.ones((2, HIDDEN), np.float32))
    bert.add("Gather", [table, "length"], "language_rows")


def with_computed_gain(bert: TinyBert) -> None:
    norm = next(node for node in bert.nodes if node.output[0] == "embedding_norm")
    at = bert.nodes.index(norm)
    bert.nodes.insert(at, identity(norm.input[1], "gain_at_run_time"))
    norm.input[1] = "gain_at_run_time"


def identity(source: str, target: str) -> onnx.NodeProto:
    return helper.make_node("Identity", [source], [target])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without_bias, "no bias follows the matrix layer.0.key.weight"),
        (without_norm, "12 matrices and 4 norms"),
        (without_segments, "only .'positions', 'words'. were found"),
        (with_another_matrix, "13 matrices and 5 norms"),
        (with_another_table, "two tables of positions"),
        (with_computed_gain, "gain_at_run_time is not a constant vector"),
    ],
)
def test_another_graph_is_refused(tmp_path: Path, change: Callable[[TinyBert], None], reason: str) -> None:
    bert = TinyBert()
    change(bert)
    with pytest.raises(UnexpectedGraphError, match=reason):
        read(tmp_path, bert)


def test_too_few_positions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnexpectedGraphError, match=r"positions has the shape \(80, 32\)"):
        read(tmp_path, TinyBert(), tokens_max=POSITIONS + 1)


@given(
    arrays.arrays(np.float32, (5, 3), elements=st.floats(-100, 100, width=32)),
    st.integers(0, 1),
)
def test_quantised_within_half_a_step(matrix: FloatMatrix, axis: int) -> None:
    packed = quantise(matrix, axis=axis)
    scales = np.expand_dims(packed.scales, axis)
    assert packed.values.dtype == np.int8
    assert packed.values.min() >= -127
    assert (np.abs(packed.values * scales - matrix) <= scales * 0.5001).all()
