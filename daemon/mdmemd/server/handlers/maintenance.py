"""Keeping the daemon's state in order. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


def gc(backend: Backend, params: wire.Empty) -> wire.GcResult:
    """Remove what no root needs."""
    del params
    before = backend.identity.rss_bytes()
    freed = backend.maintenance.garbage.collect()
    memory_bytes = max(0, before - backend.identity.rss_bytes())
    return wire.GcResult(files=freed.files, bytes=freed.bytes, memory_bytes=memory_bytes)


def index(backend: Backend, params: wire.IndexParams) -> wire.IndexResult:
    """Look now, read again, or make anew."""
    target = backend.maintenance.indexing.index(params.name, path=params.path, force=params.force)
    roots = tuple(
        convert.root_info(status) for status in backend.service.roots() if status.name in target.roots
    )
    return wire.IndexResult(roots=roots, file=target.file or None)


def export_root(backend: Backend, params: wire.ExportParams) -> wire.ExportResult:
    """Write an index to a file."""
    done = backend.maintenance.archives.export_root(params.root, path=params.path, force=params.force)
    return wire.ExportResult(
        root=params.root,
        path=done.path,
        bytes=done.bytes,
        documents=done.documents,
        passages=done.passages,
        embedded=done.embedded,
    )


def import_root(backend: Backend, params: wire.ImportParams) -> wire.ImportResult:
    """Register a folder with the index in a file."""
    spec = backend.maintenance.archives.import_root(params.path, folder=params.folder, name=params.name)
    status = next(status for status in backend.service.roots() if status.name == spec.name)
    return wire.ImportResult(root=convert.root_info(status))
