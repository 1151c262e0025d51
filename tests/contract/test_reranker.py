"""What every reranker promises, over the fake and a small model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.fake_reranker import FakeReranker
from mdmem_testkit.stored_models import files_of
from mdmem_testkit.tiny_cross_encoder import write_reranker
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_card import spec_of_folder
from mdmemd.embed.reranker import load_reranker
from mdmemd.ports import Reranker

TEXTS = ["z", "a", "", "z " * 400, "a\ud83d cut emoji", "\u65e5\u672c"]


def small_model(folder: Path) -> Reranker:
    spec = spec_of_folder(str(write_reranker(folder)), hashes=FileHashes(FakeBlobs()))
    return load_reranker(files_of(spec), threads=2, clock=FakeClock())


@pytest.fixture(params=[lambda _: FakeReranker(), small_model], ids=["fake", "small model"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Reranker:
    make: Callable[[Path], Reranker] = request.param
    return make(tmp_path)


def test_a_score_between_0_and_1_for_each_text(reranker: Reranker) -> None:
    scores = reranker.scores("z", TEXTS, seconds=60)
    assert len(scores) == len(TEXTS)
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > scores[1]


def test_a_score_does_not_depend_on_neighbours(reranker: Reranker) -> None:
    together = reranker.scores("z", TEXTS, seconds=60)
    alone = [reranker.scores("z", [text], seconds=60)[0] for text in TEXTS]
    assert together == pytest.approx(alone)


def test_no_texts_give_no_scores(reranker: Reranker) -> None:
    assert reranker.scores("z", [], seconds=60) == []
