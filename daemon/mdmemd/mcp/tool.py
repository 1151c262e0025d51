"""What a tool is: a name, texts for agents, parameters, and a synchronous function from one call to one text.

Invariants: a tool knows neither the MCP SDK nor threads; its ``run`` is called on the query pool, raises only
``mdmemd.errors`` types for what the caller can cause; what it does beyond reading, its hints tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mdmemd.engine.indexing import Target
from mdmemd.mcp.parameters import Names, Parameter, Text
from mdmemd.mcp.quoting import Mark
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Indexing, Service

ROOT = Names(
    name="root",
    description="Root name(s); default: this project's; * = all.",
    synonyms=("roots", "root_name", "collection"),
)
CWD = Text(
    name="cwd",
    description="Your absolute folder, if another (git worktree).",
    synonyms=("working_directory", "workdir", "project", "project_dir"),
)


FRESH = Text(
    name="fresh",
    description="wait: for all changes on disk; off: for none.",
    synonyms=("freshness",),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: ``arguments`` as ``read_arguments`` gave them, where to look, how to frame quoted text."""

    arguments: Mapping[str, Any]
    scope: Scope
    mark: Mark
    target: Target | None = None
    """What ``Tool.begin`` has begun."""


@dataclass(frozen=True, slots=True)
class Structured:
    """An answer in two forms: ``text`` for models, ``content`` as the tool's output schema says."""

    text: str
    content: Mapping[str, Any]


Begin = Callable[[Service, Indexing, Call], Target]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    ``waits_for_index``: a first call is held back, briefly, while roots are first being read. ``begin``,
    where there is one, starts work of the engine that is waited for, likewise not for ever, before ``run``.
    ``is_read_only``, ``is_destructive`` and ``is_idempotent`` are told to clients, which ask a person before
    they call some; a tool that is read-only or idempotent is called again when a daemon has died over it.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Service, Call], str | Structured]
    waits_for_index: bool = True
    begin: Begin | None = None
    is_read_only: bool = True
    is_destructive: bool = False
    is_idempotent: bool = True
    output_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """Of ``Structured.content``; only where another system's tool has one (see ``methods``)."""


def noted(answer: dict[str, Any], *, scope: Scope) -> dict[str, Any]:
    """The answer with the note of its scope, where there is one."""
    return answer | ({"note": scope.note} if scope.note else {})
