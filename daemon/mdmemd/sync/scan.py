"""One walk of a root through the ``FileSystem`` port: what is on disk now.

Invariants: directory links are not followed; a linked file counts only where its target is a regular file
inside the root that is not a document by itself (else the same text would be there twice, or text from
outside would leak in); what cannot be looked at is reported and costs only itself. Called by the writer. Does
not read files and does not compare: ``reconcile`` does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mdmemd.model import Fingerprint, Problem
from mdmemd.ports import EntryKind, FileSystem
from mdmemd.sync.scope import FILE_BYTES_MAX, Scope

TOO_LARGE = Problem("too_large", f"larger than the {FILE_BYTES_MAX // 2**20} MiB that are indexed")


@dataclass(slots=True)
class Listing:
    """What one walk found.

    Attributes:
        files: root-relative path of every document, with its fingerprint.
        problems: root-relative path (file or folder) of everything that could not be looked at, and why.
        unlisted: folders that could not be listed: nothing may be concluded about what is below them.
        missing: the root's folder is gone, unreadable or no folder, with the reason.
    """

    files: dict[str, Fingerprint] = field(default_factory=dict)
    problems: dict[str, Problem] = field(default_factory=dict)
    unlisted: list[str] = field(default_factory=list)
    missing: str | None = None
    entries: int = 0


def scan(files: FileSystem, folder: str, scope: Scope) -> Listing:
    """Walk the root at the absolute path ``folder``."""
    listing = Listing()
    for relative, is_link in _walk(files, folder, scope, listing):
        found = _look_at(files, folder, relative, scope, is_link=is_link)
        if isinstance(found, Fingerprint):
            listing.files[relative] = found
        elif found is not None:
            listing.problems[relative] = found
    return listing


def look_at_files(
    files: FileSystem, folder: str, paths: Iterable[str], scope: Scope
) -> dict[str, Fingerprint]:
    """The documents among some root-relative paths, as a walk would find them, without a walk.

    What is not there any more is left out, like everything that a walk would not list: a caller must not
    conclude that it was deleted, since the whole disk may be out of reach.
    """
    try:
        root = files.real_path(folder)
    except OSError:
        return {}
    found: dict[str, Fingerprint] = {}
    for relative in paths:
        if scope.excluded(relative) is not None:
            continue
        path = os.path.join(folder, relative)
        try:
            is_link = files.real_path(path) != os.path.join(root, relative)
        except OSError:
            continue
        seen = _look_at(files, folder, relative, scope, is_link=is_link)
        if isinstance(seen, Fingerprint):
            found[relative] = seen
    return found


def _look_at(
    files: FileSystem, folder: str, relative: str, scope: Scope, *, is_link: bool
) -> Fingerprint | Problem | None:
    """One file: its fingerprint, what is wrong with it, or ``None`` where it is no document of this root."""
    path = os.path.join(folder, relative)
    try:
        if is_link and not _link_counts(files, folder, path, scope):
            return None
        fingerprint = files.fingerprint(path)
    except FileNotFoundError:
        return Problem("broken_link", "a link to a file that is not there") if is_link else None
    except OSError as error:
        return Problem("unreadable", f"cannot be looked at: {error.strerror}")
    return TOO_LARGE if fingerprint.size > FILE_BYTES_MAX else fingerprint


def _walk(files: FileSystem, folder: str, scope: Scope, listing: Listing) -> Iterator[tuple[str, bool]]:
    """Root-relative paths of candidate files in walk order, and whether each is a link."""
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            entries = files.list_directory(os.path.join(folder, inside) if inside else folder)
        except OSError as error:
            if not inside:
                listing.missing = error.strerror or str(error)
                return
            if not isinstance(error, FileNotFoundError):
                listing.unlisted.append(inside)
                listing.problems[inside] = Problem("unreadable", f"folder cannot be listed: {error.strerror}")
            continue
        listing.entries += len(entries)
        prefix = f"{inside}/" if inside else ""
        for entry in entries:
            relative = prefix + entry.name
            if not _is_text(entry.name):
                if entry.kind is EntryKind.DIRECTORY or scope.file_excluded(relative) is None:
                    printable = relative.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                    listing.problems[printable] = Problem(
                        "bad_name", "its name is no valid UTF-8, so it cannot be asked for"
                    )
                continue
            if entry.kind is EntryKind.DIRECTORY:
                if scope.folder_excluded(relative) is None:
                    waiting.append(relative)
            elif entry.kind in (EntryKind.FILE, EntryKind.SYMLINK) and scope.file_excluded(relative) is None:
                yield relative, entry.kind is EntryKind.SYMLINK


def _link_counts(files: FileSystem, folder: str, path: str, scope: Scope) -> bool:
    target = files.real_path(path)
    root = files.real_path(folder)
    if not target.startswith(root.rstrip("/") + "/") or files.is_directory(target):
        return False
    return scope.excluded(os.path.relpath(target, root)) is not None


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
