"""All models that can be had: by name, with what is known of their files.

The one way from a name to a model, for loading, downloading and telling. A name is that of a preset or the
absolute path of a folder with a card. What is looked at costs a ``stat`` a file; only ``verify`` and the
first look at a folder of the user hash. Any thread.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from enum import StrEnum

from mdmemd.embed.file_hashes import FileHashes
from mdmemd.embed.model_card import spec_of_folder
from mdmemd.embed.model_files import DamagedFile, ModelFiles
from mdmemd.embed.registry import PRESETS, ModelFile, ModelSpec
from mdmemd.errors import ModelUnavailableError, NotFoundError


class FilesState(StrEnum):
    """Whether a model's files are there: of the right size, or, after ``verify``, of the right content."""

    READY = "ready"
    ABSENT = "absent"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """One model and its files; ``detail`` says what is wrong with them, in sentences, if anything."""

    spec: ModelSpec
    folder: str
    state: FilesState
    detail: str | None


class ModelLibrary:
    """The ``presets``, their downloads in the absolute folder ``store``, and folders of the user."""

    def __init__(self, *, store: str, hashes: FileHashes, presets: tuple[ModelSpec, ...] = PRESETS) -> None:
        self._store = store
        self._hashes = hashes
        self.presets = presets

    def resolve(self, name: str) -> ModelSpec:
        """The model of a name.

        Raises ``NotFoundError`` for an unknown one and ``InvalidRequestError`` for an unusable card.
        """
        if os.path.isabs(name):
            return spec_of_folder(os.path.normpath(name), hashes=self._hashes)
        found = next((spec for spec in self.presets if spec.name == name), None)
        if found is None:
            names = [spec.name for spec in self.presets]
            raise NotFoundError(
                f"There is no model named {name}.",
                remedy="See: mdmemctl model list; a folder of your own is named by its path.",
                candidates=tuple(difflib.get_close_matches(name, names, cutoff=0.3) or names),
            )
        return found

    @property
    def default(self) -> ModelSpec:
        """The model that is used until another is chosen."""
        return self.presets[0]

    def files(self, spec: ModelSpec) -> ModelFiles:
        """The files of a model."""
        return ModelFiles(spec, store=self._store, hashes=self._hashes)

    def entries(self) -> tuple[LibraryEntry, ...]:
        """All presets."""
        return tuple(self.entry(spec) for spec in self.presets)

    def entry(self, spec: ModelSpec) -> LibraryEntry:
        """What can be seen without reading the files."""
        files = self.files(spec)
        damages = [damage for file in spec.files if (damage := _size_damage(files, file)) is not None]
        return _entry(files, damages)

    def verify(self, spec: ModelSpec) -> LibraryEntry:
        """What the bytes of all files say, whatever was remembered of them."""
        files = self.files(spec)
        try:
            found = [files.damage(file, is_doubted=True) for file in spec.files]
        except ModelUnavailableError as error:
            return LibraryEntry(spec, files.folder, FilesState.ABSENT, f"{error} {error.remedy}")
        return _entry(files, [damage for damage in found if damage is not None])


def _size_damage(files: ModelFiles, file: ModelFile) -> DamagedFile | None:
    try:
        path = files.path(file)
        size_bytes = os.stat(path).st_size
    except (OSError, ModelUnavailableError) as error:
        return DamagedFile(file, str(error), is_absent=True)
    if size_bytes == file.size_bytes:
        return None
    return DamagedFile(
        file, f"{path} has {size_bytes:,} bytes instead of {file.size_bytes:,}", is_absent=False
    )


def _entry(files: ModelFiles, damages: list[DamagedFile]) -> LibraryEntry:
    spec = files.spec
    if not damages:
        return LibraryEntry(spec, files.folder, FilesState.READY, None)
    if all(damage.is_absent for damage in damages) and len(damages) == len(spec.files):
        return LibraryEntry(spec, files.folder, FilesState.ABSENT, None)
    return LibraryEntry(
        spec, files.folder, FilesState.DAMAGED, "; ".join(damage.reason for damage in damages)
    )
