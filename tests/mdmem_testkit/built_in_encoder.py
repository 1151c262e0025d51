"""The built-in model, loaded once for all tests of a run."""

from __future__ import annotations

from functools import cache

from mdmemd.embed.encoder import OnnxEncoder
from mdmemd.embed.loading import load_encoder
from mdmemd.embed.registry import BUILT_IN


@cache
def built_in_encoder() -> OnnxEncoder:
    return load_encoder(BUILT_IN, threads=2)
