"""The hook: before an agent reads a long indexed Markdown file whole, tell it about the search. Pure.

Invariants: it never decides whether the file may be read, it only adds a sentence; it has nothing to say
about a part of a file, a short file, or a file that is in no root. It starts no process, so it cannot set
itself off. The format of both messages is Claude Code's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

SUFFIXES = (".md", ".markdown", ".mdx")
LONG_BYTES = 16 * 1024
"""About 4,000 tokens: reading less whole is not worth a word."""


def asked_file(message: str) -> str | None:
    """The file that shall be read whole, as an absolute path, if it is long Markdown; else ``None``."""
    try:
        event = json.loads(message)
        wanted: dict[str, Any] = event["tool_input"]
        path = wanted["file_path"]
        folder = event.get("cwd") or os.getcwd()
        if event["tool_name"] != "Read" or wanted.get("offset") or wanted.get("limit"):
            return None
        if not path.lower().endswith(SUFFIXES):
            return None
        absolute = os.path.join(folder, path)
        return absolute if os.path.getsize(absolute) >= LONG_BYTES else None
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return None  # a hook that complains about what it does not know would be in the way of every read


def advice(path: str, root_folders: Iterable[str]) -> str | None:
    """What to tell the agent about this file, if a root holds it."""
    real = os.path.realpath(path)
    if not any(real.startswith(folder.rstrip("/") + "/") for folder in root_folders):
        return None
    text = (
        f"{os.path.basename(path)} is long, and indexed by mdmem. search_docs finds the section that answers "
        "a question, get_document_outline lists its headings, read_section gives one section."
    )
    output = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text}}
    return json.dumps(output, ensure_ascii=True) + "\n"
