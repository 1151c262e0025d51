"""What every fetcher promises, over the fake and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from mdmem_testkit.fake_fetcher import FakeFetcher
from mdmem_testkit.model_server import Fault, ModelServer
from mdmem_testkit.stored_models import small_preset
from mdmemd.adapters.http_fetcher import HttpFetcher
from mdmemd.ports import Fetcher, FetchInterruptedError, FetchRefusedError

CONTENT = bytes(range(256)) * 4000
SPEC, _ = small_preset()


@dataclass
class World:
    fetcher: Fetcher
    url: str
    server: ModelServer | FakeFetcher

    def cut(self, after: int) -> None:
        if isinstance(self.server, FakeFetcher):
            self.server.cuts[self.url] = [after]
        else:
            self.server.fail("model.onnx", Fault(cut_after=after))

    def fetch(self, offset: int = 0, url: str = "") -> tuple[int, int | None, bytes]:
        with self.fetcher.fetch(url or self.url, offset=offset) as fetched:
            return fetched.start, fetched.size_bytes, b"".join(fetched.chunks)


@pytest.fixture(params=["fake", "http"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "fake":
        fake = FakeFetcher()
        fake.files["https://hub/model.onnx"] = CONTENT
        yield World(fake, "https://hub/model.onnx", fake)
        return
    with ModelServer.running() as server:
        server.offer(SPEC, {"model.onnx": CONTENT})
        (path,) = server.files
        yield World(HttpFetcher(), server.base_url + path, server)


@pytest.mark.parametrize("offset", [0, 1, 70_000, len(CONTENT) - 1])
def test_the_bytes_from_an_offset_on(world: World, offset: int) -> None:
    assert world.fetch(offset) == (offset, len(CONTENT), CONTENT[offset:])


def test_an_unknown_file_is_refused(world: World) -> None:
    with pytest.raises(FetchRefusedError, match="404"):
        world.fetch(url=f"{world.url}-of-another-name")


def test_a_cut_is_an_interruption_after_what_came(world: World) -> None:
    world.cut(after=300_000)
    received: list[bytes] = []
    with (
        world.fetcher.fetch(world.url, offset=0) as fetched,
        pytest.raises(FetchInterruptedError, match="early"),
    ):
        received.extend(fetched.chunks)
    assert b"".join(received) == CONTENT[:300_000]


def test_a_transfer_can_be_left(world: World) -> None:
    with world.fetcher.fetch(world.url, offset=0) as fetched:
        assert next(iter(fetched.chunks))
