"""One function per request that is answered by the query pool.

Wire parameters in, service call, wire result out.

Called on the query pool, but for those in ``AT_ONCE``. Adding a request is adding a function and its row in
``HANDLERS``; requests that need the connection or the loop (``roots.wait``, ``stop``, ``mcp.open``) are in
``server.connection``. Errors are ``mdmemd.errors`` types; the connection turns them into failures.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mdmem_proto import messages as wire
from mdmemd.engine.service import Service
from mdmemd.model import ChunkMode, SearchMode
from mdmemd.search.page import Question
from mdmemd.server import convert


@dataclass(frozen=True, slots=True)
class DaemonIdentity:
    """What the daemon says of itself.

    ``started_at`` is unix seconds; ``rss_bytes`` asks the system each time.
    """

    version: str
    instance: str
    started_at: float
    socket_path: str
    log_path: str
    rss_bytes: Callable[[], int]

    @property
    def interpreter(self) -> str:
        """The Python that runs the daemon, so that two installations can be told apart."""
        return sys.executable


@dataclass(frozen=True, slots=True)
class Backend:
    """What handlers work on."""

    service: Service
    identity: DaemonIdentity


def search(backend: Backend, params: wire.SearchParams) -> wire.SearchResult:
    """One question."""
    question = Question(params.query, limit=params.limit, mode=SearchMode(params.mode))
    return convert.search_result(backend.service.search(question, roots=params.roots))


def read(backend: Backend, params: wire.ReadParams) -> wire.ReadResult:
    """One section verbatim."""
    return convert.read_result(
        backend.service.read(
            params.path,
            heading=params.heading,
            root=params.root,
            part=params.part,
            include_subsections=params.include_subsections,
        )
    )


def outline(backend: Backend, params: wire.OutlineParams) -> wire.OutlineResult:
    """A heading tree."""
    return convert.outline_result(backend.service.outline(params.path, root=params.root))


def preview(backend: Backend, params: wire.PreviewParams) -> wire.PreviewResult:
    """A file as it would be indexed."""
    mode = ChunkMode(params.chunk_mode) if params.chunk_mode is not None else None
    return convert.preview_result(backend.service.preview(params.path, chunk_mode=mode))


def list_documents(backend: Backend, params: wire.ListParams) -> wire.ListResult:
    """The documents."""
    return convert.list_result(backend.service.documents(roots=params.roots, prefix=params.prefix))


def add_root(backend: Backend, params: wire.RootAddParams) -> wire.RootAddResult:
    """Register a folder."""
    status, created = backend.service.add_root(
        params.path, name=params.name, chunk_mode=ChunkMode(params.chunk_mode)
    )
    return wire.RootAddResult(root=convert.root_info(status), created=created)


def list_roots(backend: Backend, params: wire.Empty) -> wire.RootListResult:
    """All roots."""
    del params
    return wire.RootListResult(roots=tuple(convert.root_info(status) for status in backend.service.roots()))


def remove_root(backend: Backend, params: wire.RootNameParams) -> wire.Empty:
    """Forget a root."""
    backend.service.remove_root(params.name)
    return wire.Empty()


def status(backend: Backend, params: wire.Empty) -> wire.StatusResult:
    """The whole state."""
    del params
    identity = backend.identity
    return wire.StatusResult(
        daemon=wire.DaemonInfo(
            version=identity.version,
            pid=os.getpid(),
            started_at=identity.started_at,
            rss_bytes=identity.rss_bytes(),
            instance=identity.instance,
            interpreter=identity.interpreter,
            socket=identity.socket_path,
            log=identity.log_path,
        ),
        model=convert.model_info(backend.service.model()),
        roots=tuple(convert.root_info(entry) for entry in backend.service.roots()),
        messages=backend.service.messages(),
    )


Handler = Callable[[Backend, Any], wire.Message]

HANDLERS: dict[str, Handler] = {
    "search": search,
    "read": read,
    "outline": outline,
    "preview": preview,
    "list": list_documents,
    "roots.add": add_root,
    "roots.list": list_roots,
    "roots.remove": remove_root,
    "status": status,
}

AT_ONCE = frozenset({"status", "roots.list"})
"""Answered on the event loop: they only look at memory, and must answer while the pool waits for a disk."""
