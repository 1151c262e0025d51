"""Removing what no registered root needs from the folders of saved indexes.

Three kinds: folders of other roots; what interrupted saves left (temporary files, pieces that no kept
manifest names); and what only the older of the two kept generations needs. The last is removed by saving what
counts once more under the next number, which shares all pieces: so two generations are kept all the time, and
power may be lost anywhere as in a commit.

A folder whose manifest cannot be read, or that a newer version has written, is left alone. On the
checkpointer's thread.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from mdmemd.ports import CheckpointDisk
from mdmemd.store import layout
from mdmemd.store.checkpoint import current_manifest
from mdmemd.store.manifest import Manifest
from mdmemd.store.piece import NewerFormatError, PieceKind, checksum_of, seal


@dataclass(frozen=True, slots=True)
class Freed:
    """Files that were removed, and their bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: Freed) -> Freed:
        return Freed(self.files + other.files, self.bytes + other.bytes)


def collect(disk: CheckpointDisk, *, roots: Collection[str]) -> Freed:
    """Remove what the roots at these absolute paths do not need. Raises ``OSError``, and harms nothing."""
    kept = {layout.root_folder(path) for path in roots}
    before = _stock(disk)
    for folder in before:
        if folder not in kept:
            disk.remove_folder(folder)
    for path in roots:
        if layout.root_folder(path) in before:
            _collect_root(disk, path)
    after = _stock(disk)
    gone = [
        size
        for folder, files in before.items()
        for name, size in files.items()
        if name not in after.get(folder, {})
    ]
    written = sum(
        size
        for folder, files in after.items()
        for name, size in files.items()
        if name not in before.get(folder, {})
    )
    return Freed(len(gone), max(0, sum(gone) - written))


def _stock(disk: CheckpointDisk) -> dict[str, dict[str, int]]:
    """Sizes of all our files by folder and name."""
    return {
        folder: {name: disk.size(folder, name) for name in disk.names(folder)}
        for folder in disk.folders()
        if layout.is_root_folder(folder)
    }


def _collect_root(disk: CheckpointDisk, path: str) -> None:
    folder = layout.root_folder(path)
    try:
        manifest = current_manifest(disk, root=path)
    except NewerFormatError:
        return
    if manifest is None:
        return
    names = disk.names(folder)
    own = {layout.manifest_name(manifest.generation), *(entry.name for entry in manifest.pieces)}
    if all(_is_small(name) for name in layout.obsolete(names, kept=own)):
        return
    repeated = _repeat(disk, path, manifest)
    if repeated is None:
        return
    kept = own | {layout.manifest_name(repeated.generation), repeated.changes.name}
    for name in layout.obsolete(disk.names(folder), kept=kept):
        disk.remove(folder, name)


def _is_small(name: str) -> bool:
    """Whether it is part of every generation, so that nothing is won without it."""
    return layout.generation_of(name) is not None


def _repeat(disk: CheckpointDisk, path: str, manifest: Manifest) -> Manifest | None:
    """What counts, as the next generation; ``None`` where its changes are lost or damaged."""
    folder = layout.root_folder(path)
    try:
        changes = disk.read(folder, manifest.changes.name)
    except FileNotFoundError:
        return None
    is_whole = len(changes) == manifest.changes.size_bytes
    if not is_whole or checksum_of(changes).hex() != manifest.changes.checksum:
        return None
    number = 1 + max(layout.generation_of(name) or 0 for name in disk.names(folder))
    repeated = replace(
        manifest,
        generation=number,
        changes=replace(manifest.changes, name=layout.changes_name(number)),
    )
    name = layout.manifest_name(number)
    piece = seal(PieceKind.MANIFEST, [repeated.encode()], root=layout.root_key(path))
    disk.write(folder, repeated.changes.name, [changes])
    disk.write(folder, name, piece.parts)
    disk.sync_folder(folder)
    disk.write(folder, layout.CURRENT, [layout.current_content(name)])
    disk.sync_folder(folder)
    return repeated
