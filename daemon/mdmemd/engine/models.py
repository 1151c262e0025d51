"""The facade of models: what every surface asks to list, download, check and choose them.

A change of model loads the new one first, so a model that does not load changes nothing; then the choice is
saved, and the embedder goes on with it. From that moment until vectors of the new model are there, questions
are answered by words and say so: vectors of two models never meet (M5). Methods block (a download for
minutes, a hash or a load for a second), are thread-safe and raise only ``mdmemd.errors`` types, and
``DownloadCancelledError``.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass

from mdmemd.embed.model_download import ModelDownloads, Progress
from mdmemd.embed.model_library import FilesState, LibraryEntry, ModelLibrary
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import ModelKind, ModelSpec
from mdmemd.engine.chosen_model import ChosenModel
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, RefusedError
from mdmemd.model import ModelIdentity, ModelState


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model as users see it; ``is_in_use`` marks the one that is chosen."""

    library: LibraryEntry
    is_in_use: bool


class Models:
    """Lists and changes models."""

    def __init__(
        self, *, library: ModelLibrary, downloads: ModelDownloads, chosen: ChosenModel, embedder: EmbedQueue
    ) -> None:
        self._library = library
        self._downloads = downloads
        self._chosen = chosen
        self._embedder = embedder
        self._changing = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        """What indexes have to know of the model in use."""
        return self._chosen.identity

    def entries(self) -> tuple[ModelEntry, ...]:
        """All presets, and the chosen folder, if one is chosen and can be read."""
        entries = list(self._library.entries())
        name = self._chosen.identity.name
        if all(entry.spec.name != name for entry in entries):
            with contextlib.suppress(DaemonError):  # status tells why
                entries.append(self._library.entry(self._library.resolve(name)))
        return tuple(self._marked(entry) for entry in entries)

    def verify(self, name: str) -> ModelEntry:
        """Hash all files of a model, and tell. Raises ``NotFoundError``, ``InvalidRequestError``."""
        return self._marked(self._library.verify(self._library.resolve(name)))

    def download(
        self, name: str, *, licence: str, progress: Progress, cancelled: threading.Event
    ) -> ModelEntry:
        """Make the files of a preset be there; whoever asks agrees to the licence by naming it.

        Raises ``NotFoundError``, ``RefusedError``, ``DownloadError`` and ``DownloadCancelledError``. Where it
        repairs the model in use, that is loaded.
        """
        spec = self._library.resolve(name)
        if licence != spec.licence.name:
            note = f" {spec.licence.note}" if spec.licence.note else ""
            raise RefusedError(
                f"{name} comes under the {spec.licence.name} ({spec.licence.url}), which must be agreed to."
                f"{note}",
                remedy=f"Read it, then: mdmemctl model download {name}",
            )
        self._downloads.download(spec, progress=progress, cancelled=cancelled)
        is_needed = self._chosen.identity.name == spec.name
        if is_needed and self._embedder.state().phase is ModelState.FAILED:
            return self.use(name)
        return self._marked(self._library.entry(spec))

    def use(self, name: str) -> ModelEntry:
        """Choose a model for all roots, now and at later starts.

        Raises ``NotFoundError``, ``InvalidRequestError``, ``ModelUnavailableError`` where it does not load
        and ``OperatorError`` where the choice cannot be saved; the model before goes on then.
        """
        spec = self._library.resolve(name)
        self._check(spec)
        with self._changing:
            encoder = self._chosen.load_other(spec)
            self._chosen.choose(spec)
            self._embedder.replace_model(encoder, self._chosen.load)
        return self._marked(self._library.entry(spec))

    def _check(self, spec: ModelSpec) -> None:
        if spec.kind is not ModelKind.EMBEDDER:
            raise InvalidRequestError(
                f"{spec.name} is a reranker, which gives no vectors.",
                remedy="Name it as [search] rerank_model in config.toml.",
            )
        if self._library.entry(spec).state is FilesState.ABSENT and not spec.is_built_in:
            raise NotFoundError(
                f"The model {spec.name} is not here yet.",
                remedy=f"Download it: mdmemctl model download {spec.name}",
            )

    def _marked(self, entry: LibraryEntry) -> ModelEntry:
        return ModelEntry(entry, is_in_use=entry.spec.name == self._chosen.identity.name)
