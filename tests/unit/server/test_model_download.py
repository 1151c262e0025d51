"""A download for a client: progress, its end, and being left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mdmem_proto import messages as wire
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.stored_models import small_preset
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_download import DownloadCancelledError
from mdmemd.embed.model_library import ModelLibrary
from mdmemd.engine.models import ModelEntry
from mdmemd.errors import DownloadError
from mdmemd.server.model_download import download_model

CEILING_SECONDS = 20
SPEC, _ = small_preset()
PARAMS = wire.ModelDownloadParams("tiny", "Apache-2.0")


class FakeModels:
    """``engine.models.Models``, of which a download does what ``body`` does."""

    def __init__(self, body: Callable[[Callable[[int, int], None], threading.Event], None]) -> None:
        self._body = body
        self.ended = threading.Event()

    def download(
        self, name: str, *, licence: str, progress: Callable[[int, int], None], cancelled: threading.Event
    ) -> ModelEntry:
        assert (name, licence) == ("tiny", "Apache-2.0")
        try:
            self._body(progress, cancelled)
        finally:
            self.ended.set()
        library = ModelLibrary(store="/nonexistent", hashes=FileHashes(FakeBlobs()), presets=(SPEC,))
        return ModelEntry(library.entry(SPEC), is_in_use=False)


async def download(models: Any, events: list[wire.ProgressEvent]) -> wire.ModelRow:
    async def report(event: wire.ProgressEvent) -> None:
        events.append(event)

    return await download_model(models, PARAMS, run_long=asyncio.to_thread, report=report)


def test_progress_and_the_end_are_told() -> None:
    def body(progress: Callable[[int, int], None], _: threading.Event) -> None:
        for done in range(101):
            progress(done, 100)

    events: list[wire.ProgressEvent] = []
    row = asyncio.run(download(FakeModels(body), events))
    assert (row.name, row.state, row.revision) == ("tiny", "absent", SPEC.hub and SPEC.hub.revision)
    assert [file.path for file in row.files] == ["tokenizer.json", "onnx/model.onnx"]
    assert events[0] == wire.ProgressEvent("download", 0, 100)
    assert events[-1] == wire.ProgressEvent("download", 100, 100)
    assert len(events) < 50, "at most ten a second"


def test_a_failure_is_handed_on() -> None:
    def body(*_: object) -> None:
        raise DownloadError("The server is gone.", remedy="Later.")

    with pytest.raises(DownloadError, match="gone"):
        asyncio.run(download(FakeModels(body), []))


def test_a_request_that_is_left_ends_the_transfer(tmp_path: Path) -> None:
    begun = threading.Event()

    def body(_: object, cancelled: threading.Event) -> None:
        begun.set()
        assert cancelled.wait(CEILING_SECONDS)
        raise DownloadCancelledError

    models = FakeModels(body)

    async def scenario() -> None:
        request = asyncio.create_task(download(models, []))
        await asyncio.to_thread(begun.wait, CEILING_SECONDS)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert await asyncio.to_thread(models.ended.wait, CEILING_SECONDS)

    asyncio.run(scenario())
