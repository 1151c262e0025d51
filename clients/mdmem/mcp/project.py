"""Which project an agent session works in. Called once, at start."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


def project_folder(environ: Mapping[str, str]) -> str:
    """The absolute folder that the client names, else the working folder; empty where there is neither.

    A value that is no folder (a ``${...}`` that the client did not expand, a folder that is gone) counts as
    not given, and so does a path that is not Unicode, which the wire cannot carry.
    """
    named = environ.get(PROJECT_VARIABLE, "")
    folder = named if os.path.isabs(named) and os.path.isdir(named) else _working_folder()
    try:
        folder.encode()
    except UnicodeEncodeError:
        return ""
    return os.path.normpath(folder) if folder else ""


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
