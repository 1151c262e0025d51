"""What every encoder promises, over the fake and the built-in model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mdmem_testkit.built_in_encoder import built_in_encoder
from mdmem_testkit.fake_encoder import FakeEncoder
from mdmemd.ports import Encoder

TEXTS = [
    "Keys > Rotation: rotate the signing keys every ninety days",
    "Soup: boil the water, then add the onions",
    "Rotation: rotate the keys",
    "",
    "x",
    "日本語の文章",
    "long words " * 60,
]


@pytest.fixture(params=[FakeEncoder, built_in_encoder], ids=["fake", "built-in"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    make: Callable[[], Encoder] = request.param
    return make()


def test_shape_dtype_and_length_one(encoder: Encoder) -> None:
    """M10."""
    vectors = encoder.encode_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), encoder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_query_is_one_unit_vector(encoder: Encoder) -> None:
    vector = encoder.encode_query("how do I rotate keys?")
    assert vector.shape == (encoder.dimensions,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode_passages([]).shape == (0, encoder.dimensions)


def test_neighbours_and_order_do_not_matter(encoder: Encoder) -> None:
    together = encoder.encode_passages(TEXTS)
    alone = np.concatenate([encoder.encode_passages([text]) for text in TEXTS])
    backwards = encoder.encode_passages(TEXTS[::-1])[::-1]
    assert (together * alone).sum(axis=1).min() > 0.999
    assert (together * backwards).sum(axis=1).min() > 0.999


def test_similar_texts_are_nearer(encoder: Encoder) -> None:
    vectors = encoder.encode_passages(TEXTS)
    query = encoder.encode_query("rotate the keys")
    assert vectors[2] @ query > vectors[1] @ query
    assert vectors[0] @ query > vectors[1] @ query


def test_fingerprint_is_stable_and_not_empty(encoder: Encoder) -> None:
    assert encoder.fingerprint
    assert encoder.fingerprint == encoder.fingerprint


def test_cut_texts_are_counted(encoder: Encoder) -> None:
    """M11: a text over the limit is cut to its beginning, and reported."""
    before = encoder.texts_cut
    whole, cut = encoder.encode_passages(["word " * 200, "word " * 3000])
    assert encoder.texts_cut == before + 1
    assert whole @ cut > 0.9


@pytest.mark.parametrize("text", ["a\ud83d cut emoji", "a\0b", "\x0c\x85\u2028", "👨‍👩‍👧‍👦" * 50], ids=ascii)
def test_odd_text_has_a_vector(encoder: Encoder, text: str) -> None:
    """P14, P17: what a damaged file or a client may send."""
    assert np.isfinite(encoder.encode_passages([text])).all()
