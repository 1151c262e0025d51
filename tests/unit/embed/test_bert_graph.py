"""The compiled graph against the graph that it was compiled from, both run by onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mdmem_testkit.tiny_bert import HEADS, POSITIONS, VOCABULARY, TinyBert
from mdmemd.embed.bert_graph import bert_graph
from mdmemd.embed.bert_weights import read_bert_weights
from mdmemd.embed.session import Session, open_session
from mdmemd.model import FloatMatrix


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(TinyBert().model())
    return path


def compiled(bert: Path, *, attention_heads: int = HEADS) -> Session:
    weights = read_bert_weights(str(bert), tokens_max=POSITIONS)
    return open_session(bert_graph(weights, attention_heads=attention_heads, output="vectors"))


def shipped_vectors(bert: Path, ids: list[int]) -> FloatMatrix:
    row = np.array([ids], np.int64)
    feed = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    vectors: FloatMatrix = open_session(str(bert)).run(["last_hidden_state"], feed)[0][0]
    return vectors


def vectors_of(session: Session, ids: list[int]) -> FloatMatrix:
    vectors: FloatMatrix = session.run(["vectors"], {"input_ids": np.array([ids], np.int64)})[0][0]
    return vectors


def cosines(left: FloatMatrix, right: FloatMatrix) -> FloatMatrix:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    found: FloatMatrix = (left * right).sum(axis=1) / lengths
    return found


@pytest.mark.parametrize("tokens", [1, 2, 7, 33, POSITIONS])
def test_every_token_has_the_vector_of_the_shipped_graph(bert: Path, tokens: int) -> None:
    ids = np.random.default_rng(tokens).integers(0, len(VOCABULARY), tokens).tolist()
    found, expected = vectors_of(compiled(bert), ids), shipped_vectors(bert, ids)
    assert found.shape == expected.shape
    assert cosines(found, expected).min() > 0.995
    np.testing.assert_allclose(found, expected, atol=0.25)


def test_the_number_of_heads_matters(bert: Path) -> None:
    """So the test above can fail."""
    ids = list(range(20))
    found = vectors_of(compiled(bert, attention_heads=1), ids)
    assert cosines(found, shipped_vectors(bert, ids)).min() < 0.995


def test_tokens_alone_are_fed(bert: Path) -> None:
    assert [node.name for node in compiled(bert).get_inputs()] == ["input_ids"]


def test_building_is_reproducible(bert: Path) -> None:
    """The fingerprint of its vectors is that of the weights and of the compiler."""
    weights = read_bert_weights(str(bert), tokens_max=POSITIONS)
    first, second = (bert_graph(weights, attention_heads=HEADS, output="vectors") for _ in range(2))
    assert first == second
