"""The list of roots. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.model import ChunkMode
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


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
