"""The settings of a daemon: defaults, then ``config.toml``. Pure: text in, frozen settings and warnings out.

Every key that the file may have is a field below, by the name of its section. An unknown key is a warning
that names it, a value of the wrong type or range is an error that names the key and what it takes; nothing is
ignored in silence. Read once at the start, by ``app``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mdmem_proto.tool_sets import NATIVE, TOOL_SETS
from mdmemd.errors import OperatorError


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """``[search]``: ``fresh_budget_ms`` is how long a question may wait for changes on disk (0 to 10,000).

    ``keep_questions``: whether the latest questions are kept, on this machine, for drafts of golden sets.
    ``rerank_model`` is a reranker, by the absolute path of its folder; empty for none.
    """

    fresh_budget_ms: int = 150
    keep_questions: bool = True
    rerank_model: str = ""


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """``[embed]``: ``threads`` of the model, 0 for as many as the process may use (0 to 64).

    ``cache_mb`` bounds the vector cache (1 to 100,000). ``unload_after_minutes`` without use the model's
    memory is given back; 0 keeps it for ever (0 to 10,080).
    """

    threads: int = 0
    cache_mb: int = 1024
    unload_after_minutes: int = 30


@dataclass(frozen=True, slots=True)
class ModelsSettings:
    """``[models]``: ``mirror`` is a base URL with the hub's layout to download from; empty for the hub."""

    mirror: str = ""


@dataclass(frozen=True, slots=True)
class RootsSettings:
    """``[roots]``: ``hibernate_after_minutes`` without use free a root's memory (0 to 525,600; 0: never).

    ``exclude`` are globs for all roots; what a glob may be is for ``sync.globs`` to say.
    """

    hibernate_after_minutes: int = 60
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """``[watch]``: ``mode`` is ``auto`` (the kind of file system decides), ``events`` or ``polling``.

    ``reconcile_minutes`` is how often a watched root is walked all the same (1 to 10,080), spread out.
    """

    mode: str = "auto"
    reconcile_minutes: int = 10


@dataclass(frozen=True, slots=True)
class McpSettings:
    """``[mcp]``: ``tools`` is the tool set of sessions that name none (``mdmem_proto.tool_sets``)."""

    tools: str = NATIVE


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; ``warnings`` are for the user."""

    search: SearchSettings = field(default_factory=SearchSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    projects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """``[projects]``: names of roots by the folder of the project that they serve; ``*`` means all roots."""
    roots: RootsSettings = field(default_factory=RootsSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    warnings: tuple[str, ...] = ()


_SECTIONS = ("search", "embed", "models", "roots", "watch", "mcp", "projects")

_SWITCHES = frozenset({("search", "keep_questions")})

_RANGES = {
    ("search", "fresh_budget_ms"): (0, 10_000),
    ("embed", "threads"): (0, 64),
    ("embed", "cache_mb"): (1, 100_000),
    ("embed", "unload_after_minutes"): (0, 10_080),
    ("roots", "hibernate_after_minutes"): (0, 525_600),
    ("watch", "reconcile_minutes"): (1, 10_080),
}

_CHOICES = {("watch", "mode"): ("auto", "events", "polling"), ("mcp", "tools"): TOOL_SETS}

_LISTS = frozenset({("roots", "exclude")})

_TEXTS = {
    ("search", "rerank_model"): (re.compile(r"(?:/.*)?"), "the absolute path of a model's folder in quotes"),
    ("models", "mirror"): (re.compile(r"(?:https?://\S+)?"), "a web address (https://...) in quotes"),
}
"""What a text has to look like, and that in words."""


def parse_settings(text: str, *, path: str) -> Settings:
    """Settings of the file's text. Raises ``OperatorError`` that names ``path`` and the key."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OperatorError(
            f"{path} is no valid TOML: {error}.", remedy="Repair it or move it away; all keys have defaults."
        ) from error
    warnings = [f"{path}: unknown section [{name}]" for name in document if name not in _SECTIONS]
    return Settings(
        search=SearchSettings(**_section(document, "search", SearchSettings, path, warnings)),
        embed=EmbedSettings(**_section(document, "embed", EmbedSettings, path, warnings)),
        models=ModelsSettings(**_section(document, "models", ModelsSettings, path, warnings)),
        roots=RootsSettings(**_section(document, "roots", RootsSettings, path, warnings)),
        watch=WatchSettings(**_section(document, "watch", WatchSettings, path, warnings)),
        mcp=McpSettings(**_section(document, "mcp", McpSettings, path, warnings)),
        projects=_projects(document, path),
        warnings=tuple(warnings),
    )


def _projects(document: dict[str, Any], path: str) -> dict[str, tuple[str, ...]]:
    section = document.get("projects", {})
    example = 'Write below [projects]: "/home/me/shop" = ["shop", "handbook"]'
    if not isinstance(section, dict):
        raise OperatorError(f"{path}: projects is no section.", remedy=example)
    for folder, names in section.items():
        if not os.path.isabs(folder) and not folder.startswith("~/"):
            raise OperatorError(f"{path}: projects.{folder!r} is no absolute folder.", remedy=example)
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise OperatorError(f"{path}: projects.{folder!r} is no list of roots.", remedy=example)
    return {folder: tuple(names) for folder, names in section.items()}


def _section(
    document: dict[str, Any], name: str, kind: type, path: str, warnings: list[str]
) -> dict[str, Any]:
    section = document.get(name, {})
    if not isinstance(section, dict):
        raise OperatorError(f"{path}: {name} is no section.", remedy=f"Write [{name}] and the keys below it.")
    known = {entry.name for entry in fields(kind)}
    warnings.extend(f"{path}: unknown key {name}.{key}" for key in section if key not in known)
    values = {key: value for key, value in section.items() if key in known}
    for key, value in values.items():
        remedy = _remedy((name, key), value)
        if remedy is not None:
            raise OperatorError(f"{path}: {name}.{key} is {value!r}.", remedy=remedy)
        if isinstance(value, list):
            values[key] = tuple(value)
    return values


def _remedy(key: tuple[str, str], value: object) -> str | None:
    """What a key takes, where it does not take this value."""
    if key in _CHOICES:
        choices = _CHOICES[key]
        return None if value in choices else f"It takes one of: {', '.join(choices)}."
    if key in _TEXTS:
        pattern, words = _TEXTS[key]
        return None if isinstance(value, str) and pattern.fullmatch(value) else f"It takes {words}."
    if key in _LISTS:
        is_list = isinstance(value, list) and all(isinstance(text, str) for text in value)
        return None if is_list else "It takes a list of texts."
    if key in _SWITCHES:
        return None if isinstance(value, bool) else "It takes true or false."
    low, high = _RANGES[key]
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return None
    return f"It takes a whole number from {low} to {high}."
