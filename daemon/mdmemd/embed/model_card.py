"""The card of a model in a folder of the user: ``mdmem-model.toml`` to an entry of the registry.

The folder holds an ONNX graph, a ``tokenizer.json`` and the card:

==============  ==============================================================================================
onnx            the graph's file, relative to the folder; default ``model.onnx``
data            list of further files that the graph refers to (external weights); default none
tokenizer       default ``tokenizer.json``; a name that ends in ``.txt`` is an uncased BERT vocabulary
kind            ``embedder`` (default) or ``reranker``
pooling         ``mean``, ``cls``, ``last`` or ``graph``; must be said for an embedder
dimensions      length of a vector; must be said for an embedder
tokens_max      the model's token limit, special tokens and prompt included; must be said
output          name of the graph's output; default ``last_hidden_state``, for a reranker ``logits``
query_prompt    put before a question; default none
passage_prompt  put before a passage; default none
licence         name of the licence; default ``not stated``
==============  ==============================================================================================

Hashes are taken from the files as they are, so the fingerprint of such a model is that of its files and its
card: whatever changes there makes another model. ``parse_card`` is pure; ``spec_of_folder`` reads the folder,
on the thread of whoever chooses or loads the model.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.registry import Licence, ModelFile, ModelKind, ModelSpec, Pooling, TokenizerKind
from mdmemd.errors import InvalidRequestError, NotFoundError

CARD = "mdmem-model.toml"
CARD_BYTES_MAX = 65_536

DIMENSIONS_MAX = 8_192
TOKENS_MAX = 8_192
"""Attention takes memory with the square of a text's tokens, and passages have a few hundred."""

_KEYS = (
    *("onnx", "data", "tokenizer", "kind", "pooling", "dimensions", "tokens_max"),
    *("output", "query_prompt", "passage_prompt", "licence"),
)


@dataclass(frozen=True, slots=True)
class Card:
    """The values of a card, each as in the table above; ``dimensions`` is 1 for a reranker."""

    onnx: str
    data: tuple[str, ...]
    tokenizer: str
    kind: ModelKind
    pooling: Pooling
    dimensions: int
    tokens_max: int
    output: str
    query_prompt: str
    passage_prompt: str
    licence: str


def spec_of_folder(folder: str, *, hashes: FileHashes) -> ModelSpec:
    """The model in an absolute folder.

    Raises ``NotFoundError`` where there is no card or one of its files is missing, ``InvalidRequestError``
    for a card that cannot be used.
    """
    path = os.path.join(folder, CARD)
    try:
        with open(path, "rb") as file:
            text = file.read(CARD_BYTES_MAX).decode("utf-8")
    except OSError as error:
        raise NotFoundError(
            f"{folder} has no model card: {path} cannot be read ({error.strerror}).",
            remedy=f"Write {CARD} into the folder (README.md, Models), or name a model: mdmemctl model list",
        ) from error
    except UnicodeDecodeError as error:
        raise _bad(path, "it is not UTF-8", "Save it as UTF-8.") from error
    card = parse_card(text, path=path)
    is_vocabulary = card.tokenizer.endswith(".txt")
    return ModelSpec(
        name=folder,
        weights=_pinned(folder, card.onnx, hashes),
        data=tuple(_pinned(folder, name, hashes) for name in card.data),
        tokenizer=_pinned(folder, card.tokenizer, hashes),
        tokenizer_kind=TokenizerKind.WORDPIECE if is_vocabulary else TokenizerKind.JSON,
        output=card.output,
        pooling=card.pooling,
        dimensions=card.dimensions,
        tokens_max=card.tokens_max,
        query_prompt=card.query_prompt,
        passage_prompt=card.passage_prompt,
        attention_heads=None,
        licence=Licence(card.licence, ""),
        source=folder,
        kind=card.kind,
        folder=folder,
    )


def parse_card(text: str, *, path: str) -> Card:
    """The values of a card's text. Raises ``InvalidRequestError`` that names ``path`` and the key."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(path, f"it is no valid TOML: {error}", "Repair it.") from error
    for key in document:
        if key not in _KEYS:
            raise _bad(path, f"it has the unknown key {key}", f"Keys are {', '.join(_KEYS)}.")
    kind = ModelKind(_choice(document, "kind", [*ModelKind], path, default=ModelKind.EMBEDDER))
    is_reranker = kind is ModelKind.RERANKER
    pooling = _choice(document, "pooling", [*Pooling], path, default=Pooling.GRAPH if is_reranker else None)
    data = document.get("data", [])
    if not isinstance(data, list):
        raise _bad(path, "data is no list", 'Write it as a list of file names: data = ["model.onnx_data"]')
    return Card(
        onnx=_file(document, "onnx", path, default="model.onnx"),
        data=tuple(_file({"data": name}, "data", path, default="") for name in data),
        tokenizer=_file(document, "tokenizer", path, default="tokenizer.json"),
        kind=kind,
        pooling=Pooling(pooling),
        dimensions=_number(document, "dimensions", path, DIMENSIONS_MAX, default=1 if is_reranker else None),
        tokens_max=_number(document, "tokens_max", path, TOKENS_MAX, least=8),
        output=_text(document, "output", path, default="logits" if is_reranker else "last_hidden_state"),
        query_prompt=_text(document, "query_prompt", path, default=""),
        passage_prompt=_text(document, "passage_prompt", path, default=""),
        licence=_text(document, "licence", path, default="not stated"),
    )


def _pinned(folder: str, name: str, hashes: FileHashes) -> ModelFile:
    path = os.path.join(folder, name)
    try:
        return ModelFile(name, os.stat(path).st_size, hashes.sha256(path))
    except OSError as error:
        raise NotFoundError(
            f"{path}, which {CARD} names, cannot be read ({error.strerror}).",
            remedy="Put the file there, or correct the card.",
        ) from error


def _file(document: Mapping[str, Any], key: str, path: str, *, default: str) -> str:
    name = _text(document, key, path, default=default)
    if not name or os.path.isabs(name) or ".." in name.split("/"):
        raise _bad(path, f"{key} is {name!r}", "It takes the name of a file inside the folder.")
    return name


def _text(document: Mapping[str, Any], key: str, path: str, *, default: str) -> str:
    value = document.get(key, default)
    if not isinstance(value, str):
        raise _bad(path, f"{key} is {value!r}", "It takes a text in quotes.")
    return value


def _choice(
    document: Mapping[str, Any], key: str, choices: list[str], path: str, *, default: str | None
) -> str:
    value = document.get(key, default)
    if value not in choices:
        given = "is missing" if value is None else f"is {value!r}"
        raise _bad(path, f"{key} {given}", f"It takes {', '.join(choices[:-1])} or {choices[-1]}.")
    return str(value)


def _number(
    document: Mapping[str, Any], key: str, path: str, most: int, *, least: int = 1, default: int | None = None
) -> int:
    value = document.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        given = "is missing" if value is None else f"is {value!r}"
        raise _bad(path, f"{key} {given}", f"It takes a whole number from {least} to {most:,}.")
    return value


def _bad(path: str, reason: str, remedy: str) -> InvalidRequestError:
    return InvalidRequestError(f"The model card {path} cannot be used: {reason}.", remedy=remedy)
