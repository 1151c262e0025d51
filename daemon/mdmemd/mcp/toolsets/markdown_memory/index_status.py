"""The ``index_status`` that ends answers of search and listing. Pure; any thread."""

from __future__ import annotations

from typing import Any

from mdmemd.engine.report import AnswerState, Coverage, RootState
from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.state_line import shortcomings
from mdmemd.mcp.toolsets.corpus import Corpus

FAILURES_MAX = 20


def index_status(state: AnswerState, *, scope: Scope, corpus: Corpus, cut: str = "") -> dict[str, Any]:
    """What an answer stands on; ``cut`` says what the answer leaves out.

    ``gitignore`` is always ``applied``: the daemon reads ignore files itself and needs no git for it.
    """
    failures = [
        {"file_path": corpus.shown(status.name, item.path), "message": one_line(item.problem.message)}
        for status in corpus.statuses
        for item in status.problems
    ]
    is_whole = state.fresh and state.coverage is not Coverage.PARTIAL
    said = [cut, *shortcomings(state, scope=scope), scope.note or ""]
    return {
        "root": corpus.folder,
        "coverage": "verified" if is_whole else "unknown",
        "failures": failures[:FAILURES_MAX],
        "changed_files": state.pending_files,
        "indexing": any(status.state is RootState.INDEXING for status in corpus.statuses),
        "gitignore": "applied",
        "message": "; ".join(sentence for sentence in said if sentence) or None,
    }
