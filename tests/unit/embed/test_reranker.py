from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.stored_models import files_of, write_card
from mdmem_testkit.tiny_cross_encoder import write_reranker
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_card import spec_of_folder
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.reranker import BackgroundReranker, OnnxReranker, load_reranker
from mdmemd.errors import ModelUnavailableError, NotFoundError
from mdmemd.ports import Reranker

CEILING_SECONDS = 20
TEXTS = ["a b c", "z z a", "z z z", ""]


def files(folder: Path) -> ModelFiles:
    return files_of(spec_of_folder(str(folder), hashes=FileHashes(FakeBlobs())))


def load(folder: Path, *, clock: FakeClock | None = None) -> OnnxReranker:
    return load_reranker(files(folder), threads=2, clock=clock or FakeClock())


@pytest.mark.parametrize("outputs", [1, 2])
def test_the_text_is_judged_and_not_the_question(tmp_path: Path, outputs: int) -> None:
    reranker = load(write_reranker(tmp_path, outputs=outputs))
    scores = reranker.scores("z z z z", TEXTS, seconds=9)
    assert scores[2] > scores[1] > scores[3] > scores[0]
    assert all(0 < score < 1 for score in scores)
    assert reranker.scores("z z z z", [], seconds=9) == []


def test_a_pair_that_is_too_long_keeps_the_question(tmp_path: Path) -> None:
    """M11: the text loses its end; the beginning still counts, and nothing fails."""
    reranker = load(write_reranker(tmp_path))
    begins, ends = reranker.scores("a " * 20, ["z " * 200 + "a " * 200, "a " * 200 + "z " * 200], seconds=9)
    assert begins > 0.5 > ends


def test_what_does_not_fit_into_the_time_has_no_score(tmp_path: Path) -> None:
    class Hurrying(FakeClock):
        def monotonic(self) -> float:
            self.advance(1.0)
            return super().monotonic()

    reranker = load(write_reranker(tmp_path), clock=Hurrying())
    assert len(reranker.scores("a", TEXTS * 5, seconds=0)) == 2, "two threads read once in any case"
    assert len(reranker.scores("a", TEXTS * 5, seconds=3.5)) == 8


def test_an_embedder_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="is no reranker but an embedder"):
        load(write_card(tmp_path))


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    """M1."""
    found = files(write_reranker(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelUnavailableError, match="missing or damaged"):
        load_reranker(found, threads=1, clock=FakeClock())


def test_an_output_that_is_no_score_is_told(tmp_path: Path) -> None:
    reranker = load(write_reranker(tmp_path, outputs=3))
    with pytest.raises(ModelUnavailableError, match="of one pair is"):
        reranker.scores("a", ["b"], seconds=9)


def test_no_question_waits_for_the_load() -> None:
    """M7."""
    let_go = threading.Event()

    def slow() -> Reranker:
        assert let_go.wait(CEILING_SECONDS)
        return FakeReranker()

    reranker = BackgroundReranker(slow)
    for _ in range(2):
        with pytest.raises(ModelUnavailableError, match="still loading"):
            reranker.scores("a", ["a"], seconds=1)
    let_go.set()
    reranker.wait(timeout_seconds=CEILING_SECONDS)
    assert reranker.scores("a", ["a"], seconds=1) == [0.9]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (NotFoundError("There is no model named x.", remedy="See the list."), "not used: There is no model"),
        (RuntimeError("boom"), "could not be loaded"),
    ],
)
def test_a_load_that_fails_is_told_each_time(error: Exception, message: str) -> None:
    def fail() -> Reranker:
        raise error

    reranker = BackgroundReranker(fail)
    with pytest.raises(ModelUnavailableError):
        reranker.scores("a", ["a"], seconds=1)
    reranker.wait(timeout_seconds=CEILING_SECONDS)
    for _ in range(2):
        with pytest.raises(ModelUnavailableError, match=message) as caught:
            reranker.scores("a", ["a"], seconds=1)
        assert caught.value.remedy
