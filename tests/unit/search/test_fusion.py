"""Absolute scores: monotone in both evidences, fair to what has no vector yet."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.search.fusion import fuse, fusion_weights
from mdmemd.search.query import parse_query

QUESTIONS = ("plain words", "UV_CACHE_DIR", "UV_CACHE_DIR location", "停止侦听器", "停止 watcher")

_unit = st.floats(0, 1, width=32)


def _fuse(
    question: str, fractions: list[float], cosines: list[float], coverage: list[float] | None = None
) -> list[float]:
    scores = fuse(
        parse_query(question),
        fractions=np.array(fractions, np.float32),
        coverage=np.array(coverage or fractions, np.float32),
        cosines=np.array(cosines, np.float32),
    )
    values: list[float] = scores.tolist()
    return values


@given(
    question=st.sampled_from(QUESTIONS),
    fraction=_unit,
    cosine=_unit,
    more_fraction=_unit,
    more_cosine=_unit,
    coverage=_unit,
    more_coverage=_unit,
)
def test_more_of_either_evidence_never_lowers_a_score_s8(
    question: str,
    fraction: float,
    cosine: float,
    more_fraction: float,
    more_cosine: float,
    coverage: float,
    more_coverage: float,
) -> None:
    low, high = _fuse(
        question,
        [fraction, max(fraction, more_fraction)],
        [cosine, max(cosine, more_cosine)],
        [coverage, max(coverage, more_coverage)],
    )
    assert high >= low


def test_words_weigh_more_for_identifiers_and_vectors_less_for_unspaced_scripts() -> None:
    by_words = {question: _fuse(question, [1.0], [0.0])[0] for question in QUESTIONS}
    by_vectors = {question: _fuse(question, [0.0], [1.0])[0] for question in QUESTIONS}
    assert by_words["UV_CACHE_DIR"] > by_words["UV_CACHE_DIR location"] > by_words["plain words"]
    assert by_vectors["停止侦听器"] < by_vectors["停止 watcher"] < by_vectors["plain words"]


def test_a_name_leads_whatever_is_near_and_among_those_that_have_it_nearness_counts() -> None:
    named, often, near = _fuse("UV_CACHE_DIR", [0.2, 0.3, 0.0], [0.5, 0.1, 0.95], [1.0, 1.0, 0.0])
    assert named > often > near


def test_what_has_no_vector_is_taken_to_be_in_the_middle() -> None:
    nan = float("nan")
    scores = _fuse("plain words", [0.0, 0.0, 0.0, 0.5], [0.1, 0.2, 0.9, nan])
    assert scores[1] < scores[3]
    assert _fuse("plain words", [0.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.9, nan])[3] == scores[1]
    assert _fuse("plain words", [0.5, 0.25], [nan, nan]) == sorted(
        _fuse("plain words", [0.5, 0.25], [nan, nan]), reverse=True
    )


def test_vectors_weigh_as_much_as_the_model_reads() -> None:
    """English whole, Chinese by its glosses, other scripts without spaces hardly; all by other models."""
    questions = ("plain words", "停止侦听器", "설정")
    english, chinese, korean = (fusion_weights(parse_query(each)).cosine for each in questions)
    assert english == 1.0 > chinese > korean > 0.0
    assert fusion_weights(parse_query("설정", is_multilingual=True)).cosine == 1.0
