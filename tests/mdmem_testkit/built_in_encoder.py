"""The built-in model, loaded once for all tests of a run, on either of its graphs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from mdmem_testkit.stored_models import files_of
from mdmemd.embed.encoder import OnnxEncoder
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.registry import BUILT_IN


@cache
def built_in_encoder() -> OnnxEncoder:
    """As users have it: on the compiled graph."""
    return load_encoder(files_of(BUILT_IN), threads=2)


@cache
def shipped_graph_encoder() -> OnnxEncoder:
    """On the graph that the model is shipped with."""
    return load_encoder(files_of(replace(BUILT_IN, attention_heads=None)), threads=2)
