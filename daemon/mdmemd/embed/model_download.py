"""Downloads a model: every file from its pinned revision, resumed where it broke off, checked, then renamed.

Layout: ``STORE/NAME@REVISION/PATH`` and, on the way, ``PATH.partial`` beside it. Invariants: a file stands
under its own name only after all of its bytes were hashed, synced and found to be the pinned ones; a file
that is sound is not fetched again; what has arrived of a broken transfer stays for the next one; no more is
written than the pinned size. Links in the store are refused. Two processes download once: whoever holds the
lock of the model's folder (``flock``, dropped by the kernel with the process) works, others wait and then
find everything there.

============================================  ==============================================================
connection cut, server silent                 resumed while it makes progress, else ``DownloadError``
server answers with another size              refused before a byte is written
content differs from the pin                  the part is deleted, once tried from the beginning, then told
server cannot resume                          begun at 0
disk full, no permission                      ``DownloadError``; the part stays
cancelled                                     ``DownloadCancelledError``; the part stays
============================================  ==============================================================

On a thread of downloads; ``cancelled`` is looked at for every piece that arrives.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from io import FileIO

from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.registry import ModelFile, ModelSpec
from mdmemd.errors import DownloadError, RefusedError
from mdmemd.ports import Fetcher, FetchInterruptedError, FetchRefusedError

Progress = Callable[[int, int], None]
"""Called with the bytes that are there and all bytes of the model."""

LOCK = ".lock"
PARTIAL = ".partial"
SPARE_BYTES = 64 * 2**20
"""Left free on the disk: the indexes live there too."""

LOCK_POLL_SECONDS = 0.2
"""Between looks at a lock that another process holds, which may be for many minutes."""


class DownloadCancelledError(Exception):
    """Whoever wanted the model wants it no more."""


class _WrongContentError(Exception):
    """All bytes are there and they are not the pinned ones."""


class ModelDownloads:
    """Downloads into ``store``, the absolute folder of downloads; ``base_url`` has the hub's layout."""

    def __init__(self, *, fetcher: Fetcher, hashes: FileHashes, store: str, base_url: str) -> None:
        self._fetcher = fetcher
        self._hashes = hashes
        self._store = store
        self._base_url = base_url.rstrip("/")

    def download(self, spec: ModelSpec, *, progress: Progress, cancelled: threading.Event) -> None:
        """Make every file of a preset be there and sound.

        Raises ``DownloadError``, ``RefusedError`` (the model has no source, or a link lies in the way) and
        ``DownloadCancelledError``.
        """
        if spec.hub is None:
            raise RefusedError(
                f"{spec.name} is not downloaded: its files are in place or are the user's own.",
                remedy=f"Check them: mdmemctl model verify {spec.name}",
            )
        files = ModelFiles(spec, store=self._store, hashes=self._hashes)
        try:
            self._prepare(files)
            with _locked(os.path.join(files.folder, LOCK), cancelled):
                _Download(
                    spec,
                    files,
                    fetcher=self._fetcher,
                    base_url=self._base_url,
                    progress=progress,
                    cancelled=cancelled,
                ).run()
        except OSError as error:
            raise _disk_error(spec, files.folder, error) from error

    def _prepare(self, files: ModelFiles) -> None:
        for folder in (self._store, files.folder):
            if os.path.islink(folder):
                raise RefusedError(
                    f"{folder} is a link, which is not followed.", remedy="Put a real folder in its place."
                )
            os.makedirs(folder, mode=0o700, exist_ok=True)


