"""Golden sets that are proposed; ``server.evaluation`` runs them. Called on the query pool."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.server.handlers.backend import Backend


def draft(backend: Backend, params: wire.EvalDraftParams) -> wire.EvalDraftResult:
    """Propose a golden set."""
    return wire.EvalDraftResult(
        golden=backend.evaluator.draft(roots=params.roots, questions_max=params.questions)
    )
