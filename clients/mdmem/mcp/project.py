"""Which project an agent session works in. Made once, at start."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


class Project:
    """The absolute ``folder`` that the client names, else the working folder; empty where there is neither.

    ``is_guess``: it is only the working folder, where a client may have been started by chance; the daemon
    asks the client for better. A value that is no folder (a ``${...}`` that the client did not expand, a
    folder that is gone) counts as not given, and so does a path that is not Unicode, which the wire cannot
    carry.
    """

    __slots__ = ("folder", "is_guess")

    def __init__(self, environ: Mapping[str, str]) -> None:
        named = environ.get(PROJECT_VARIABLE, "")
        self.is_guess = not (os.path.isabs(named) and os.path.isdir(named))
        folder = _working_folder() if self.is_guess else named
        try:
            folder.encode()
        except UnicodeEncodeError:
            folder, self.is_guess = "", True
        self.folder = os.path.normpath(folder) if folder else ""


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""
