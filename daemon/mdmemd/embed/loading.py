"""Makes a model ready: verified files, and the faster of two graphs that can be had.

The shipped graph of a BERT model is compiled once into one that computes in int8 (``bert_graph``), 2.5 times
as fast, and kept (``graph_store``). It is used only where it agrees with the shipped graph (``graph_check``);
whatever goes wrong with it costs speed, never vectors, and is told in ``OnnxEncoder.message``:

=====================================================  ======================================================
the graph cannot be read, built, loaded or run, or     the shipped graph computes
disagrees
the kept graph is damaged or another's                 built anew
it cannot be kept or read (disk full, no permission)   built at each start (half a second)
=====================================================  ======================================================

Embedder thread, once per start.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable

from mdmemd.embed.encoder import OnnxEncoder
from mdmemd.embed.graph_check import CHECK_TEXTS, disagreement
from mdmemd.embed.graph_store import CompiledGraph, GraphStore
from mdmemd.embed.heap import release_free_memory
from mdmemd.embed.model_files import verified_path
from mdmemd.embed.registry import ModelSpec
from mdmemd.embed.session import RUNTIME, open_session
from mdmemd.embed.tokenizer import WordPieceTokenizer
from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import BlobStore

log = logging.getLogger(__name__)

COMPILER_VERSION = 1
"""Raised with any change of ``bert_graph`` or ``bert_weights`` that changes vectors.

1: QAttention, DynamicQuantizeMatMul, BiasGelu; one text a run.
"""


class _UnusableGraphError(Exception):
    """The compiled graph cannot be used; the message is a clause without a full stop."""


def load_encoder(spec: ModelSpec, *, threads: int, graphs: BlobStore | None = None) -> OnnxEncoder:
    """Verify and load a model; ``threads`` 0 means as many as the process may use.

    ``graphs`` keeps the compiled graph; without it there is none, and the shipped graph computes.

    Raises ``ModelUnavailableError``: a file is missing or damaged, or an intact file cannot be loaded.
    """
    weights = verified_path(spec.weights)
    with open(verified_path(spec.vocabulary), encoding="utf-8", newline="\n") as file:
        tokenizer = WordPieceTokenizer(file.read(), tokens_max=spec.tokens_max)
    ...
