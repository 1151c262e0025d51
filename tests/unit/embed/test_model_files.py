from __future__ import annotations

import hashlib
import os
import pathlib
import sys

import pytest

from mdmemd.embed.model_files import verified_path
from mdmemd.embed.registry import BUILT_IN, ModelFile
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
        distribution="carrier==1.0",
        package="carrier_of_weights",
        path="model.onnx",
        size_bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


def test_the_built_in_files_are_there_and_sound() -> None:
    for pinned in (BUILT_IN.weights, BUILT_IN.vocabulary):
        assert os.path.getsize(verified_path(pinned)) == pinned.size_bytes


def test_sound_file_is_found(file: ModelFile, tmp_path: pathlib.Path) -> None:
    assert verified_path(file) == str(tmp_path / "carrier_of_weights" / "model.onnx")


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
        verified_path(file)
    assert "carrier==1.0" in caught.value.remedy


def test_missing_file_is_told(file: ModelFile, tmp_path: pathlib.Path) -> None:
    (tmp_path / "carrier_of_weights" / "model.onnx").unlink()
    with pytest.raises(ModelUnavailableError, match="No such file"):
        verified_path(file)


def test_missing_package_is_told() -> None:
    absent = ModelFile("absent==1", "no_such_package_of_weights", "model.onnx", 1, "0" * 64)
    with pytest.raises(ModelUnavailableError, match="no_such_package_of_weights is not installed"):
        verified_path(absent)
