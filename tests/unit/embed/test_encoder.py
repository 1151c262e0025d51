from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mdmem_testkit.built_in_encoder import built_in_encoder
from mdmemd.embed.encoder import OnnxEncoder, load_encoder, pool, to_unit_length
from mdmemd.embed.model_files import verified_path
from mdmemd.embed.registry import BUILT_IN, Pooling
from mdmemd.embed.tokenizer import WordPieceTokenizer
from mdmemd.errors import ModelUnavailableError

GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "embed" / "all_minilm_l6_v2_int8.json"
TOLERANCE = 5e-3
"""Kernels of machine families differ by rounding."""

VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nbad\ngood\n"


@dataclass
class ScriptedSession:
    """A graph whose output is the token's id in every component, and NaN for the word "bad"."""

    inputs: tuple[str, ...] = ("input_ids", "attention_mask")

    def __post_init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.fed: set[str] = set()

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in self.inputs]

    def run(self, output_names: list[str], input_feed: dict[str, npt.NDArray[np.int64]]) -> list[Any]:
        ids = input_feed["input_ids"].astype(np.float32)
        self.shapes.append(ids.shape)
        self.fed.update(input_feed)
        ids[ids == 4] = np.nan
        return [np.repeat(ids[:, :, np.newaxis], 2, axis=2)]


def scripted(session: ScriptedSession) -> OnnxEncoder:
    spec = replace(BUILT_IN, dimensions=2)
    return OnnxEncoder(spec, session=session, tokenizer=WordPieceTokenizer(VOCABULARY, tokens_max=256))


@pytest.mark.parametrize(
    "entry", json.loads(GOLDEN.read_text("utf-8")), ids=lambda entry: ascii(entry["text"])
)
def test_golden_vectors(entry: dict[str, Any]) -> None:
    vector = built_in_encoder().encode_passages([entry["text"] * entry["repeat"]])[0]
    np.testing.assert_allclose(vector[:8], entry["vector"], atol=TOLERANCE)


def test_mean_leaves_padding_out() -> None:
    hidden = np.array([[[1, 1], [3, 5], [99, 99]]], np.float32)
    mask = np.array([[1, 1, 0]])
    np.testing.assert_array_equal(pool(hidden, mask, pooling=Pooling.MEAN), [[2, 3]])
    np.testing.assert_array_equal(pool(hidden, mask, pooling=Pooling.CLS), [[1, 1]])


@pytest.mark.parametrize("bad", [[np.nan, 1], [np.inf, 1], [0, 0]], ids=["nan", "infinite", "zero"])
def test_vector_without_direction_raises(bad: list[float]) -> None:
    """F11: such a vector must not reach the index."""
    with pytest.raises(FloatingPointError, match="1 of 2"):
        to_unit_length(np.array([[3, 4], bad], np.float32))


def test_text_without_vector_raises_and_the_others_are_fine_alone() -> None:
    encoder = scripted(ScriptedSession())
    with pytest.raises(FloatingPointError):
        encoder.encode_passages(["good", "bad"])
    assert np.isfinite(encoder.encode_passages(["good", "good good"])).all()


def test_only_inputs_of_the_graph_are_fed() -> None:
    two, three = ScriptedSession(), ScriptedSession(inputs=("input_ids", "attention_mask", "token_type_ids"))
    for session in (two, three):
        scripted(session).encode_query("good")
    assert two.fed == {"input_ids", "attention_mask"}
    assert three.fed == {"input_ids", "attention_mask", "token_type_ids"}


def test_prompts_come_before_the_text() -> None:
    session = ScriptedSession()
    spec = replace(BUILT_IN, dimensions=2, query_prompt="good good ", passage_prompt="good ")
    encoder = OnnxEncoder(spec, session=session, tokenizer=WordPieceTokenizer(VOCABULARY, tokens_max=256))
    encoder.encode_query("good")
    encoder.encode_passages(["good"])
    assert session.shapes == [(1, 5), (1, 4)]


def test_one_long_text_among_short_ones_stays_bounded() -> None:
    """P9: 21,000 characters are cut to the limit and run alone."""
    session = ScriptedSession()
    encoder = scripted(session)
    vectors = encoder.encode_passages(["good"] * 15 + ["good " * 4200] + ["good"] * 16)
    assert encoder.texts_cut == 1
    assert max(rows * tokens for rows, tokens in session.shapes) == 256
    np.testing.assert_allclose(vectors[0], vectors[31])


MEMORY_SCRIPT = """
import resource
from mdmemd.adapters.process_memory import rss_bytes
from mdmemd.embed.encoder import load_encoder
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.registry import BUILT_IN

encoder = load_encoder(BUILT_IN, threads=2)
encoder.encode_passages(["word " * 4200, *["short text"] * 31])
encoder.encode_passages(["word " * 300] * 6)
release_free_memory()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, rss_bytes() >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other ways elsewhere")
def test_memory_has_a_ceiling() -> None:
    """P9, R2: measured 285 MB at the peak, which is while loading, and 167 MB afterwards."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = [sys.executable, "-c", MEMORY_SCRIPT]
    printed = subprocess.run(script, env=environment, capture_output=True, check=True, text=True).stdout
    peak_mb, rss_mb = map(int, printed.split())
    assert peak_mb < 340
    assert rss_mb < 210


def test_threads_do_not_spin_between_runs() -> None:
    """M3: CPU time of the process stands still while nothing is asked."""
    built_in_encoder().encode_query("a question")
    before = time.process_time()
    threading.Event().wait(0.3)
    assert time.process_time() - before < 0.1


def test_intact_file_that_does_not_load_is_not_called_damaged(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M1: another sentence and another remedy than for a wrong hash."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"no graph")
    monkeypatch.setattr(
        "mdmemd.embed.encoder.verified_path",
        lambda file: str(path) if file == BUILT_IN.weights else verified_path(file),
    )
    with pytest.raises(ModelUnavailableError, match=r"intact, but onnxruntime .* cannot load") as caught:
        load_encoder(BUILT_IN, threads=1)
    assert "reinstall" not in caught.value.remedy
