from __future__ import annotations

from dataclasses import fields, replace

import pytest

from mdmemd.embed.registry import (
    BUILT_IN,
    PRESETS,
    HubRevision,
    Licence,
    ModelKind,
    ModelSpec,
    Pooling,
    TokenizerKind,
    preset,
)

OTHER_VALUES: dict[str, object] = {
    "weights": replace(BUILT_IN.weights, sha256="0" * 64),
    "tokenizer": replace(BUILT_IN.tokenizer, sha256="0" * 64),
    "output": "sentence_embedding",
    "pooling": Pooling.CLS,
    "dimensions": 768,
    "tokens_max": 512,
    "query_prompt": "query: ",
    "passage_prompt": "passage: ",
    "attention_heads": None,
    "data": (BUILT_IN.weights,),
    "dictionary": None,
}
NOT_IN_VECTORS: dict[str, object] = {
    "name": "another",
    "licence": Licence("another", ""),
    "source": "another",
    "tokenizer_kind": TokenizerKind.JSON,  # the hash of its file tells
    "kind": ModelKind.RERANKER,  # has no vectors
    "hub": HubRevision("another", "0" * 40),
    "folder": "/another",
}


def test_every_field_is_covered_here() -> None:
    assert {field.name for field in fields(ModelSpec)} == OTHER_VALUES.keys() | NOT_IN_VECTORS.keys()


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_fingerprint_changes_with_what_changes_vectors(name: str) -> None:
    """M5: two models never share vectors, also where their dimensions are equal."""
    other = replace(BUILT_IN, **{name: OTHER_VALUES[name]})  # type: ignore[arg-type]  # values by field name
    assert other.fingerprint != BUILT_IN.fingerprint


@pytest.mark.parametrize("name", sorted(NOT_IN_VECTORS))
def test_fingerprint_does_not_change_with_names(name: str) -> None:
    other = replace(BUILT_IN, **{name: NOT_IN_VECTORS[name]})  # type: ignore[arg-type]  # values by field name
    assert other.fingerprint == BUILT_IN.fingerprint


def test_fingerprint_of_the_built_in_model_is_pinned() -> None:
    """A change here makes every installation embed everything again."""
    assert BUILT_IN.fingerprint == "6b014273687ade5e787a0afe11aa3ecb"


@pytest.mark.parametrize("spec", PRESETS, ids=lambda spec: spec.name)
def test_every_file_of_a_preset_is_pinned(spec: ModelSpec) -> None:
    """M1: a commit that never changes, and size and hash of each file."""
    assert preset(spec.name) is spec
    for file in spec.files:
        assert len(file.sha256) == 64
        assert set(file.sha256) <= set("0123456789abcdef")
        assert file.size_bytes > 0
    if spec.hub is not None:
        assert len(spec.hub.revision) == 40
    assert spec.is_built_in == (spec.hub is None)
    assert spec.licence.url.startswith("https://")
