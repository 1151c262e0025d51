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

from mdmem_testkit.built_in_encoder import built_in_encoder, shipped_graph_encoder
from mdmemd.embed.encoder import WINDOWS_MAX, OnnxEncoder, pool, to_unit_length
from mdmemd.embed.registry import BUILT_IN, Pooling, TokenizerKind
from mdmemd.embed.tokenizer import TextTokenizer

GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "embed"
TOLERANCES = {
    "all_minilm_l6_v2_int8.json": (shipped_graph_encoder, 5e-3),
    "all_minilm_l6_v2_int8_compiled.json": (built_in_encoder, 1.5e-2),
}
"""The first components of vectors by either graph. Kernels of machine families differ by rounding; in int8 a
component that is rounded the other way moves by a whole step. Components are 0.05 on average."""

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


def scripted(session: ScriptedSession, **prompts: str) -> OnnxEncoder:
    return OnnxEncoder(
        replace(BUILT_IN, dimensions=2, **prompts),  # type: ignore[arg-type]  # all prompts are str
        session=session,
        tokenizer=TextTokenizer.of_file(VOCABULARY, kind=TokenizerKind.WORDPIECE, tokens_max=256),
        fingerprint="scripted",
        threads=2,
    )


@pytest.mark.parametrize("name", TOLERANCES)
def test_golden_vectors(name: str) -> None:
    encoder, tolerance = TOLERANCES[name]
    entries = json.loads((GOLDEN / name).read_text("utf-8"))
    vectors = encoder().encode_passages([entry["text"] * entry["repeat"] for entry in entries])
    np.testing.assert_allclose(vectors[:, :8], [entry["vector"] for entry in entries], atol=tolerance)


def test_neighbours_change_no_bit_of_a_vector() -> None:
    """In int8 they would, if they shared a run: by a cosine of 0.99."""
    texts = ["How do I rotate the signing keys?", "MAX_RETRIES=3 " * 30, "", "Soup: boil the water"]
    encoder = built_in_encoder()
    alone = [encoder.encode_query(text) for text in texts]
    np.testing.assert_array_equal(encoder.encode_passages(texts), alone)


def test_pooling() -> None:
    hidden = np.array([[1, 1], [3, 5]], np.float32)
    np.testing.assert_array_equal(pool(hidden, pooling=Pooling.MEAN), [2, 3])
    np.testing.assert_array_equal(pool(hidden, pooling=Pooling.CLS), [1, 1])


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
    encoder = scripted(session, query_prompt="good good ", passage_prompt="good ")
    encoder.encode_query("good")
    encoder.encode_passages(["good"])
    assert session.shapes == [(1, 5), (1, 4)]


def test_one_long_text_among_short_ones_stays_bounded() -> None:
    """P9: 21,000 characters are cut to the limit, and nothing is padded to them."""
    session = ScriptedSession()
    encoder = scripted(session)
    vectors = encoder.encode_passages(["good"] * 15 + ["good " * 4200] + ["good"] * 16)
    assert encoder.texts_cut == 1
    assert sorted(session.shapes) == [(1, 3)] * 31 + [(1, 256)] * WINDOWS_MAX
    np.testing.assert_allclose(vectors[0], vectors[31])


def test_the_end_of_a_long_passage_counts() -> None:
    """M11: 600 characters of Chinese are more tokens than the built-in model takes at once."""
    beginning = "钥匙每月轮换一次并且记录在案。" * 25
    both, without = (f"轮换: {beginning}{end}"[:600] for end in ("煮汤时先把水烧开再放盐。" * 20, ""))
    encoder = built_in_encoder()
    cut_before = encoder.texts_cut
    vectors = encoder.encode_passages([both, without, without])
    assert encoder.texts_cut == cut_before
    assert vectors[0] @ vectors[1] < 0.999
    np.testing.assert_array_equal(vectors[1], vectors[2])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_windows_count_by_their_tokens() -> None:
    session = ScriptedSession()
    encoder = scripted(session)
    encoder.encode_passages(["good " * 300])
    assert session.shapes == [(1, 256), (1, 2 + 300 - 254)]


def test_texts_run_side_by_side() -> None:
    """Each of two runs waits for the other to have begun."""
    both_run = threading.Barrier(2)

    class Meeting(ScriptedSession):
        def run(self, output_names: list[str], input_feed: dict[str, npt.NDArray[np.int64]]) -> list[Any]:
            both_run.wait(20)
            return super().run(output_names, input_feed)

    assert scripted(Meeting()).encode_passages(["good", "good good"]).shape == (2, 2)


MEMORY_SCRIPT = """
import re, sys
from pathlib import Path
from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import BUILT_IN

files = ModelFiles(BUILT_IN, store="/nonexistent", hashes=FileHashes(PosixBlobs("/nonexistent")))
encoder = load_encoder(files, threads=2, graphs=PosixBlobs(sys.argv[1]))
encoder.encode_passages(["word " * 4200, *["short text"] * 31])
encoder.encode_passages(["word " * 300] * 6)
release_free_memory()
print(*(int(re.search(name + r":\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10
        for name in ("VmHWM", "VmRSS")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other ways elsewhere")
def test_memory_has_a_ceiling(tmp_path: pathlib.Path) -> None:
    """P9, R2: measured 308 MB at the peak of the start that builds, 123 afterwards; then 165 and 116."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = [sys.executable, "-c", MEMORY_SCRIPT, str(tmp_path)]
    for peak_mb_max, rss_mb_max in ((380, 160), (210, 150)):
        printed = subprocess.run(script, env=environment, capture_output=True, check=True, text=True).stdout
        peak_mb, rss_mb = map(int, printed.split())
        assert peak_mb < peak_mb_max
        assert rss_mb < rss_mb_max


def test_threads_do_not_spin_between_runs() -> None:
    """M3: CPU time of the process stands still while nothing is asked."""
    built_in_encoder().encode_query("a question")
    before = time.process_time()
    threading.Event().wait(0.3)
    assert time.process_time() - before < 0.1