class _Download:
    """One call of ``ModelDownloads.download``, with the lock held."""

    def __init__(
        self,
        spec: ModelSpec,
        files: ModelFiles,
        *,
        fetcher: Fetcher,
        base_url: str,
        progress: Progress,
        cancelled: threading.Event,
    ) -> None:
        self._fetcher = fetcher
        self._base_url = base_url
        self._spec = spec
        self._files = files
        self._progress = progress
        self._cancelled = cancelled
        self._done_bytes = 0

    def run(self) -> None:
        """Fetch what is missing or damaged."""
        wanted = [file for file in self._spec.files if self._files.damage(file) is not None]
        self._done_bytes = self._spec.size_bytes - sum(file.size_bytes for file in wanted)
        self._progress(self._done_bytes, self._spec.size_bytes)
        self._check_room(wanted)
        for file in wanted:
            self._get(file)
            self._done_bytes += file.size_bytes

    def _check_room(self, wanted: list[ModelFile]) -> None:
        needed = sum(file.size_bytes - _size(self._files.path(file) + PARTIAL) for file in wanted)
        free = shutil.disk_usage(self._files.folder).free
        if wanted and free < needed + SPARE_BYTES:
            raise DownloadError(
                f"{self._spec.name} needs {needed / 1e6:,.0f} MB, and the disk of {self._files.folder} has "
                f"{free / 1e6:,.0f} MB free.",
                remedy="Free some space and run it again.",
            )

    def _get(self, file: ModelFile) -> None:
        """Fetch one file, resuming as long as each attempt brings something."""
        path = self._files.path(file)
        partial = path + PARTIAL
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self._refuse_links(os.path.dirname(path), path, partial)
        while True:
            had = _size(partial)
            try:
                self._fetch(file, partial)
            except FetchInterruptedError as error:
                if _size(partial) > had:
                    continue
                remedy = "Run it again: it goes on where it stopped."
                raise self._error(file, str(error), remedy) from error
            except FetchRefusedError as error:
                raise self._error(file, str(error), error.remedy) from error
            except _WrongContentError:
                os.unlink(partial)
                if had:  # the fault may lie in what was there before: once more from the beginning
                    continue
                reason = "what the server sent differs from the pinned content"
                remedy = "Try again later, or name another mirror ([models] mirror in config.toml)."
                raise self._error(file, reason, remedy) from None
            _put_in_place(partial, path)
            return

    def _fetch(self, file: ModelFile, partial: str) -> None:
        """Bring the part to its full size, check and sync it.

        Raises ``_WrongContentError`` and what ``Fetcher`` raises.
        """
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(descriptor, "r+b", buffering=0) as stream:
            if os.fstat(descriptor).st_size > file.size_bytes:
                stream.truncate(0)
            if os.fstat(descriptor).st_size < file.size_bytes:
                self._receive(file, stream)
            stream.seek(0)
            if hashlib.file_digest(stream, "sha256").hexdigest() != file.sha256:
                raise _WrongContentError
            os.fsync(descriptor)

    def _receive(self, file: ModelFile, stream: FileIO) -> None:
        """Append what the part lacks."""
        offset = stream.seek(0, os.SEEK_END)
        with self._fetcher.fetch(self._url(file), offset=offset) as fetched:
            if fetched.size_bytes not in (None, file.size_bytes):
                raise FetchRefusedError(
                    f"the server's file has {fetched.size_bytes:,} bytes instead of {file.size_bytes:,}",
                    remedy="Name a mirror that has the pinned revision ([models] mirror in config.toml).",
                )
            stream.truncate(fetched.start)
            at = stream.seek(fetched.start)
            for chunk in fetched.chunks:
                if self._cancelled.is_set():
                    raise DownloadCancelledError
                if at + len(chunk) > file.size_bytes:
                    raise FetchRefusedError(
                        f"the server sends more than the {file.size_bytes:,} bytes of the file",
                        remedy="Try again later, or name another mirror ([models] mirror in config.toml).",
                    )
                at += _write_all(stream, chunk)
                self._progress(self._done_bytes + at, self._spec.size_bytes)
        if at < file.size_bytes:
            raise FetchInterruptedError("the server has ended the connection early")

    def _refuse_links(self, *paths: str) -> None:
        for path in paths:
            if os.path.islink(path):
                raise RefusedError(
                    f"{path} is a link, which is not followed.",
                    remedy=f"Delete it, then: mdmemctl model download {self._spec.name}",
                )

    def _url(self, file: ModelFile) -> str:
        assert self._spec.hub is not None
        hub = self._spec.hub
        return f"{self._base_url}/{hub.repository}/resolve/{hub.revision}/{file.path}"

    def _error(self, file: ModelFile, reason: str, remedy: str) -> DownloadError:
        return DownloadError(
            f"{file.path} of {self._spec.name} cannot be downloaded: {reason}.", remedy=remedy
        )


@contextlib.contextmanager
def _locked(path: str, cancelled: threading.Event) -> Iterator[None]:
    """Hold the lock of a model's folder."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if cancelled.wait(LOCK_POLL_SECONDS):
                    raise DownloadCancelledError from None
        yield
    finally:
        os.close(descriptor)


def _put_in_place(partial: str, path: str) -> None:
    """Give a checked and synced file its name, durably."""
    os.rename(partial, path)
    descriptor = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(stream: FileIO, chunk: bytes) -> int:
    view = memoryview(chunk)
    while view:
        view = view[stream.write(view) :]
    return len(chunk)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _disk_error(spec: ModelSpec, folder: str, error: OSError) -> DownloadError:
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    remedy = "Free some space" if is_full else "Repair the folder's permissions or the disk"
    return DownloadError(
        f"{spec.name} cannot be stored in {folder} ({error.strerror}).",
        remedy=f"{remedy} and run it again: it goes on where it stopped.",
    )
