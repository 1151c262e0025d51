"""The registered roots: adding, removing, naming, and what may be one.

Invariants: a change is on disk before it is acknowledged; names are unique, paths are absolute with links
resolved, so one folder is one root; the writer is told after the list is saved. Called on the query pool; one
lock makes changes one at a time.
"""

from __future__ import annotations

import difflib
import itertools
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import replace

from mdmemd.engine.events import AddRoot, ChangeRoot, RemoveRoot
from mdmemd.engine.root_identity import root_around, root_of_folder
from mdmemd.engine.root_options import NO_OPTIONS, RootOptions
from mdmemd.engine.writer import Writer
from mdmemd.errors import InvalidRequestError, NotFoundError, RefusedError
from mdmemd.model import ChunkMode, RootId, RootSpec
from mdmemd.ports import EntryKind, FileSystem
from mdmemd.store.roots_file import RootsFile
from mdmemd.sync.scope import PRUNED_FOLDERS, SUFFIXES

NAME_CHARACTERS_MAX = 64
ROOTS_MAX = 1000
PROJECT_ENTRIES_MAX = 20_000
"""How many directory entries are looked at for a first Markdown file before a project folder is taken as one
that has none."""


class Roots:
    """The list of roots and its changes."""

    def __init__(self, *, roots_file: RootsFile, files: FileSystem, writer: Writer, home: str) -> None:
        self._roots_file = roots_file
        self._files = files
        self._writer = writer
        self._home = home
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        # Replaced as a whole and never changed, so it is read without the lock, which is held across a sync.
        self._specs: Mapping[str, tuple[RootId, RootSpec]] = {}
        self.message: str | None = None

    def load(self) -> None:
        """Read the saved list and hand it to the writer.

        Raises ``OperatorError`` as ``RootsFile.load`` does.
        """
        loaded = self._roots_file.load()
        self.message = loaded.message
        with self._lock:
            for spec in loaded.roots:
                self._begin(spec)

    def specs(self) -> dict[str, RootSpec]:
        """All roots by name."""
        return {name: spec for name, (_, spec) in self._specs.items()}

    def names(self, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """Names of existing roots for names or absolute folders; all of them, sorted, for none.

        Raises ``NotFoundError``.
        """
        specs = self.specs()
        if not wanted:
            return tuple(sorted(specs))
        by_folder = {spec.path: name for name, spec in specs.items()}
        names = [name if name in specs else by_folder.get(name.rstrip("/") or name) for name in wanted]
        for name, found in zip(wanted, names, strict=True):
            if found is None:
                raise _no_root(name, specs)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def add(self, path: str, *, name: str = "", options: RootOptions = NO_OPTIONS) -> tuple[RootSpec, bool]:
        """Register a folder; returns it and whether it is new. The same folder again is the same root."""
        options.check()
        folder = self._folder(path)
        if name:
            _check_name(name)
        with self._lock:
            if spec := root_of_folder(self._files, folder, self.specs().values()):
                _check_same(spec, name, options)
                return spec, False
            self._check_room(name)
            spec = options.apply(RootSpec(name=name or self._free_name(folder), path=folder))
            self._roots_file.save([*(known for _, known in self._specs.values()), spec])
            self._begin(spec)
            return spec, True

    def change(self, name: str, *, new_name: str = "", options: RootOptions = NO_OPTIONS) -> RootSpec:
        """Rename a root or choose other options for it; durable when it returns, and looked at anew."""
        options.check()
        if new_name:
            _check_name(new_name)
        with self._lock:
            (known,) = self.names((name,))
            root_id, before = self._specs[known]
            if new_name and new_name != known:
                self._check_free(new_name)
            spec = options.apply(replace(before, name=new_name or known))
            if spec == before:
                return spec
            specs = {other: entry for other, entry in self._specs.items() if other != known}
            self._roots_file.save([*(other for _, other in specs.values()), spec])
            self._specs = {**specs, spec.name: (root_id, spec)}
            self._writer.post(ChangeRoot(root_id, spec))
            return spec

    def plan(self, path: str, *, name: str, like: str, chunk_mode: ChunkMode) -> RootSpec:
        """What ``add`` would register, if the folder is no root yet; named ``like`` that if that is free."""
        folder = self._folder(path)
        if name:
            _check_name(name)
        known = root_of_folder(self._files, folder, self.specs().values())
        if known is not None:
            raise RefusedError(
                f"{folder} is registered already, as root {known.name}.",
                remedy=f"Remove it first, its files are not touched: mdmemctl root remove {known.name}",
            )
        with self._lock:
            self._check_room(name)
            is_free = like not in self._specs and _is_name(like)
            chosen = name or (like if is_free else self._free_name(folder))
        return RootSpec(name=chosen, path=folder, chunk_mode=chunk_mode)

    def _check_free(self, name: str) -> None:
        if name in self._specs:
            raise RefusedError(
                f"The name {name} belongs to the root {self._specs[name][1].path}.",
                remedy="Choose another name with --name.",
            )

    def _check_room(self, name: str) -> None:
        """That there may be one more root, of that name. The lock is held."""
        self._check_free(name)
        if len(self._specs) >= ROOTS_MAX:
            raise RefusedError(
                f"There are {ROOTS_MAX} roots already.", remedy="Remove some: mdmemctl root list"
            )

    def remove(self, name: str) -> None:
        """Forget a root; its files are not touched."""
        with self._lock:
            if name not in self._specs:
                raise NotFoundError(
                    f"There is no root named {name}.",
                    remedy="See: mdmemctl root list",
                    candidates=tuple(sorted(self._specs)),
                )
            self._roots_file.save([spec for _, spec in self._specs.values() if spec.name != name])
            root_id, _ = self._specs[name]
            self._specs = {other: entry for other, entry in self._specs.items() if other != name}
            self._writer.post(RemoveRoot(root_id))

    def serving(self, path: str, *, within: str = "/") -> RootSpec | None:
        """The innermost root around the folder ``path``, if it lies at or below ``within``.

        Raises ``DaemonError`` where the folder may not be a root.
        """
        around = root_around(self._files, self._folder(path), self.specs().values())
        is_within = around is not None and f"{around.path}/".startswith(f"{within.rstrip('/')}/")
        return around if is_within else None

    def add_project(self, path: str) -> RootSpec:
        """Register a project's folder, if it may be a root and holds Markdown; else raise ``DaemonError``."""
        folder = self._folder(path)
        if not self._has_markdown(folder):
            raise RefusedError(
                f"{folder} holds no Markdown.", remedy="Register a folder that does: mdmemctl root add PATH"
            )
        return self.add(folder)[0]

    def _begin(self, spec: RootSpec) -> None:
        root_id = RootId(next(self._ids))
        self._specs = {**self._specs, spec.name: (root_id, spec)}
        self._writer.post(AddRoot(root_id, spec))

    def _folder(self, path: str) -> str:
        """The folder with links resolved, if it may be a root."""
        if not os.path.isabs(path) or "\0" in path:
            raise InvalidRequestError(
                f"{path!r} is no absolute path.", remedy="Give the whole path of a folder."
            )
        try:
            folder = self._files.real_path(path)
        except OSError as error:
            raise NotFoundError(
                f"There is no folder {path}: {error.strerror}.", remedy="Check the spelling."
            ) from error
        if not folder.isprintable():
            raise RefusedError(
                f"{folder!r} has a name that is no plain text.",
                remedy="Rename it, or register a folder inside it.",
            )
        if not self._files.is_directory(folder):
            raise RefusedError(
                f"{path} is a file, and a root is a folder.",
                remedy=f"Register its folder: {os.path.dirname(path)}",
            )
        try:
            home = self._files.real_path(self._home)
        except OSError:
            home = self._home
        if folder == "/" or f"{home}/".startswith(f"{folder}/"):
            what = (
                "the whole disk"
                if folder == "/"
                else "your home folder"
                if folder == home
                else "a folder around your home folder"
            )
            raise RefusedError(
                f"{folder} is {what}, too much for one root.",
                remedy="Register the folders in it that hold your documents.",
            )
        try:
            self._files.list_directory(folder)
        except OSError as error:
            raise RefusedError(
                f"{folder} cannot be read: {error.strerror}.", remedy="Repair its permissions."
            ) from error
        return folder

    def _free_name(self, folder: str) -> str:
        stem = (
            re.sub(r"[^\w.+-]+", "-", os.path.basename(folder)).strip("-.")[: NAME_CHARACTERS_MAX - 5]
            or "root"
        )
        candidates = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
        return next(name for name in candidates if name not in self._specs)

    def _has_markdown(self, folder: str) -> bool:
        waiting = [""]
        looked_at = 0
        while waiting and looked_at < PROJECT_ENTRIES_MAX:
            inside = waiting.pop(0)
            try:
                entries = self._files.list_directory(os.path.join(folder, inside) if inside else folder)
            except OSError:
                continue
            looked_at += len(entries)
            for entry in entries:
                path = f"{inside}/{entry.name}" if inside else entry.name
                if entry.kind is EntryKind.FILE and entry.name.lower().endswith(SUFFIXES):
                    return True
                if entry.kind is EntryKind.DIRECTORY and entry.name not in PRUNED_FOLDERS:
                    waiting.append(path)
        return False


def _check_same(spec: RootSpec, name: str, options: RootOptions) -> None:
    """Whether a folder that is a root already is asked for as it is; else nothing is changed in silence."""
    if name and name != spec.name:
        raise RefusedError(
            f"{spec.path} is registered already, as root {spec.name}.",
            remedy=f"Use that name, or change it: mdmemctl root set {spec.name} --name {name}",
        )
    if options.apply(spec) != spec:
        raise RefusedError(
            f"{spec.path} is registered already, as root {spec.name}, with other options.",
            remedy=f"Change them: mdmemctl root set {spec.name} ...",
        )


def _check_name(name: str) -> None:
    if not _is_name(name):
        raise InvalidRequestError(
            f"{name!r} cannot be the name of a root.",
            remedy=f"Use up to {NAME_CHARACTERS_MAX} letters, digits and . _ + -, a letter or digit first.",
        )


def _no_root(name: str, specs: Mapping[str, RootSpec]) -> NotFoundError:
    near = difflib.get_close_matches(name, specs, n=3, cutoff=0.4)
    return NotFoundError(
        f"There is no root named {name}.",
        remedy="See: mdmemctl root list" if specs else "Register a folder first: mdmemctl root add PATH",
        candidates=tuple(near or sorted(specs)[:10]),
    )


def _is_name(name: str) -> bool:
    return len(name) <= NAME_CHARACTERS_MAX and re.fullmatch(r"\w[\w.+-]*", name) is not None
