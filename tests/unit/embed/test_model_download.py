from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from mdmem_testkit.fake_encoder import CEILING_SECONDS
from mdmem_testkit.fake_files import FakeBlobs
from mdmem_testkit.model_server import Fault, ModelServer
from mdmem_testkit.stored_models import files_of, install, small_preset
from mdmemd.adapters.http_fetcher import HttpFetcher
from mdmemd.embed import model_download
from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_download import DownloadCancelledError, ModelDownloads
from mdmemd.errors import DownloadError, RefusedError

SPEC, CONTENTS = small_preset()
WEIGHTS = "onnx/model.onnx"
HALF = len(CONTENTS[WEIGHTS]) // 2


@dataclass
class Desk:
    """A store, a hub, and what was told of progress."""

    store: Path
    server: ModelServer
    told: list[tuple[int, int]] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def folder(self) -> Path:
        return self.store / SPEC.folder_name

    @property
    def partial(self) -> Path:
        return self.folder / f"{WEIGHTS}.partial"

    def download(self, *, silence_seconds: float = 20.0) -> None:
        downloads = ModelDownloads(
            fetcher=HttpFetcher(silence_seconds=silence_seconds),
            hashes=FileHashes(FakeBlobs()),
            store=str(self.store),
            base_url=self.server.base_url,
        )
        downloads.download(
            SPEC, progress=lambda done, total: self.told.append((done, total)), cancelled=self.cancelled
        )

    def is_whole(self) -> bool:
        files = files_of(SPEC, self.store)
        return all(files.damage(file) is None for file in SPEC.files) and not [*self.store.rglob("*.partial")]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ModelServer.running() as server:
        server.offer(SPEC, CONTENTS)
        yield Desk(tmp_path / "models", server)


def test_every_file_is_fetched_and_checked(desk: Desk) -> None:
    desk.download()
    assert desk.is_whole()
    assert desk.told[-1] == (SPEC.size_bytes, SPEC.size_bytes)
    assert [done for done, _ in desk.told] == sorted(done for done, _ in desk.told)
    assert desk.store.stat().st_mode & 0o777 == 0o700
    assert (desk.folder / WEIGHTS).stat().st_mode & 0o777 == 0o600


def test_what_is_there_is_not_fetched_again(desk: Desk) -> None:
    """M1: the repaired file alone. Files that were copied by hand count as well."""
    install(SPEC, CONTENTS, desk.store)
    desk.download()
    assert not desk.server.requests
    (desk.folder / "tokenizer.json").unlink()
    desk.download()
    assert [path.rsplit("/", 1)[1] for path, _ in desk.server.requests] == ["tokenizer.json"]


@pytest.mark.parametrize("damage", ["M1 truncated", "M2 zeros at the end"])
def test_a_damaged_file_is_replaced(desk: Desk, damage: str) -> None:
    path = install(SPEC, CONTENTS, desk.store) / WEIGHTS
    path.write_bytes(CONTENTS[WEIGHTS][:-50] + (b"" if "truncated" in damage else bytes(50)))
    desk.download()
    assert desk.is_whole()


def test_a_cut_connection_is_resumed(desk: Desk) -> None:
    desk.server.fail(WEIGHTS, Fault(cut_after=HALF), Fault(cut_after=100))
    desk.download()
    assert desk.is_whole()
    assert desk.server.asked(WEIGHTS) == [0, HALF, HALF + 100]


def test_a_later_run_goes_on_where_the_first_stopped(desk: Desk) -> None:
    """M1: what broke off never counts as complete."""
    desk.server.fail(WEIGHTS, Fault(cut_after=HALF), Fault(cut_after=0))
    with pytest.raises(DownloadError, match="ended the connection early") as caught:
        desk.download()
    assert "goes on where it stopped" in caught.value.remedy
    assert not (desk.folder / WEIGHTS).exists()
    assert desk.partial.stat().st_size == HALF
    desk.download()
    assert desk.is_whole()
    assert desk.server.asked(WEIGHTS)[-1] == HALF


def test_a_silent_server_is_given_up(desk: Desk) -> None:
    desk.server.fail(WEIGHTS, Fault(stall_after=HALF), Fault(stall_after=0))
    with pytest.raises(DownloadError, match="has gone silent"):
        desk.download(silence_seconds=0.2)
    assert desk.partial.stat().st_size == HALF


def test_content_that_differs_is_never_used(desk: Desk) -> None:
    """M2."""
    desk.server.fail(WEIGHTS, Fault(flip_at=HALF))
    with pytest.raises(DownloadError, match="differs from the pinned content"):
        desk.download()
    assert not desk.partial.exists()
    assert not (desk.folder / WEIGHTS).exists()


def test_a_bad_part_is_begun_anew(desk: Desk) -> None:
    desk.partial.parent.mkdir(parents=True)
    desk.partial.write_bytes(bytes(HALF))
    desk.download()
    assert desk.is_whole()
    assert desk.server.asked(WEIGHTS) == [HALF, 0]


@pytest.mark.parametrize("bytes_", [len(CONTENTS[WEIGHTS]), len(CONTENTS[WEIGHTS]) + 1])
def test_a_part_of_full_size_that_is_bad(desk: Desk, bytes_: int) -> None:
    """M2: a file that was preallocated."""
    desk.partial.parent.mkdir(parents=True)
    desk.partial.write_bytes(bytes(bytes_))
    desk.download()
    assert desk.is_whole()
    assert desk.server.asked(WEIGHTS) == [0]


