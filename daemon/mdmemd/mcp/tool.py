"""What a tool is: a name, texts for agents, parameters, and a synchronous function from one call to one text.

Invariants: a tool knows neither the MCP SDK nor threads; its ``run`` is called on the query pool, raises only
``mdmemd.errors`` types for what the caller can cause, and only reads (no tool here changes a file; all are
safe to repeat).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mdmemd.mcp.parameters import Names, Parameter, Text
from mdmemd.mcp.quoting import Mark
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Service

ANSWER_TOKENS_MAX = 20_000
"""Agents' clients refuse or cut answers above 25,000 tokens; ours are estimates, so there is a margin."""

ROOT = Names(
    name="root",
    description="Root name(s); default: this project's; * = all.",
    synonyms=("roots", "root_name", "collection"),
)
CWD = Text(
    name="cwd",
    description="Absolute folder you work in, if not the session's (a git worktree).",
    synonyms=("working_directory", "workdir", "project", "project_dir"),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: ``arguments`` as ``read_arguments`` gave them, where to look, how to frame quoted text."""

    arguments: Mapping[str, Any]
    scope: Scope
    mark: Mark


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    ``waits_for_index``: a first call is held back, briefly, while roots are first being read.
    ``is_read_only``, ``is_destructive`` and ``is_idempotent`` are told to clients, which ask a person before
    they call some; a tool that is read-only or idempotent is called again when a daemon has died over it.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Service, Call], str]
    waits_for_index: bool = True
    is_read_only: bool = True
    is_destructive: bool = False
    is_idempotent: bool = True


def noted(answer: dict[str, Any], *, scope: Scope) -> dict[str, Any]:
    """The answer with the note of its scope, where there is one."""
    return answer | ({"note": scope.note} if scope.note else {})
