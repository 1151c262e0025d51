"""Models: which there are, their files, and which is in use."""

from __future__ import annotations

from mdmem_proto.messages.values import Message, PathText


class ModelFileRow(Message, frozen=True, omit_defaults=False):
    """One file of a model, as pinned; ``path`` is relative to the model's folder."""

    path: str
    size_bytes: int
    sha256: str


class ModelRow(Message, frozen=True, omit_defaults=False):
    """One model.

    ``name`` is also that of a folder of the user: its absolute path. ``kind`` is ``embedder`` or
    ``reranker``. ``state`` is ``ready``, ``absent`` or ``damaged`` (then ``detail`` says what is wrong): by
    the sizes of the files, after ``models.verify`` by their content. ``in_use`` marks the chosen model.
    ``revision`` is the commit that the files come from, null where they are not downloaded.
    """

    name: str
    kind: str
    state: str
    in_use: bool
    dimensions: int
    tokens_max: int
    size_bytes: int
    licence: str
    licence_url: str
    licence_note: str
    source: str
    revision: str | None
    folder: str
    detail: str | None
    files: tuple[ModelFileRow, ...]


class ModelListResult(Message, frozen=True, omit_defaults=False):
    """All models that are known by name, and the folder in use."""

    models: tuple[ModelRow, ...]


class ModelNameParams(Message, frozen=True):
    """``models.verify``: hash all files. ``models.use``: choose the model for all roots."""

    name: PathText


class ModelDownloadParams(Message, frozen=True):
    """``models.download``: fetch what is missing or damaged of a model.

    ``licence`` is its ``ModelRow.licence``: whoever sends it has agreed. ``progress`` events of the phase
    ``download`` count bytes.
    """

    name: PathText
    licence: str
