"""What only a hostile server does; the rest is in the contract and in the tests of downloads."""

from __future__ import annotations

import httpx2
import pytest

from mdmem_testkit.model_server import ModelServer
from mdmemd.adapters.http_fetcher import REDIRECTS_MAX, HttpFetcher, _follow
from mdmemd.ports import FetchRefusedError


def follow(*, start: str, to: str) -> httpx2.Response:
    """Ask a server that redirects everything to one place, and is there only at "/end"."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/end":
            return httpx2.Response(200, content=request.headers.get("Range", "").encode())
        return httpx2.Response(302, headers={"Location": to})

    with httpx2.Client(transport=httpx2.MockTransport(answer), headers={"Range": "bytes=7-"}) as client:
        response = _follow(client, client.build_request("GET", start))
        response.read()
        return response


def test_a_redirect_keeps_the_offset() -> None:
    assert follow(start="https://hub/a", to="https://cdn/end").content == b"bytes=7-"


def test_a_redirect_that_leaves_encryption_is_refused() -> None:
    with pytest.raises(FetchRefusedError, match="without encryption"):
        follow(start="https://hub/a", to="http://cdn/end")


def test_a_mirror_without_encryption_may_redirect() -> None:
    assert follow(start="http://hub/a", to="http://cdn/end").status_code == 200


def test_redirects_without_end_are_refused() -> None:
    with pytest.raises(FetchRefusedError, match=f"more than {REDIRECTS_MAX} times"):
        follow(start="https://hub/a", to="https://hub/b")


def test_an_error_of_the_caller_is_its_own() -> None:
    """A full disk, say, must not be taken for the network."""
    with ModelServer.running() as server:
        server.files["/a"] = b"content"
        with pytest.raises(ValueError, match="mine"), HttpFetcher().fetch(f"{server.base_url}/a", offset=0):
            raise ValueError("mine")
