"""Which function answers which request.

Wire parameters in, service call, wire result out.

Called on the query pool, but for those in ``AT_ONCE`` and ``LONG``. Adding a request is adding a function to
a module of this package and its row in ``HANDLERS``; requests that need the connection or the loop
(``roots.wait``, ``sync``, ``models.download``, ``eval``, ``stop``, ``mcp.open``) are in
``server.connection``. Errors are ``mdmemd.errors`` types; the connection turns them into failures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mdmem_proto import messages as wire
from mdmemd.server.handlers import (
    daemon,
    evaluation,
    following,
    maintenance,
    models,
    questions,
    roots,
    scoping,
)
from mdmemd.server.handlers.backend import Backend

Handler = Callable[[Backend, Any], wire.Message]

HANDLERS: dict[str, Handler] = {
    "search": questions.search,
    "read": questions.read,
    "read.many": questions.read_many,
    "outline": questions.outline,
    "preview": questions.preview,
    "list": questions.list_documents,
    "roots.add": roots.add_root,
    "roots.list": roots.list_roots,
    "roots.remove": roots.remove_root,
    "roots.set": scoping.set_root,
    "roots.show": scoping.show_root,
    "why.path": scoping.why_path,
    "why.query": questions.why_query,
    "changes": following.changes,
    "index": maintenance.index,
    "gc": maintenance.gc,
    "export": maintenance.export_root,
    "import": maintenance.import_root,
    "eval.draft": evaluation.draft,
    "models.list": models.list_models,
    "models.verify": models.verify,
    "models.use": models.use,
    "status": daemon.status,
}

AT_ONCE = frozenset({"status", "roots.list"})
"""Answered on the event loop: they only look at memory, and must answer while the pool waits for a disk."""

LONG = frozenset({"models.verify", "models.use"})
"""Answered on threads of their own: they read hundreds of megabytes, and must not keep questions waiting."""
