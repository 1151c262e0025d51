from __future__ import annotations

from mdmemd.embed.content_id import CONTENT_ID_BYTES, content_id


def test_same_model_and_text_give_the_same_id() -> None:
    assert content_id("m", "text") == content_id("m", "text")
    assert len(content_id("m", "")) == CONTENT_ID_BYTES


def test_model_text_and_their_border_count() -> None:
    """M5, S12: vectors of two models are never mixed up."""
    ids = {
        content_id(*pair)
        for pair in [("m", "text"), ("n", "text"), ("m", "Text"), ("mt", "ext"), ("", "mtext")]
    }
    assert len(ids) == 5


def test_lone_surrogates_have_ids() -> None:
    assert content_id("m", "\ud800") != content_id("m", "?")
