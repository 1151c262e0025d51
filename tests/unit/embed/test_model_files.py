from __future__ import annotations

import hashlib
import os
import pathlib
import sys
from dataclasses import replace

import pytest

from mdmem_testkit.stored_models import files_of, install, small_preset
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.registry import BUILT_IN, ModelFile, Package
from mdmemd.errors import ModelUnavailableError

CONTENT = bytes(range(256)) * 40


@pytest.fixture
def file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ModelFile:
    """A pinned file in a package of its own."""
    package = tmp_path / "carrier_of_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "carrier_of_weights", raising=False)
    return ModelFile(
        path="model.onnx",
        size_bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        package=Package("carrier==1.0", "carrier_of_weights"),
    )


def test_the_built_in_files_are_there_and_sound() -> None:
    for pinned in (BUILT_IN.weights, BUILT_IN.tokenizer):
        assert os.path.getsize(files_of(BUILT_IN).verified_path(pinned)) == pinned.size_bytes


def test_sound_file_is_found(file: ModelFile, tmp_path: pathlib.Path) -> None:
    assert files_of(BUILT_IN).verified_path(file) == str(tmp_path / "carrier_of_weights" / "model.onnx")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CONTENT[:-1], "10,239 bytes instead of 10,240"),
        (CONTENT[:5000] + bytes(len(CONTENT) - 5000), "right size but not the right content"),
        (b"", "0 bytes"),
    ],
    ids=["M1 truncated", "M2 zeros at the end", "empty"],
)
def test_damage_is_told(file: ModelFile, tmp_path: pathlib.Path, content: bytes, reason: str) -> None:
    (tmp_path / "carrier_of_weights" / "model.onnx").write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=reason) as caught:
        files_of(BUILT_IN).verified_path(file)
    assert "carrier==1.0" in caught.value.remedy


def test_missing_file_is_told(file: ModelFile, tmp_path: pathlib.Path) -> None:
    (tmp_path / "carrier_of_weights" / "model.onnx").unlink()
    with pytest.raises(ModelUnavailableError, match="No such file"):
        files_of(BUILT_IN).verified_path(file)


def test_missing_package_is_told() -> None:
    absent = ModelFile("model.onnx", 1, "0" * 64, Package("absent==1", "no_such_package_of_weights"))
    with pytest.raises(
        ModelUnavailableError, match="no_such_package_of_weights, which carries a model's file, is not"
    ):
        files_of(BUILT_IN).verified_path(absent)


# --- downloads and folders of the user ----------------------------------------------------------------------


def test_files_of_the_store_are_found_and_checked(tmp_path: pathlib.Path) -> None:
    spec, contents = small_preset()
    folder = install(spec, contents, tmp_path)
    files = files_of(spec, tmp_path)
    assert [files.verified_path(file) for file in spec.files] == [
        str(folder / "tokenizer.json"),
        str(folder / "onnx/model.onnx"),
    ]


def test_what_is_not_downloaded_says_how_to_get_it(tmp_path: pathlib.Path) -> None:
    spec, _ = small_preset()
    with pytest.raises(ModelUnavailableError, match="No such file") as caught:
        files_of(spec, tmp_path).verified_path(spec.weights)
    assert "mdmemctl model download tiny" in caught.value.remedy
    damage = files_of(spec, tmp_path).damage(spec.weights)
    assert damage is not None
    assert damage.is_absent


def test_zeros_at_the_end_are_found_by_hash(tmp_path: pathlib.Path) -> None:
    """M2."""
    spec, contents = small_preset()
    path = install(spec, contents, tmp_path) / "onnx/model.onnx"
    path.write_bytes(path.read_bytes()[:-100] + bytes(100))
    damage = files_of(spec, tmp_path).damage(spec.weights)
    assert damage is not None
    assert "right size but not the right content" in damage.reason
    assert not damage.is_absent


@pytest.mark.parametrize("linked", ["", "tiny@0123456789ab", "tiny@0123456789ab/onnx", "file"])
def test_links_in_the_store_are_refused(tmp_path: pathlib.Path, linked: str) -> None:
    spec, contents = small_preset()
    store = tmp_path / "models"
    folder = install(spec, contents, store)
    place = folder / "onnx/model.onnx" if linked == "file" else store / linked
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    damage = files_of(spec, store).damage(spec.weights)
    assert damage is not None
    assert "is a link" in damage.reason


def test_a_folder_of_the_user_may_hold_links(tmp_path: pathlib.Path) -> None:
    spec, contents = small_preset()
    folder = install(spec, contents, tmp_path)
    (tmp_path / "mine").symlink_to(folder)
    own = replace(spec, folder=str(tmp_path / "mine"))
    assert files_of(own).verified_path(own.weights) == str(tmp_path / "mine/onnx/model.onnx")


def test_external_weights_are_files_of_the_model(tmp_path: pathlib.Path) -> None:
    """M1: the graph is there and its external data is not; no error of a parser comes of it."""
    spec, contents = small_preset()
    data = replace(spec.weights, path="onnx/model.onnx_data")
    spec = replace(spec, data=(data,))
    folder = install(spec, contents, tmp_path)
    with pytest.raises(ModelUnavailableError, match=r"model\.onnx_data cannot be read"):
        load_encoder(files_of(spec, tmp_path), threads=1)
    (folder / data.path).write_bytes(contents["onnx/model.onnx"])
    assert load_encoder(files_of(spec, tmp_path), threads=1).dimensions == spec.dimensions
