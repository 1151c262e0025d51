"""Models, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from collections.abc import Callable

from mdmem.link.line import Line
from mdmem.link.progress_events import progress_to
from mdmem_proto import messages

MODEL_SECONDS = 180.0
"""Longest wait for the files of a model to be hashed, or for it to be loaded, from a slow disk."""

DOWNLOAD_SILENCE_SECONDS = 300.0
"""Longest silence within a download, which may take hours, but tells its progress."""


class ModelRequests(Line):
    """See the module."""

    def list_models(self) -> tuple[messages.ModelRow, ...]:
        """All models that are known by name, and the folder in use."""
        return self._call("models.list", messages.Empty(), messages.ModelListResult).models

    def verify_model(self, name: str) -> messages.ModelRow:
        """Hash all files of a model: its name, or the absolute path of a folder with a card."""
        params = messages.ModelNameParams(name=name)
        return self._call("models.verify", params, messages.ModelRow, timeout_seconds=MODEL_SECONDS)

    def use_model(self, name: str) -> messages.ModelRow:
        """Choose a model for all roots; returns when it is loaded, before it has embedded anything.

        Raises:
            NotFoundError: there is no such model, or it is not downloaded.
            DaemonUnavailableError: it does not load; the one before stays.
        """
        params = messages.ModelNameParams(name=name)
        return self._call("models.use", params, messages.ModelRow, timeout_seconds=MODEL_SECONDS)

    def download_model(
        self,
        name: str,
        *,
        licence: str,
        on_progress: Callable[[messages.ProgressEvent], None] | None = None,
    ) -> messages.ModelRow:
        """Fetch what is missing or damaged of a model; ``licence`` (``ModelRow.licence``) is agreed to.

        Raises:
            DaemonUnavailableError: network, server or disk; what has come is kept.
            RefusedError: another licence, or nothing that can be downloaded.
        """
        return self._call(
            "models.download",
            messages.ModelDownloadParams(name=name, licence=licence),
            messages.ModelRow,
            timeout_seconds=DOWNLOAD_SILENCE_SECONDS,
            on_event=progress_to(on_progress),
        )
