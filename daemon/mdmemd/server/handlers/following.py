"""What has changed in roots. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


def changes(backend: Backend, params: wire.ChangesParams) -> wire.ChangesResult:
    """The journal after a moment."""
    return convert.changes_result(
        backend.following.changes(
            roots=params.roots, since_tick=params.since_tick, since_time=params.since_time
        )
    )
