"""Models in a store of the test's own: their files, and small ones made on the spot."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.tiny_bert import HIDDEN, TOKENS_MAX, VOCABULARY, TinyBert
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import BUILT_IN, HubRevision, ModelFile, ModelSpec, TokenizerKind

REVISION = "0123456789abcdef0123456789abcdef01234567"


def files_of(spec: ModelSpec, store: Path | str = "/nonexistent") -> ModelFiles:
    """The files of a model in ``store``, without remembered hashes."""
    return ModelFiles(spec, store=str(store), hashes=FileHashes(FakeBlobs()))


def tokenizer_json() -> bytes:
    """A ``tokenizer.json`` of letters, with padding and a truncation of its own that must not count."""
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=40)
    return json.dumps(json.loads(tokenizer.to_str())).encode()


def small_preset(name: str = "tiny", *, seed: int = 0, **fields: Any) -> tuple[ModelSpec, dict[str, bytes]]:
    """An entry as for a model of the hub, with the contents of its files by path."""
    contents = {"onnx/model.onnx": TinyBert(seed=seed).model(), "tokenizer.json": tokenizer_json()}
    pins = {
        path: ModelFile(path, len(content), hashlib.sha256(content).hexdigest())
        for path, content in contents.items()
    }
    spec = replace(
        BUILT_IN,
        name=name,
        weights=pins["onnx/model.onnx"],
        tokenizer=pins["tokenizer.json"],
        tokenizer_kind=TokenizerKind.JSON,
        dimensions=HIDDEN,
        tokens_max=TOKENS_MAX,
        attention_heads=None,
        source="test/tiny",
        hub=HubRevision("test/tiny", REVISION),
    )
    return replace(spec, **fields), contents


def install(spec: ModelSpec, contents: dict[str, bytes], store: Path) -> Path:
    """Put the files of a preset where a download would; gives the model's folder."""
    folder = store / spec.folder_name
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def write_card(folder: Path, **values: object) -> Path:
    """A folder of the user with a small model and its card; ``values`` stand in for those of the card."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(TinyBert().model())
    (folder / "tokenizer.json").write_bytes(tokenizer_json())
    card: dict[str, object] = {"pooling": "mean", "dimensions": HIDDEN, "tokens_max": TOKENS_MAX}
    lines = [f"{key} = {json.dumps(value)}" for key, value in (card | values).items() if value is not None]
    (folder / "mdmem-model.toml").write_text("\n".join(lines))
    return folder
