"""A cross-encoder that counts: the share of the letter ``z`` in the second text, by its segment ids."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mdmem_testkit.stored_models import tokenizer_json
from mdmem_testkit.tiny_bert import VOCABULARY


def cross_encoder(*, outputs: int = 1) -> bytes:
    """The graph; with two outputs a pair, the second is the score and the first its negative."""
    values = np.full((len(VOCABULARY), outputs), -1.0, np.float32)
    for token in ("z", "##z"):
        values[VOCABULARY.index(token)] = 4.0
    if outputs == 2:
        values[:, 0] *= -1
    nodes = [
        helper.make_node("Gather", ["values", "input_ids"], ["each"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["column"]),
        helper.make_node("Mul", ["each", "column"], ["counted"]),
        helper.make_node("ReduceMean", ["counted"], ["logits"], axes=[1], keepdims=0),
    ]
    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])
    constants = [
        numpy_helper.from_array(values, "values"),
        numpy_helper.from_array(np.array([2], np.int64), "last"),
    ]
    graph = helper.make_graph(nodes, "judge", ids, [logits], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    serialised: bytes = model.SerializeToString()
    onnx.checker.check_model(model)
    return serialised


def write_reranker(folder: Path, *, outputs: int = 1, **values: object) -> Path:
    """A folder of the user with this model and its card."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(cross_encoder(outputs=outputs))
    (folder / "tokenizer.json").write_bytes(tokenizer_json())
    card: dict[str, object] = {"kind": "reranker", "tokens_max": 64}
    (folder / "mdmem-model.toml").write_text(
        "\n".join(f"{key} = {json.dumps(value)}" for key, value in (card | values).items())
    )
    return folder
