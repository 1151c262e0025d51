from __future__ import annotations

from dataclasses import fields, replace

import pytest

from mdmemd.embed.registry import BUILT_IN, ModelSpec, Pooling

OTHER_VALUES: dict[str, object] = {
    "weights": replace(BUILT_IN.weights, sha256="0" * 64),
    "vocabulary": replace(BUILT_IN.vocabulary, sha256="0" * 64),
    "output": "sentence_embedding",
    "pooling": Pooling.CLS,
    "dimensions": 768,
    "tokens_max": 512,
    "query_prompt": "query: ",
    "passage_prompt": "passage: ",
    "attention_heads": None,
}
NOT_IN_VECTORS = {"name", "licence", "source"}


def test_every_field_is_covered_here() -> None:
    assert {field.name for field in fields(ModelSpec)} == set(OTHER_VALUES) | NOT_IN_VECTORS


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_fingerprint_changes_with_what_changes_vectors(name: str) -> None:
    """M5: two models never share vectors, also where their dimensions are equal."""
    other = replace(BUILT_IN, **{name: OTHER_VALUES[name]})  # type: ignore[arg-type]  # values by field name
    assert other.fingerprint != BUILT_IN.fingerprint


@pytest.mark.parametrize("name", sorted(NOT_IN_VECTORS))
def test_fingerprint_does_not_change_with_names(name: str) -> None:
    other = replace(BUILT_IN, **{name: "another"})  # type: ignore[arg-type]  # all three are str
    assert other.fingerprint == BUILT_IN.fingerprint


def test_fingerprint_of_the_built_in_model_is_pinned() -> None:
    """A change here makes every installation embed everything again."""
    assert BUILT_IN.fingerprint == "ca49e88d988f4c0796720432a314b60f"
