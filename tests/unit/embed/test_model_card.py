from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.stored_models import files_of, write_card
from mdmem_testkit.tiny_bert import HIDDEN
from mdmemd.embed.encoder import WINDOWS_MAX
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.model_card import spec_of_folder
from mdmemd.embed.registry import ModelKind, ModelSpec, Pooling, TokenizerKind
from mdmemd.errors import InvalidRequestError, ModelUnavailableError, NotFoundError


def read(folder: Path) -> ModelSpec:
    return spec_of_folder(str(folder), hashes=FileHashes(FakeBlobs()))


def test_a_card_makes_an_entry(tmp_path: Path) -> None:
    spec = read(write_card(tmp_path / "mine", pooling="cls", query_prompt="query: ", licence="MIT"))
    assert spec.name == spec.folder == str(tmp_path / "mine")
    assert (spec.pooling, spec.query_prompt, spec.passage_prompt) == (Pooling.CLS, "query: ", "")
    assert (spec.kind, spec.tokenizer_kind) == (ModelKind.EMBEDDER, TokenizerKind.JSON)
    assert (spec.licence.name, spec.hub) == ("MIT", None)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_a_folder_is_a_model(tmp_path: Path, pooling: str) -> None:
    """M10, M11."""
    spec = read(write_card(tmp_path, pooling=pooling, passage_prompt="x y z "))
    encoder = load_encoder(files_of(spec), threads=2)
    vectors = encoder.encode_passages(["a b", "a b" * 1000, ""])
    assert vectors.shape == (3, HIDDEN)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert encoder.texts_cut == 1
    # Of 64 tokens two are special ones, in each window; three are of the prompt.
    encoder.encode_passages(["a " * (WINDOWS_MAX * 62 - 3)])
    assert encoder.texts_cut == 1
    encoder.encode_passages(["a " * (WINDOWS_MAX * 62 - 2)])
    assert encoder.texts_cut == 2


def test_fingerprints_follow_files_and_card(tmp_path: Path) -> None:
    """M5: whatever changes in the folder makes another model."""
    folder = write_card(tmp_path)
    found = [read(folder).fingerprint]
    found.append(read(write_card(tmp_path, pooling="cls")).fingerprint)
    weights = folder / "model.onnx"
    weights.write_bytes(weights.read_bytes() + b"\0")
    found.append(read(folder).fingerprint)
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"pooling": None}, "pooling is missing"),
        ({"pooling": "max"}, "pooling is 'max'"),
        ({"dimensions": 0}, "dimensions is 0"),
        ({"dimensions": True}, "dimensions is True"),
        ({"tokens_max": None}, "tokens_max is missing"),
        ({"tokens_max": 1_000_000}, "tokens_max is 1000000"),
        ({"onnx": "../secret"}, "onnx is '../secret'"),
        ({"tokenizer": "/etc/passwd"}, "tokenizer is '/etc/passwd'"),
        ({"data": "model.onnx_data"}, "data is no list"),
        ({"data": [""]}, "data is ''"),
        ({"output": 3}, "output is 3"),
        ({"dimension": 3}, "unknown key dimension"),
    ],
)
def test_a_card_that_cannot_be_meant_is_told(tmp_path: Path, values: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read(write_card(tmp_path, **values))
    assert message in str(caught.value)
    assert "mdmem-model.toml" in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("content", [b"pooling = ", b"\xff\xfe"])
def test_a_card_that_is_none_is_told(tmp_path: Path, content: bytes) -> None:
    (write_card(tmp_path) / "mdmem-model.toml").write_bytes(content)
    with pytest.raises(InvalidRequestError, match=r"TOML|UTF-8"):
        read(tmp_path)


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="has no model card"):
        read(tmp_path / "nothing")
    (write_card(tmp_path) / "tokenizer.json").unlink()
    with pytest.raises(NotFoundError, match=r"tokenizer\.json, which mdmem-model\.toml names"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"dimensions": 31}, "shape \\(32,\\) instead of \\(31,\\)"),
        ({"output": "logits"}, "logits"),
        ({"tokens_max": 512}, "does not compute as its entry says"),
        ({"pooling": "graph"}, "instead of \\(32,\\)"),
    ],
)
def test_a_card_that_is_not_true_is_told_when_the_model_loads(
    tmp_path: Path, values: dict[str, object], message: str
) -> None:
    """Not one passage at a time: a limit over that of the graph would fail for long texts only."""
    spec = read(write_card(tmp_path, **values))
    with pytest.raises(ModelUnavailableError, match=message) as caught:
        load_encoder(files_of(spec), threads=1)
    assert "mdmemctl model use" in caught.value.remedy


def test_a_tokenizer_that_is_none_is_not_called_damaged(tmp_path: Path) -> None:
    """M1: another sentence than for a wrong hash."""
    (write_card(tmp_path) / "tokenizer.json").write_text("{}")
    spec = read(tmp_path)
    with pytest.raises(ModelUnavailableError, match="intact, but its tokenizer"):
        load_encoder(files_of(spec), threads=1)
