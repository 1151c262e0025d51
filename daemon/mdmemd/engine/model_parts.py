"""Puts together what an engine has to do with models, from their part of the outside world. Main thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.config import Settings
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_choice import ModelChoice
from mdmemd.embed.model_download import ModelDownloads
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.model_library import ModelLibrary
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import HUB, ModelSpec
from mdmemd.embed.reranker import BackgroundReranker
from mdmemd.engine.chosen_model import ChosenModel, LoadFiles
from mdmemd.engine.events import WriterEvent
from mdmemd.engine.models import Models
from mdmemd.engine.state import State
from mdmemd.ports import BlobStore, Fetcher, Reranker


@dataclass(frozen=True, slots=True)
class ModelsOutside:
    """The outside world of models: absolute ``folder`` of downloads, and ``blobs`` kept in it."""

    load_encoder: LoadFiles
    load_reranker: Callable[[ModelFiles], Reranker]
    folder: str
    blobs: BlobStore
    fetcher: Fetcher


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The parts; ``reranker`` is ``None`` unless one is configured, and loaded by the first question."""

    library: ModelLibrary
    chosen: ChosenModel
    downloads: ModelDownloads
    reranker: Reranker | None

    def facade(self, embedder: EmbedQueue, state: State, *, post: Callable[[WriterEvent], None]) -> Models:
        """What surfaces ask; ``post`` hands the writer an event."""
        return Models(
            library=self.library,
            downloads=self.downloads,
            chosen=self.chosen,
            embedder=embedder,
            state=state,
            post=post,
        )


def model_parts(
    outside: ModelsOutside, *, choice: ModelChoice, settings: Settings, presets: tuple[ModelSpec, ...]
) -> ModelParts:
    """All of them; nothing is loaded or looked at yet but the choice."""
    hashes = FileHashes(outside.blobs)
    library = ModelLibrary(store=outside.folder, hashes=hashes, presets=presets)
    base_url = settings.models.mirror or HUB
    reranker_name = settings.search.rerank_model

    def load_reranker() -> Reranker:
        return outside.load_reranker(library.files(library.resolve(reranker_name)))

    return ModelParts(
        library=library,
        chosen=ChosenModel(choice=choice, library=library, load=outside.load_encoder),
        downloads=ModelDownloads(
            fetcher=outside.fetcher, hashes=hashes, store=outside.folder, base_url=base_url
        ),
        reranker=BackgroundReranker(load_reranker) if reranker_name else None,
    )
