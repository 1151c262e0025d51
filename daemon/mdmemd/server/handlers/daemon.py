"""The daemon itself. Called on the event loop: only looks at memory."""

from __future__ import annotations

import os

from mdmem_proto import messages as wire
from mdmemd.server import convert
from mdmemd.server.handlers.backend import Backend


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
