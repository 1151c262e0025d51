"""``index_status``: the roots, how far each is, the model, and what somebody should look at."""

from __future__ import annotations

from typing import Any

from mdmemd.engine.report import ModelStatus, RootState, RootStatus
from mdmemd.mcp.answer_budget import fitting
from mdmemd.mcp.quoting import compact_json
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Service
from mdmemd.mcp.state_line import NO_ROOTS, counted
from mdmemd.mcp.tool import CWD, Call, Tool, noted
from mdmemd.model import ModelState

PROBLEMS_SHOWN_MAX = 5

COMPLETE = frozenset({RootState.READY, RootState.ASLEEP})
"""A root that sleeps is complete, and is woken by the first question."""

DESCRIPTION = """\
Show which folders are indexed (roots), how complete the index is, problems with files, and which root \
serves this project. Use it when an answer says that it is incomplete, or when a document is missing."""


def run(service: Service, call: Call) -> str:
    """The status as JSON."""
    roots = service.roots()
    model = service.model()
    messages = service.messages()
    shown = fitting(_root(status) for status in _own_first(roots, scope=call.scope))
    answer: dict[str, Any] = {"roots": shown, "model": _model(model)}
    if len(shown) < len(roots):
        answer["cut"] = f"{len(shown)} of {len(roots)} roots: mdmemctl status shows all"
    if call.scope.folder:
        names = call.scope.roots
        served = {"roots": list(names)} if len(names) > 1 else {"root": next(iter(names), None)}
        answer["project"] = {"folder": call.scope.folder} | served
    if messages:
        answer["messages"] = list(messages)
    answer["state"] = _state(roots, model=model)
    return compact_json(noted(answer, scope=call.scope))


def _own_first(roots: tuple[RootStatus, ...], *, scope: Scope) -> list[RootStatus]:
    return sorted(roots, key=lambda status: status.name not in scope.roots)


def _root(status: RootStatus) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": status.name,
        "path": status.path,
        "state": status.state.value,
        "documents": status.documents,
        "sections": status.sections,
        "passages": status.passages,
        "embedded": status.embedded,
        "pending_files": status.pending_files,
    }
    if status.detail:
        row["detail"] = status.detail
    if status.problem_count:
        row["problem_count"] = status.problem_count
        row["problems"] = [
            {"path": item.path, "kind": item.problem.kind, "message": item.problem.message}
            | ({} if item.problem.line is None else {"line": item.problem.line})
            for item in status.problems[:PROBLEMS_SHOWN_MAX]
        ]
    return row


def _model(model: ModelStatus) -> dict[str, Any]:
    row: dict[str, Any] = {"name": model.name, "state": model.state.value}
    return row | ({"detail": model.detail} if model.detail else {})


def _state(roots: tuple[RootStatus, ...], *, model: ModelStatus) -> str:
    if not roots:
        return NO_ROOTS
    outstanding = [f"'{root.name}' is {root.state.value}" for root in roots if root.state not in COMPLETE]
    if model.state is not ModelState.READY:
        outstanding.append(f"the model is {model.state.value}: keyword search only")
    if outstanding:
        return "; ".join(outstanding)
    documents = counted(sum(root.documents for root in roots), "document")
    return f"complete: {documents} in {counted(len(roots), 'root')}"


TOOL = Tool(
    name="index_status",
    title="State of the index",
    description=DESCRIPTION,
    parameters=(CWD,),
    run=run,
    waits_for_index=False,
)
