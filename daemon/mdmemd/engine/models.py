"""The facade of models: what every surface asks to list, download, check and choose them.

A change of model loads the new one first, so a model that does not load changes nothing; then the plan is
saved, the writer makes second indexes with vectors of the new model (``model_change``), and the old model
answers until all of them take over in one step (``switched``). A start goes on with a change that a stop or a
crash cut short (``resume``). Where the model in use has failed there is nothing to answer with, and the new
one takes its place at once. Methods block (a download for minutes, a hash or a load for a second), are
thread-safe unless they say otherwise, and raise only ``mdmemd.errors`` types, and ``DownloadCancelledError``.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.embed.model_download import ModelDownloads, Progress
from mdmemd.embed.model_library import FilesState, LibraryEntry, ModelLibrary
from mdmemd.embed.model_pair import ModelPair
from mdmemd.embed.queue import EmbedQueue
from mdmemd.embed.registry import ModelKind, ModelSpec
from mdmemd.engine.chosen_model import ChosenModel
from mdmemd.engine.events import CancelModelChange, ChangeModel, WriterEvent
from mdmemd.engine.state import State
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError, OperatorError, RefusedError
from mdmemd.model import ModelIdentity, ModelState
from mdmemd.ports import Encoder

log = logging.getLogger(__name__)

LOAD_SECONDS = 60.0
"""How long a change waits for the model in use, where that is being loaded."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model as users see it; ``is_in_use`` marks the one that is chosen."""

    library: LibraryEntry
    is_in_use: bool


class Models:
    """Lists and changes models."""

    def __init__(
        self,
        *,
        library: ModelLibrary,
        downloads: ModelDownloads,
        chosen: ChosenModel,
        embedder: EmbedQueue,
        state: State,
        post: Callable[[WriterEvent], None],
    ) -> None:
        """``post`` hands the writer an event."""
        self._library = library
        self._downloads = downloads
        self._chosen = chosen
        self._embedder = embedder
        self._state = state
        self._post = post
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
        """Choose a model for all roots, now and at later starts; the change goes on behind the answer.

        Choosing the model in use ends a change to another. Raises ``NotFoundError``, ``InvalidRequestError``,
        ``ModelUnavailableError`` where it does not load and ``OperatorError`` where the choice cannot be
        saved; everything stays as it is then.
        """
        spec = self._library.resolve(name)
        self._check(spec)
        with self._changing:
            self._await_load()
            has_failed = self._embedder.state().phase is ModelState.FAILED
            if spec.identity == self._chosen.identity and not has_failed:
                self._stay()
            elif spec.identity != self._chosen.next or has_failed:
                self._change(spec, at_once=has_failed)
        return self._marked(self._library.entry(spec))

    def resume(self) -> None:
        """Go on with a change that was under way when the daemon ended; raises nothing."""
        with self._changing:
            to_come = self._chosen.next
            if to_come is None:
                return
            self._await_load()
            try:
                spec = self._library.resolve(to_come.name)
                if spec.fingerprint != to_come.fingerprint:
                    raise RefusedError(
                        f"The files of the model in {to_come.name} have changed since it was chosen.",
                        remedy=f"Choose the folder as it is now: mdmemctl model use {to_come.name}",
                    )
                self._change(spec, at_once=self._embedder.state().phase is ModelState.FAILED)
            except DaemonError as error:
                log.warning("the change to %s was given up: %s", to_come.name, error)
                reason = f"The change to the model {to_come.name} was given up: {error} {error.remedy}"
                with contextlib.suppress(OperatorError):  # the next start tries again, which does no harm
                    self._chosen.give_up(reason)
        self._state.notify()

    def switched(self) -> None:
        """The new indexes take over; on the writer's thread, before it publishes them."""
        self._chosen.switch()
        self._embedder.change_models(ModelPair.promote)

    def save_switched(self) -> None:
        """Make a switch durable; on the embedder's thread. A failure is logged: a start does it again."""
        try:
            self._chosen.save()
        except OperatorError as error:
            log.warning("%s %s", error, error.remedy)

    def _change(self, spec: ModelSpec, *, at_once: bool) -> None:
        encoder = self._chosen.load_other(spec)
        (self._chosen.choose if at_once else self._chosen.plan)(spec)

        def load() -> Encoder:
            return self._chosen.load_other(spec)

        if at_once:
            self._embedder.replace_model(encoder, self._chosen.load)
            self._post(CancelModelChange())
        else:
            self._embedder.change_models(lambda pair: pair.prepare(encoder, load))
            self._post(ChangeModel(encoder.fingerprint, encoder.dimensions))

    def _stay(self) -> None:
        if self._chosen.next is not None:
            self._chosen.give_up()
            self._post(CancelModelChange())
            self._embedder.change_models(ModelPair.drop_other)

    def _await_load(self) -> None:
        """Until it is known whether the model in use can answer."""
        self._state.wait_for(
            lambda _: self._embedder.state().phase is not ModelState.LOADING, timeout_seconds=LOAD_SECONDS
        )

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
