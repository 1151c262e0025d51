"""Which files of a root are in and why. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.root_options import RootOptions
from mdmemd.model import ChunkMode, WatchChoice
from mdmemd.server import convert, convert_scoping
from mdmemd.server.handlers.backend import Backend


def set_root(backend: Backend, params: wire.RootSetParams) -> wire.RootInfo:
    """Change a root."""
    options = RootOptions(
        chunk_mode=None if params.chunk_mode is None else ChunkMode(params.chunk_mode),
        exclude=params.exclude,
        include=params.include,
        watch=None if params.watch is None else WatchChoice(params.watch),
    )
    status = backend.scoping.change_root(params.name, new_name=params.new_name, options=options)
    return convert.root_info(status)


def show_root(backend: Backend, params: wire.RootNameParams) -> wire.RootShowResult:
    """A root and what its rules do."""
    return convert_scoping.root_show_result(backend.scoping.show_root(params.name))


def why_path(backend: Backend, params: wire.WhyPathParams) -> wire.WhyPathResult:
    """Where one path stands."""
    return convert_scoping.why_path_result(backend.scoping.why(params.path))
