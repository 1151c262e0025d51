from __future__ import annotations

from pathlib import Path

import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.stored_models import install, small_preset, write_card
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_library import FilesState, ModelLibrary
from mdmemd.embed.registry import BUILT_IN
from mdmemd.errors import NotFoundError

TINY, CONTENTS = small_preset()


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    return ModelLibrary(
        store=str(tmp_path / "models"), hashes=FileHashes(FakeBlobs()), presets=(BUILT_IN, TINY)
    )


def test_names_and_folders_are_resolved(library: ModelLibrary, tmp_path: Path) -> None:
    assert library.resolve("tiny") is TINY
    folder = write_card(tmp_path / "mine")
    assert library.resolve(f"{folder}/").name == str(folder)


def test_an_unknown_name_offers_near_ones(library: ModelLibrary) -> None:
    with pytest.raises(NotFoundError, match="no model named tyni") as caught:
        library.resolve("tyni")
    assert caught.value.candidates == ("tiny",)


def test_what_is_there_is_seen(library: ModelLibrary, tmp_path: Path) -> None:
    built_in, tiny = library.entries()
    assert (built_in.state, tiny.state) == (FilesState.READY, FilesState.ABSENT)
    folder = install(TINY, CONTENTS, tmp_path / "models")
    assert library.entry(TINY).state is FilesState.READY
    assert library.entry(TINY).folder == str(folder)
    (folder / "tokenizer.json").unlink()
    damaged = library.entry(TINY)
    assert damaged.state is FilesState.DAMAGED
    assert damaged.detail is not None
    assert "tokenizer.json" in damaged.detail


def test_only_verifying_reads_the_bytes(library: ModelLibrary, tmp_path: Path) -> None:
    """M2."""
    path = install(TINY, CONTENTS, tmp_path / "models") / "onnx/model.onnx"
    path.write_bytes(path.read_bytes()[:-9] + bytes(9))
    assert library.entry(TINY).state is FilesState.READY
    verified = library.verify(TINY)
    assert verified.state is FilesState.DAMAGED
    assert verified.detail is not None
    assert "not the right content" in verified.detail


def test_a_link_is_found_by_verifying(library: ModelLibrary, tmp_path: Path) -> None:
    path = install(TINY, CONTENTS, tmp_path / "models") / "tokenizer.json"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert library.verify(TINY).state is FilesState.DAMAGED
