"""The Claude Code plugin: the server, a skill that says when to search, and a hook, written out as a folder.

Invariant: every program in it is named by its absolute path; the folder is made anew or, where it is a plugin
of this name already, replaced file by file. Its texts are data files beside this module.
"""

from __future__ import annotations

import importlib.resources
import json
import os
import shlex

from mdmem.agents.server_entry import ServerEntry
from mdmem.errors import RefusedError
from mdmem_proto.release import VERSION

_MANIFEST = os.path.join(".claude-plugin", "plugin.json")


def plugin_files(entry: ServerEntry, *, control: str) -> dict[str, str]:
    """The files of the plugin by relative path; ``control`` is the absolute path of ``mdmemctl``."""
    hook = json.dumps(shlex.join([control, "mcp", "hook"]))
    server = {"command": entry.command, "args": list(entry.arguments)}
    return {
        _MANIFEST: _text("plugin.json").replace("{version}", VERSION),
        ".mcp.json": json.dumps({"mcpServers": {entry.name: server}}, indent=2) + "\n",
        os.path.join("skills", "search-markdown", "SKILL.md"): _text("SKILL.md"),
        os.path.join("hooks", "hooks.json"): _text("hooks.json").replace("{command}", hook),
    }


def write_plugin(folder: str, files: dict[str, str]) -> None:
    """Write the files into ``folder``. Raises ``RefusedError`` where it holds something else."""
    if os.path.exists(folder) and not _is_ours(folder):
        raise RefusedError(
            f"{folder} is there already and is no plugin of mdmem.", remedy="Name a folder that is not there."
        )
    try:
        for relative, text in files.items():
            path = os.path.join(folder, relative)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise RefusedError(
            f"{folder} cannot be written: {error.strerror}.", remedy="Name another folder."
        ) from error


def _is_ours(folder: str) -> bool:
    """An empty folder, or one that an earlier call has written."""
    if os.path.isdir(folder) and not os.listdir(folder):
        return True
    try:
        with open(os.path.join(folder, _MANIFEST), encoding="utf-8") as file:
            return bool(json.load(file).get("name") == "mdmem")
    except (OSError, ValueError, AttributeError):
        return False


def _text(name: str) -> str:
    return (importlib.resources.files("mdmem.agents") / "plugin" / name).read_text(encoding="utf-8")
