"""``ports.Fetcher`` over a dictionary of URLs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mdmemd.ports import Fetched, FetchInterruptedError, FetchRefusedError

CHUNK_BYTES = 1000


class FakeFetcher:
    """``files`` by URL; ``cuts`` are the bytes of a URL after which each of its next transfers breaks off."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cuts: dict[str, list[int]] = {}
        self.requests: list[tuple[str, int]] = []

    @contextmanager
    def fetch(self, url: str, *, offset: int) -> Iterator[Fetched]:
        self.requests.append((url, offset))
        if url not in self.files:
            raise FetchRefusedError("the hub does not have the file (status 404)", remedy="Copy it by hand.")
        content = self.files[url]
        if offset > len(content):
            raise FetchRefusedError("the hub gives an answer that makes no sense (status 416)", remedy="")
        yield Fetched(offset, len(content), self._chunks(url, content[offset:]))

    def _chunks(self, url: str, body: bytes) -> Iterator[bytes]:
        cut = self.cuts[url].pop(0) if self.cuts.get(url) else None
        sent = body if cut is None else body[:cut]
        for at in range(0, len(sent), CHUNK_BYTES):
            yield sent[at : at + CHUNK_BYTES]
        if cut is not None:
            raise FetchInterruptedError("the hub has ended the connection early")
