"""``ports.Fetcher`` over HTTP: the only module that imports ``httpx2``.

Invariants: certificates are checked; a redirect never leaves HTTPS; no password is taken from anywhere. A
proxy that the daemon's environment names (``HTTPS_PROXY``, ``NO_PROXY``) is used, and named where it fails.
Nothing is asked for unless a user wants a model: this is the daemon's only way to the network. Any thread;
each call has a connection of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from mdmemd.ports import Fetched, FetchInterruptedError, FetchRefusedError

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 30.0
"""After so long without a byte the transfer counts as interrupted."""

REDIRECTS_MAX = 5

_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


class HttpFetcher:
    """Fetches with a silence of at most ``silence_seconds``."""

    def __init__(self, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self._silence_seconds = silence_seconds

    @contextmanager
    def fetch(self, url: str, *, offset: int) -> Iterator[Fetched]:
        """Ask for a file from ``offset`` on; see the port."""
        import httpx2  # late: most daemons never download

        timeout = httpx2.Timeout(self._silence_seconds, connect=CONNECT_SECONDS)
        # Compressed, offsets and sizes would not be those of the file.
        headers = {"Accept-Encoding": "identity", "User-Agent": "mdmem"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        with ExitStack() as open_things:
            try:
                client = open_things.enter_context(httpx2.Client(timeout=timeout, headers=headers))
                response = _follow(client, client.build_request("GET", url))
                open_things.callback(response.close)
                fetched = _fetched(response, offset=offset)
            except (httpx2.TransportError, ImportError, ValueError) as error:
                # A proxy of a kind that needs another library, or with a broken address, is found out here.
                raise FetchInterruptedError(_reason(error, url)) from error
            except httpx2.InvalidURL as error:
                raise FetchRefusedError(
                    f"{url} is no web address ({error})", remedy="Correct [models] mirror in config.toml."
                ) from error
            yield fetched


def _follow(client: httpx2.Client, request: httpx2.Request) -> httpx2.Response:
    """The first answer that is no redirect, its body unread."""
    is_secure = request.url.scheme == "https"
    for _ in range(REDIRECTS_MAX + 1):
        response = client.send(request, stream=True)
        following = response.next_request
        if following is None:
            return response
        response.close()
        if is_secure and following.url.scheme != "https":
            raise FetchRefusedError(
                f"{request.url.host} redirects to {following.url.host} without encryption",
                remedy="Look at what stands between this machine and the server, or name another mirror.",
            )
        request = following
    raise FetchRefusedError(
        f"{request.url.host} redirects more than {REDIRECTS_MAX} times",
        remedy="Try again later, or name another mirror.",
    )


def _fetched(response: httpx2.Response, *, offset: int) -> Fetched:
    status = response.status_code
    if status == 200:
        return Fetched(0, _length(response), _chunks(response))
    part = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if status == 206 and part is not None and int(part[1]) == offset:
        return Fetched(offset, None if part[3] == "*" else int(part[3]), _chunks(response))
    host = response.url.host
    if status in (429, 500, 502, 503, 504):
        raise FetchInterruptedError(f"{host} is overloaded or down (status {status})")
    remedy = "Name a mirror that has the file ([models] mirror in config.toml), or copy it by hand."
    if status in (401, 403, 407):
        raise FetchRefusedError(f"{host} asks for a login (status {status})", remedy=remedy)
    if status in (404, 410):
        raise FetchRefusedError(f"{host} does not have the file (status {status})", remedy=remedy)
    raise FetchRefusedError(f"{host} gives an answer that makes no sense (status {status})", remedy=remedy)


def _length(response: httpx2.Response) -> int | None:
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else None


def _chunks(response: httpx2.Response) -> Iterator[bytes]:
    import httpx2

    try:
        yield from response.iter_raw()  # as it arrives: what is gathered is lost by a cut
    except httpx2.TransportError as error:
        raise FetchInterruptedError(_reason(error, str(response.url))) from error


def _reason(error: Exception, url: str) -> str:
    import httpx2

    host = httpx2.URL(url).host
    if isinstance(error, httpx2.ConnectTimeout):
        return f"{host} cannot be reached within {CONNECT_SECONDS:g} s"
    if isinstance(error, httpx2.TimeoutException):
        return f"{host} has gone silent"
    if isinstance(error, httpx2.ProxyError):
        return f"the proxy on the way to {host} refuses ({error})"
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
        return f"{host} has ended the connection early"
    return f"{host} cannot be reached{_by_proxy(url)} ({error})"


def _by_proxy(url: str) -> str:
    """Which proxy the environment names for it, without the password that may be in its address."""
    import httpx2

    target = httpx2.URL(url)
    proxy = getproxies().get(target.scheme) or getproxies().get("all")
    if proxy is None or proxy_bypass(target.host):
        return ""
    return f" through the proxy {proxy.rpartition('@')[2]}"
