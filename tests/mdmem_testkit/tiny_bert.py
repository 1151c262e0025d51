"""A BERT encoder with random weights, in the make of the shipped graph: many small nodes, int8 constants that
are unpacked by Cast and Mul, an explicit attention mask. Installed as a package of its own, as models are.
"""

from __future__ import annotations

import hashlib
import string
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mdmemd.embed.bert_weights import quantise
from mdmemd.embed.registry import BUILT_IN, ModelFile, ModelSpec, Package

HIDDEN = 32
INNER = 64
HEADS = 4
LAYERS = 2
POSITIONS = 80
TOKENS_MAX = 64
EPSILON = 1e-12

LETTERS = string.ascii_lowercase
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{letter}" for letter in LETTERS), "##"]

Array = npt.NDArray[Any]


class TinyBert:
    """The graph in the making; ``model`` serialises it.

    ``arrays`` are the constants as floats, by name. ``packed`` tells whether tables and matrices are int8;
    ``activation`` is an operator of one input, or "Gelu", which is written out as in the shipped graph.
    """

    def __init__(
        self, *, seed: int = 0, packed: bool = True, layers: int = LAYERS, activation: str = "Gelu"
    ) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.arrays: dict[str, Array] = {}
        self._packed = packed
        self._activation = activation
        self._random = np.random.default_rng(seed)
        state = self._embed()
        mask = self._additive_mask()
        for number in range(layers):
            state = self._layer(state, mask, f"layer.{number}")
        self.add("Identity", [state], "last_hidden_state")

    def model(self) -> bytes:
        names = ("input_ids", "attention_mask", "token_type_ids")
        graph = helper.make_graph(
            self.nodes,
            "tiny",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names],
            [
                helper.make_tensor_value_info(
                    "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", HIDDEN]
                )
            ],
            self.initializers,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
        onnx.checker.check_model(model)
        serialised: bytes = model.SerializeToString()
        return serialised

    def add(self, op_type: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: Array) -> str:
        self.arrays[name] = value
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def _weights(self, name: str, shape: tuple[int, int], *, axis: int, spread: float) -> str:
        """A matrix (a scale a column: axis 0) or a table (a scale a row: axis 1)."""
        values = self._random.normal(0, spread, shape).astype(np.float32)
        if not self._packed:
            return self.constant(name, values)
        packed = quantise(values, axis=axis)
        scales = np.expand_dims(packed.scales, axis)
        self.constant(f"{name}_q", packed.values)
        self.constant(f"{name}_scale", scales)
        self.add("Cast", [f"{name}_q"], f"{name}_f", to=TensorProto.FLOAT)
        self.arrays[name] = packed.values * scales
        return self.add("Mul", [f"{name}_f", f"{name}_scale"], name)

    def _vector(self, name: str, length: int, *, around: float) -> str:
        return self.constant(name, self._random.normal(around, 0.1, length).astype(np.float32))

    def _dense(self, state: str, name: str, *, inputs: int, outputs: int) -> str:
        weights = self._weights(f"{name}.weight", (inputs, outputs), axis=0, spread=inputs**-0.5)
        bias = self._vector(f"{name}.bias", outputs, around=0)
        self.add("MatMul", [state, weights], f"{name}.product")
        return self.add("Add", [f"{name}.product", bias], name)

    def _norm(self, state: str, name: str) -> str:
        gain = self._vector(f"{name}.weight", HIDDEN, around=1)
        bias = self._vector(f"{name}.bias", HIDDEN, around=0)
        return self.add("LayerNormalization", [state, gain, bias], name, axis=-1, epsilon=EPSILON)

    def _embed(self) -> str:
        words = self._weights("words", (len(VOCABULARY), HIDDEN), axis=1, spread=1)
        positions = self._weights("positions", (POSITIONS, HIDDEN), axis=1, spread=0.3)
        segments = self.constant("segments", self._random.normal(0, 0.3, (2, HIDDEN)).astype(np.float32))
        self.add("Shape", ["input_ids"], "length", start=1, end=2)
        numbers = self.constant("numbers", np.arange(POSITIONS, dtype=np.int64)[np.newaxis])
        for name, value in (("from", 0), ("axis", 1)):
            self.constant(name, np.array([value], np.int64))
        self.add("Slice", [numbers, "from", "length", "axis"], "position_ids")
        self.add("Gather", [words, "input_ids"], "word_rows")
        self.add("Gather", [segments, "token_type_ids"], "segment_rows")
        self.add("Gather", [positions, "position_ids"], "position_rows")
        self.add("Add", ["word_rows", "segment_rows"], "words_and_segments")
        self.add("Add", ["words_and_segments", "position_rows"], "embedded")
        return self._norm("embedded", "embedding_norm")

    def _additive_mask(self) -> str:
        self.constant("one", np.array(1, np.float32))
        self.constant("lowest", np.array(-1e9, np.float32))
        self.constant("mask_axes", np.array([1, 2], np.int64))
        self.add("Cast", ["attention_mask"], "float_mask", to=TensorProto.FLOAT)
        self.add("Sub", ["one", "float_mask"], "padding")
        self.add("Mul", ["padding", "lowest"], "flat_mask")
        return self.add("Unsqueeze", ["flat_mask", "mask_axes"], "additive_mask")

    def _layer(self, state: str, mask: str, name: str) -> str:
        attended = self._attend(state, mask, name)
        mixed = self._dense(attended, f"{name}.attention_output", inputs=HIDDEN, outputs=HIDDEN)
        self.add("Add", [mixed, state], f"{name}.attention_sum")
        state = self._norm(f"{name}.attention_sum", f"{name}.attention_norm")
        inner = self._dense(state, f"{name}.intermediate", inputs=HIDDEN, outputs=INNER)
        activated = self._activate(inner, name)
        output = self._dense(activated, f"{name}.output", inputs=INNER, outputs=HIDDEN)
        self.add("Add", [output, state], f"{name}.output_sum")
        return self._norm(f"{name}.output_sum", f"{name}.output_norm")

    def _attend(self, state: str, mask: str, name: str) -> str:
        for part in ("query", "key", "value"):
            projected = self._dense(state, f"{name}.{part}", inputs=HIDDEN, outputs=HIDDEN)
            shape = self.constant(f"{name}.{part}.shape", np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64))
            self.add("Reshape", [projected, shape], f"{name}.{part}.split")
            order = [0, 2, 3, 1] if part == "key" else [0, 2, 1, 3]
            self.add("Transpose", [f"{name}.{part}.split"], f"{name}.{part}.heads", perm=order)
        scale = self.constant(f"{name}.scale", np.array((HIDDEN // HEADS) ** -0.5, np.float32))
        self.add("MatMul", [f"{name}.query.heads", f"{name}.key.heads"], f"{name}.products")
        self.add("Mul", [f"{name}.products", scale], f"{name}.scores")
        self.add("Add", [f"{name}.scores", mask], f"{name}.masked")
        self.add("Softmax", [f"{name}.masked"], f"{name}.attention", axis=-1)
        self.add("MatMul", [f"{name}.attention", f"{name}.value.heads"], f"{name}.mixed")
        self.add("Transpose", [f"{name}.mixed"], f"{name}.tokens", perm=[0, 2, 1, 3])
        shape = self.constant(f"{name}.merged.shape", np.array([0, 0, HIDDEN], np.int64))
        return self.add("Reshape", [f"{name}.tokens", shape], f"{name}.merged")

    def _activate(self, state: str, name: str) -> str:
        if self._activation != "Gelu":
            return self.add(self._activation, [state], f"{name}.activated")
        for constant, value in (("root", 2**0.5), ("unit", 1), ("half", 0.5)):
            self.constant(f"{name}.{constant}", np.array(value, np.float32))
        self.add("Div", [state, f"{name}.root"], f"{name}.over_root")
        self.add("Erf", [f"{name}.over_root"], f"{name}.erf")
        self.add("Add", [f"{name}.erf", f"{name}.unit"], f"{name}.erf_and_1")
        self.add("Mul", [state, f"{name}.erf_and_1"], f"{name}.doubled")
        return self.add("Mul", [f"{name}.doubled", f"{name}.half"], f"{name}.gelu")


Install = Callable[..., ModelSpec]


def model_installer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes packages of graphs in the folder: ``install(name, model_bytes, **fields)`` gives the entry."""
    monkeypatch.syspath_prepend(folder)

    def install(name: str, model: bytes, **fields: Any) -> ModelSpec:
        package = folder / name
        package.mkdir()
        (package / "__init__.py").touch()
        monkeypatch.delitem(sys.modules, name, raising=False)
        files = {"model.onnx": model, "vocabulary.txt": "\n".join(VOCABULARY).encode()}
        pinned = {}
        for path, content in files.items():
            (package / path).write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            pinned[path] = ModelFile(path, len(content), digest, Package(f"{name}==1.0", name))
        spec = replace(
            BUILT_IN,
            name=name,
            weights=pinned["model.onnx"],
            tokenizer=pinned["vocabulary.txt"],
            dimensions=HIDDEN,
            tokens_max=TOKENS_MAX,
            attention_heads=HEADS,
        )
        return replace(spec, **fields)

    return install
