"""Which root is the folder that somebody names: by what the folder is, not by how it is spelled.

Two spellings of one folder are equal in device and inode, also where the file system takes ``Docs`` and
``docs`` for the same name. A folder that cannot be looked at is compared by its path. Called on the query
pool, under the lock of ``roots`` or without.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from mdmemd.model import RootSpec
from mdmemd.ports import FileSystem


def root_of_folder(files: FileSystem, folder: str, specs: Iterable[RootSpec]) -> RootSpec | None:
    """The root whose folder is this absolute one."""
    specs = tuple(specs)
    named = next((spec for spec in specs if spec.path == folder), None)
    if named is not None:
        return named
    wanted = _identity(files, folder)
    if wanted is None:
        return None
    return next((spec for spec in specs if _identity(files, spec.path) == wanted), None)


def root_around(files: FileSystem, folder: str, specs: Iterable[RootSpec]) -> RootSpec | None:
    """The innermost root whose folder is this absolute one or lies around it."""
    specs = tuple(specs)
    by_path = {spec.path: spec for spec in specs}
    by_identity = {identity: spec for spec in specs if (identity := _identity(files, spec.path))}
    while True:
        found = by_path.get(folder)
        if found is None and (identity := _identity(files, folder)):
            found = by_identity.get(identity)
        above = os.path.dirname(folder)
        if found is not None or above == folder:
            return found
        folder = above


def _identity(files: FileSystem, folder: str) -> tuple[int, int] | None:
    try:
        return files.folder_identity(folder)
    except OSError:
        return None
