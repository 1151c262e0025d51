"""A checkpoint disk in memory that forgets what was not synced, and can stop after any single operation."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterable

from mdmem_testkit.fake_files import PowerLostError
from mdmemd.ports import ReadableBuffer


class FakeCheckpointDisk:
    """``ports.CheckpointDisk``.

    Each of the steps of a write (create, fill, sync, rename), each sync of a folder and each removal is one
    operation. ``operations_left`` operations still happen; ``bytes_left`` is the free space.
    """

    def __init__(self) -> None:
        self._visible: dict[str, dict[str, bytes]] = {}
        self._durable: dict[str, dict[str, bytes]] = {}
        self.operations = 0
        self.operations_left: int | None = None
        self.bytes_left: int | None = None
        self.fail_with: int | None = None
        self.written: list[str] = []

    # --- what tests do --------------------------------------------------------------------------------------

    def stop_after(self, operations: int | None) -> None:
        """Let that many more operations happen, then none; ``None``: all."""
        self.operations_left = operations

    def lose_power(self, choose: random.Random) -> None:
        """Forget what was not synced: of each changed name the change or the synced state survives."""
        for folder, visible in self._visible.items():
            durable = self._durable.setdefault(folder, {})
            for name in {*visible, *durable}:
                if visible.get(name) != durable.get(name) and choose.random() < 0.5:
                    if name in visible:
                        durable[name] = visible[name]
                    else:
                        del durable[name]
        self._visible = {folder: dict(files) for folder, files in self._durable.items()}
        self.operations_left = None

    def copy(self) -> FakeCheckpointDisk:
        """Another disk with the same content."""
        copied = FakeCheckpointDisk()
        copied._visible = {folder: dict(files) for folder, files in self._visible.items()}
        copied._durable = {folder: dict(files) for folder, files in self._durable.items()}
        return copied

    def put(self, folder: str, name: str, content: bytes | None) -> None:
        """Set a file's content past all rules; ``None`` removes it."""
        for files in (self._visible.setdefault(folder, {}), self._durable.setdefault(folder, {})):
            if content is None:
                files.pop(name, None)
            else:
                files[name] = content

    # --- the port -------------------------------------------------------------------------------------------

    def folders(self) -> list[str]:
        return sorted(self._visible)

    def names(self, folder: str) -> list[str]:
        return sorted(self._visible.get(folder, {}))

    def read(self, folder: str, name: str) -> bytes:
        try:
            return self._visible[folder][name]
        except KeyError:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None

    def size(self, folder: str, name: str) -> int:
        return len(self._visible.get(folder, {}).get(name, b""))

    def write(self, folder: str, name: str, parts: Iterable[ReadableBuffer]) -> None:
        if self.fail_with is not None:
            raise OSError(self.fail_with, os.strerror(self.fail_with), name)
        content = b"".join(parts)
        files = self._visible.setdefault(folder, {})
        self._durable.setdefault(folder, {})
        temporary = f".{name}.tmp"
        self._operation()
        files[temporary] = b""
        self._operation()
        files[temporary] = content[: len(content) // 2]
        if self.bytes_left is not None:
            self.bytes_left -= len(content)
            if self.bytes_left < 0:
                del files[temporary]
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        self._operation()
        files[temporary] = content
        self._operation()
        files[name] = files.pop(temporary)
        self.written.append(name)

    def sync_folder(self, folder: str) -> None:
        self._operation()
        self._durable[folder] = dict(self._visible.get(folder, {}))

    def remove(self, folder: str, name: str) -> None:
        self._operation()
        self._visible.get(folder, {}).pop(name, None)

    def remove_folder(self, folder: str) -> None:
        for name in self.names(folder):
            self.remove(folder, name)
        self._visible.pop(folder, None)
        self._durable.pop(folder, None)

    def _operation(self) -> None:
        self.operations += 1
        if self.operations_left is not None:
            if self.operations_left == 0:
                raise PowerLostError
            self.operations_left -= 1
