"""The list of roots. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.root_options import RootOptions
from mdmemd.model import ChunkMode, WatchChoice
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


def add_root(backend: Backend, params: wire.RootAddParams) -> wire.RootAddResult:
    """Register a folder."""
    status, created = backend.service.add_root(
        params.path,
        name=params.name,
        options=RootOptions(
            # What is not said is the default of a new root, and no wish for one that is there.
            chunk_mode=None if params.chunk_mode == "auto" else ChunkMode(params.chunk_mode),
            exclude=params.exclude or None,
            include=params.include or None,
            watch=None if params.watch == "auto" else WatchChoice(params.watch),
        ),
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
