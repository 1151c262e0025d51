from __future__ import annotations

from mdmemd.embed.vector_id import VECTOR_ID_BYTES, vector_id, vector_id_of
from mdmemd.text.content_id import content_id


def test_same_model_and_text_give_the_same_id() -> None:
    assert vector_id("m", "text") == vector_id("m", "text")
    assert len(vector_id("m", "")) == VECTOR_ID_BYTES


def test_model_text_and_their_border_count() -> None:
    """M5, S12: vectors of two models are never mixed up."""
    ids = {
        vector_id(*pair)
        for pair in [("m", "text"), ("n", "text"), ("m", "Text"), ("mt", "ext"), ("", "mtext")]
    }
    assert len(ids) == 5


def test_lone_surrogates_have_ids() -> None:
    assert vector_id("m", "\ud800") != vector_id("m", "?")


def test_the_id_of_a_text_is_enough() -> None:
    """An index keeps ids of texts: vectors of an imported one go to the cache by them."""
    assert vector_id_of("m", content_id("text")) == vector_id("m", "text")
