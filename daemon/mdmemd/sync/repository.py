"""Where git repositories are, as their files tell: work trees, linked work trees, what their rules lie in.

Looks at ``.git`` only: a folder with a ``HEAD``, or a file that points to one. Called by ``rule_reading``, on
whichever thread walks. Starts nothing and trusts nothing: files are read up to ``BYTES_MAX``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from mdmemd.ports import EntryKind, FileSystem

BYTES_MAX = 64 * 1024

_CORE = re.compile(r"^\s*\[core\]\s*$(?P<keys>(?:\n(?!\s*\[).*)*)", re.MULTILINE | re.IGNORECASE)
_IGNORES_CASE = re.compile(r"^\s*ignorecase\s*=\s*(?:true|yes|on|1)\s*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of one work tree.

    Attributes:
        top: the work tree's absolute folder.
        git_folder: where the index and ``HEAD`` of this work tree are.
        common_folder: where what all its work trees share is.
        ignores_case: ``core.ignorecase``, as git sets it on file systems that do.
    """

    top: str
    git_folder: str
    common_folder: str
    ignores_case: bool = False

    @property
    def is_linked(self) -> bool:
        """Whether this is a work tree beside another one (``git worktree add``)."""
        return self.git_folder != self.common_folder

    @property
    def index(self) -> str:
        """The file that says what is tracked."""
        return os.path.join(self.git_folder, "index")


def repository_at(files: FileSystem, top: str) -> Repository | None:
    """The repository whose work tree begins at this absolute folder, ``None`` where there is none."""
    entry = os.path.join(top, ".git")
    try:
        kind = files.entry_kind(entry)
        git_folder = _pointed_to(files, entry) if kind is EntryKind.FILE else files.real_path(entry)
        files.fingerprint(os.path.join(git_folder, "HEAD"))
    except (OSError, ValueError):
        return None
    common = git_folder
    try:
        named = _text(files, os.path.join(git_folder, "commondir")).strip()
        common = files.real_path(os.path.join(git_folder, named))
    except (OSError, ValueError):
        pass  # most repositories have no such file
    return Repository(top, git_folder, common, _ignores_case(files, common))


def repository_around(files: FileSystem, folder: str) -> Repository | None:
    """The repository of the nearest folder above this absolute one."""
    above = os.path.dirname(folder)
    while above != folder:
        if found := repository_at(files, above):
            return found
        folder, above = above, os.path.dirname(above)
    return None


def _pointed_to(files: FileSystem, entry: str) -> str:
    """What a ``.git`` file says: ``gitdir: FOLDER``."""
    said = _text(files, entry)
    if not said.startswith("gitdir:"):
        raise ValueError("no gitdir")
    return files.real_path(os.path.join(os.path.dirname(entry), said.removeprefix("gitdir:").strip()))


def _ignores_case(files: FileSystem, common: str) -> bool:
    try:
        text = _text(files, os.path.join(common, "config"))
    except OSError:
        return False
    return any(_IGNORES_CASE.search(core["keys"]) for core in _CORE.finditer(text))


def _text(files: FileSystem, path: str) -> str:
    content, _ = files.read(path, bytes_max=BYTES_MAX)
    return os.fsdecode(content)
