"""Saving one root's index as a generation, in an order in which it can be interrupted anywhere.

Commit order: new pieces and the manifest, each synced; sync the folder; ``CURRENT``, by rename; sync the
folder; then remove what neither this generation nor the one before it needs. What counts changes in one step,
the rename. ``daemon/CHECKPOINT.md`` has the bytes and what a load sees after each step.

Invariants: a piece that any kept manifest names is never written again; only pieces named by the manifest
that counts are shared, and vectors only if they are of the same matrix or of the very generation that the
matrix was restored from, so that two histories of a root cannot mix. Nothing is kept in memory between
commits. A checkpoint of a newer format is left alone. One commit at a time a folder (the checkpointer's
thread).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mdmemd.index.snapshot import RootSnapshot
from mdmemd.index.vectors import VectorView
from mdmemd.ports import CheckpointDisk, ReadableBuffer
from mdmemd.store import layout
from mdmemd.store.changes_codec import encode_changes
from mdmemd.store.manifest import Making, Manifest, PieceEntry
from mdmemd.store.piece import PieceError, PieceKind, seal, unseal
from mdmemd.store.segment_codec import encode_segment
from mdmemd.store.vectors_codec import encode_vectors, plan_runs


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit did."""

    manifest: Manifest
    bytes_written: int


def current_manifest(disk: CheckpointDisk, *, root: str) -> Manifest | None:
    """The manifest that counts, ``None`` where there is none that can be read.

    Raises:
        NewerFormatError: it is of a newer version.
        OSError: the folder is out of reach.
    """
    try:
        return read_manifest(disk, current_name(disk, root=root), root=root)
    except (FileNotFoundError, PieceError):
        return None


def current_name(disk: CheckpointDisk, *, root: str) -> str:
    """The name of the manifest that counts. Raises ``PieceError``, ``OSError``."""
    name = layout.current_manifest(disk.read(layout.root_folder(root), layout.CURRENT))
    if name is None:
        raise PieceError("it names no manifest")
    return name


def read_manifest(disk: CheckpointDisk, name: str, *, root: str) -> Manifest:
    """One manifest. Raises ``PieceError``, ``NewerFormatError``, ``OSError``."""
    content = disk.read(layout.root_folder(root), name)
    manifest = Manifest.decode(bytes(unseal(PieceKind.MANIFEST, content, root=layout.root_key(root))))
    if layout.manifest_name(manifest.generation) != name:
        raise PieceError("it is the manifest of another generation")
    return manifest


def commit(disk: CheckpointDisk, snapshot: RootSnapshot, *, making: Making, vectors_by: str) -> Commit:
    """Save a snapshot as the next generation; durable when it returns.

    Raises:
        NewerFormatError: what is there was saved by a newer version; nothing was changed.
        OSError: such as a full disk; the generation before still counts.
    """
    return _Committer(disk, making=making).commit(snapshot, vectors_by=vectors_by)


class _Committer:
    """One commit."""

    def __init__(self, disk: CheckpointDisk, *, making: Making) -> None:
        self._disk = disk
        self._making = making
        self._folder = layout.root_folder(making.root)
        self._before = current_manifest(disk, root=making.root)
        self._saved = {entry.name: entry for entry in self._before.pieces} if self._before else {}
        self._bytes_written = 0

    def commit(self, snapshot: RootSnapshot, *, vectors_by: str) -> Commit:
        names = self._disk.names(self._folder)
        generation = 1 + max((layout.generation_of(name) or 0 for name in names), default=0)
        manifest = Manifest(
            generation=generation,
            making=self._making,
            vectors_by=vectors_by,
            matrix=snapshot.vectors.rows.identity.hex(),
            documents=snapshot.documents,
            passages=snapshot.passages,
            embedded=snapshot.embedded,
            segments=self._segments(snapshot),
            changes=self._write(
                layout.changes_name(generation),
                PieceKind.CHANGES,
                encode_changes(snapshot.segments),
                count=len(snapshot.segments),
            ),
            vectors=self._vectors(snapshot.vectors),
        )
        name = layout.manifest_name(generation)
        self._write(name, PieceKind.MANIFEST, [manifest.encode()], count=1)
        self._disk.sync_folder(self._folder)
        self._disk.write(self._folder, layout.CURRENT, [layout.current_content(name)])
        self._disk.sync_folder(self._folder)
        self._collect(manifest)
        return Commit(manifest, self._bytes_written)

    def _segments(self, snapshot: RootSnapshot) -> tuple[PieceEntry, ...]:
        entries = []
        for view in snapshot.segments:
            name = layout.segment_name(view.segment.identity)
            entry = self._saved.get(name)
            if entry is None:
                body = encode_segment(view.segment)
                entry = self._write(name, PieceKind.SEGMENT, body, count=len(view.segment.documents))
            entries.append(entry)
        return tuple(entries)

    def _vectors(self, view: VectorView) -> tuple[PieceEntry, ...]:
        saved: dict[range, PieceEntry] = {}
        start = 0
        for entry in self._shared_vectors(view):
            saved[range(start, start + entry.count)] = entry
            start += entry.count
        entries = []
        for run in plan_runs(list(saved), view.count):
            entry = saved.get(run) or self._write(
                layout.vectors_name(view.rows.identity, run.start, run.stop),
                PieceKind.VECTORS,
                encode_vectors(view, run),
                count=len(run),
            )
            entries.append(entry)
        return tuple(entries)

    def _shared_vectors(self, view: VectorView) -> tuple[PieceEntry, ...]:
        """The pieces of the generation before, if they are the beginning of this matrix."""
        before, rows = self._before, view.rows
        if before is None:
            return ()
        is_same = before.matrix == rows.identity.hex()
        is_origin = rows.origin is not None and (before.matrix, before.generation) == (
            rows.origin.identity.hex(),
            rows.origin.generation,
        )
        return before.vectors if is_same or is_origin else ()

    def _write(self, name: str, kind: PieceKind, body: Sequence[ReadableBuffer], *, count: int) -> PieceEntry:
        piece = seal(kind, body, root=layout.root_key(self._making.root))
        self._disk.write(self._folder, name, piece.parts)
        self._bytes_written += piece.size_bytes
        return PieceEntry(name, piece.size_bytes, piece.checksum.hex(), count)

    def _collect(self, manifest: Manifest) -> None:
        """Remove what neither generation needs."""
        kept = {entry.name for entry in manifest.pieces} | set(self._saved)
        kept.add(layout.manifest_name(manifest.generation))
        if self._before is not None:
            kept.add(layout.manifest_name(self._before.generation))
        for name in layout.obsolete(self._disk.names(self._folder), kept=kept):
            self._disk.remove(self._folder, name)
