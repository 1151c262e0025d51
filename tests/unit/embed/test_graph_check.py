from __future__ import annotations

import numpy as np

from mdmemd.embed.graph_check import CHECK_TEXTS, disagreement
from mdmemd.model import FloatMatrix


def turned(cosines: list[float]) -> FloatMatrix:
    """Unit vectors with these cosines to the first axis."""
    return np.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines], np.float32)


REFERENCES = turned([1, 1, 1, 1])


def test_near_vectors_pass() -> None:
    assert disagreement(REFERENCES, REFERENCES) is None
    assert disagreement(turned([0.976, 0.99, 0.99, 0.99]), REFERENCES) is None


def test_one_text_that_is_off_is_enough() -> None:
    reason = disagreement(turned([1, 1, 1, 0.97]), REFERENCES)
    assert reason is not None
    assert "at worst 0.970" in reason


def test_all_texts_a_little_off_are_too_much() -> None:
    assert disagreement(turned([0.98, 0.98, 0.98, 0.98]), REFERENCES) is not None


def test_texts_reach_from_a_word_to_the_limit() -> None:
    words = [len(text.split()) for text in CHECK_TEXTS]
    assert min(words) == 1
    assert max(words) > 200
