"""The scoring formula."""

from __future__ import annotations

import numpy as np
import pytest

from mdmemd.index.bm25 import SATURATION, FieldStatistics, inverse_document_frequency, saturated_frequency

STATISTICS = FieldStatistics(sections=3, mean_lengths=(2.0, 3.0, 10.0))


def factor(*, title: int = 0, path: int = 0, body: int = 0, length: int = 10) -> float:
    frequencies = tuple(np.array([each], np.uint8) for each in (title, path, body))
    lengths = np.array([[2], [3], [length]], np.int32)
    found = saturated_frequency(
        (frequencies[0], frequencies[1], frequencies[2]), lengths, np.zeros(1, np.int64), STATISTICS
    )
    return float(found[0])


def test_worked_example() -> None:
    """At mean lengths the normalisation is 1: f = 3 x 1 + 1 x 2 = 5, 5 x 2.2 / (1.2 + 5)."""
    assert factor(title=1, body=2) == pytest.approx(5 * 2.2 / 6.2, rel=1e-6)


def test_a_better_match_never_scores_lower() -> None:
    """S8: more of a word, or the same in a shorter section or a heavier field, scores higher."""
    rising = [factor(body=count) for count in (1, 2, 5, 50, 255)]
    assert rising == sorted(set(rising))
    shorter = [factor(body=1, length=length) for length in (1_000, 100, 10, 1)]
    assert shorter == sorted(set(shorter))
    assert factor(body=1) <= factor(path=1) < factor(title=1)


def test_a_term_is_worth_at_most_its_idf_times_k1_plus_1() -> None:
    assert factor(title=255, path=255, body=255, length=1) < SATURATION + 1


def test_rare_words_weigh_more_and_none_is_negative() -> None:
    idf = [inverse_document_frequency(sections=100, holding=holding) for holding in (0, 1, 50, 100)]
    assert idf == sorted(set(idf), reverse=True)
    assert idf[-1] > 0


def test_statistics_of_nothing() -> None:
    statistics = FieldStatistics.of(sections=0, total_lengths=(0, 0, 0))
    assert statistics.mean_lengths == (1.0, 1.0, 1.0)
    assert inverse_document_frequency(sections=0, holding=0) > 0