def test_a_server_that_cannot_resume(desk: Desk) -> None:
    desk.server.fail(WEIGHTS, Fault(cut_after=HALF), Fault(ignore_range=True))
    desk.download()
    assert desk.is_whole()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(claim_bytes=10**12), "1,000,000,000,000 bytes instead of"),
        (Fault(claim_bytes=10), "has 10 bytes instead of"),
        (Fault(extra=b"x" * 10_000), "sends more than"),
        (Fault(status=404), r"does not have the file \(status 404\)"),
        (Fault(status=401), r"asks for a login \(status 401\)"),
        (Fault(status=503), r"overloaded or down \(status 503\)"),
        (Fault(status=418), r"makes no sense \(status 418\)"),
    ],
)
def test_lies_and_refusals_are_told(desk: Desk, fault: Fault, message: str) -> None:
    desk.server.fail(WEIGHTS, fault)
    with pytest.raises(DownloadError, match=message) as caught:
        desk.download()
    assert caught.value.remedy
    assert not (desk.folder / WEIGHTS).exists()
    assert (desk.folder / "tokenizer.json").exists()
    if desk.partial.exists():
        assert desk.partial.stat().st_size <= SPEC.weights.size_bytes


def test_redirects_are_followed_with_the_offset(desk: Desk) -> None:
    desk.server.redirect = desk.server.base_url
    desk.server.fail(WEIGHTS, Fault(cut_after=HALF))
    desk.download()
    assert desk.is_whole()
    assert desk.server.asked(WEIGHTS) == [0, HALF]


def test_no_server_is_told(desk: Desk) -> None:
    desk.server.base_url = "http://127.0.0.1:9"
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1 cannot be reached"):
        desk.download()


def test_a_mirror_that_is_no_address_is_told(desk: Desk) -> None:
    desk.server.base_url = "http://hub:port"
    with pytest.raises(DownloadError, match="no web address"):
        desk.download()


def test_a_proxy_of_the_environment_that_fails_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.server.base_url = "http://models.invalid"
    for proxy in ("socks9://me:secret@proxy.invalid:80", "http://me:secret@127.0.0.1:9"):
        monkeypatch.setenv("http_proxy", proxy)
        with pytest.raises(DownloadError, match=r"cannot be reached through the proxy") as caught:
            desk.download()
        assert "secret" not in str(caught.value)


def test_cancelling_keeps_the_part(desk: Desk) -> None:
    desk.cancelled.set()
    with pytest.raises(DownloadCancelledError):
        desk.download()
    desk.cancelled.clear()
    desk.download()
    assert desk.is_whole()


def test_a_full_disk_is_told_before_the_transfer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(DownloadError, match="1 MB free"):
        desk.download()
    assert not desk.server.requests


def test_a_disk_that_is_full_at_last_keeps_the_part(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10: it may show only when it is synced."""

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(model_download.os, "fsync", fail)  # type: ignore[attr-defined]
        with pytest.raises(DownloadError, match="No space left on device") as caught:
            desk.download()
    assert "Free some space" in caught.value.remedy
    asked = len(desk.server.requests)
    desk.download()
    assert desk.is_whole()
    assert len(desk.server.requests) == asked + 1  # the first file was there and not yet renamed


@pytest.mark.parametrize("place", ["", SPEC.folder_name, f"{SPEC.folder_name}/onnx", "partial", "lock"])
def test_links_in_the_store_are_refused(desk: Desk, tmp_path: Path, place: str) -> None:
    target = tmp_path / "victim"
    named = {"partial": desk.partial, "lock": desk.folder / ".lock"}
    link = named.get(place) or desk.store / place
    link.parent.mkdir(parents=True, exist_ok=True)
    target.mkdir() if place not in named else target.write_text("precious")
    link.symlink_to(target)
    with pytest.raises((RefusedError, DownloadError), match=r"is a link|symbolic links"):
        desk.download()
    assert target.is_dir() or target.read_text() == "precious"
    assert target.is_file() or not [*target.iterdir()]


def test_the_built_in_model_is_not_downloaded(desk: Desk) -> None:
    spec, _ = small_preset(hub=None)
    downloads = ModelDownloads(
        fetcher=HttpFetcher(), hashes=FileHashes(FakeBlobs()), store=str(desk.store), base_url=""
    )
    with pytest.raises(RefusedError, match="not downloaded"):
        downloads.download(spec, progress=lambda *_: None, cancelled=threading.Event())


HOLDER = """
import fcntl, os, sys
descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(descriptor, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_two_processes_download_once(desk: Desk) -> None:
    """The second waits, and then finds everything there; one that dies drops its lock."""
    desk.folder.mkdir(parents=True)
    command = [sys.executable, "-c", HOLDER, str(desk.folder / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        waiting = threading.Thread(target=desk.download)
        waiting.start()
        install(SPEC, CONTENTS, desk.store)
        holder.kill()
        waiting.join(CEILING_SECONDS)
        assert not waiting.is_alive()
    assert desk.is_whole()
    assert not desk.server.requests


def test_waiting_for_another_process_can_be_cancelled(desk: Desk) -> None:
    desk.folder.mkdir(parents=True)
    command = [sys.executable, "-c", HOLDER, str(desk.folder / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        desk.cancelled.set()
        with pytest.raises(DownloadCancelledError):
            desk.download()
        holder.kill()
    assert not desk.server.requests
