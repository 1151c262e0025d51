"""A hub of models on this machine that can misbehave: the other end of downloads, in tests.

Serves ``files`` by URL path over HTTP with ranges, as the hub does, first redirecting where ``redirect`` is
set. ``faults`` are used up one a request of a path; ``requests`` tells what was asked for, with its range.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mdmemd.embed.registry import ModelSpec

CEILING_SECONDS = 30.0


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one answer.

    ``status`` alone is sent; ``cut_after`` bytes the connection ends; ``flip_at`` a byte is another;
    ``stall_after`` bytes nothing comes any more; ``claim_bytes`` is told as the whole size; ``extra`` bytes
    follow the file; ``ignore_range`` sends all of it.
    """

    status: int = 0
    cut_after: int | None = None
    flip_at: int | None = None
    stall_after: int | None = None
    claim_bytes: int | None = None
    extra: bytes = b""
    ignore_range: bool = False


@dataclass
class ModelServer:
    """Use ``running`` to have one."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, deque[Fault]] = field(default_factory=dict)
    requests: list[tuple[str, int]] = field(default_factory=list)
    redirect: str = ""
    base_url: str = ""

    def __post_init__(self) -> None:
        self.closing = threading.Event()
        self.stalled = threading.Event()

    def offer(self, spec: ModelSpec, contents: dict[str, bytes]) -> None:
        """Have the files of a preset, by their paths."""
        assert spec.hub is not None
        for path, content in contents.items():
            self.files[f"/{spec.hub.repository}/resolve/{spec.hub.revision}/{path}"] = content

    def fail(self, path: str, *faults: Fault) -> None:
        """Answer the next requests of the file that ends in ``path`` so."""
        (found,) = [known for known in self.files if known.endswith(f"/{path}")]
        self.faults.setdefault(found, deque()).extend(faults)

    def asked(self, path: str) -> list[int]:
        """The offsets at which a file was asked for."""
        return [offset for asked, offset in self.requests if asked.endswith(f"/{path}")]

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[ModelServer]:
        """A server on a free port of this machine, ended with all of its answers."""
        made = cls()

        class Handler(_Handler):
            hub = made

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.daemon_threads = False
            made.base_url = f"http://127.0.0.1:{server.server_port}"
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield made
            finally:
                made.closing.set()
                server.shutdown()
                thread.join(CEILING_SECONDS)


class _Handler(BaseHTTPRequestHandler):
    hub: ModelServer

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        hub = self.hub
        if hub.redirect and not self.path.startswith("/cdn/"):
            self.send_response(302)
            self.send_header("Location", f"{hub.redirect}/cdn{self.path}")
            self.end_headers()
            return
        path = self.path.removeprefix("/cdn")
        content = hub.files.get(path)
        offset = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        hub.requests.append((path, offset))
        fault = hub.faults[path].popleft() if hub.faults.get(path) else Fault()
        if fault.status or content is None:
            self.send_response(fault.status or 404)
            self.end_headers()
            return
        self._send(content, 0 if fault.ignore_range else offset, fault)

    def _send(self, content: bytes, offset: int, fault: Fault) -> None:
        whole = len(content) if fault.claim_bytes is None else fault.claim_bytes
        if fault.flip_at is not None:
            flipped = content[fault.flip_at] ^ 1
            content = content[: fault.flip_at] + bytes([flipped]) + content[fault.flip_at + 1 :]
        body = content[offset:] + fault.extra
        self.send_response(206 if offset else 200)
        if offset:
            self.send_header("Content-Range", f"bytes {offset}-{whole - 1}/{whole}")
        if not fault.extra:
            self.send_header("Content-Length", str(whole - offset))
        self.end_headers()
        stop = fault.cut_after if fault.cut_after is not None else fault.stall_after
        self.wfile.write(body if stop is None else body[:stop])
        self.wfile.flush()
        if fault.stall_after is not None:
            self.hub.stalled.set()
            assert self.hub.closing.wait(CEILING_SECONDS)
        self.close_connection = True
