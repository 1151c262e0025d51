"""Which files of a root are in and why: changing its options, showing what its rules do, asking of a path.

A facade beside ``Service``; its methods run on the query pool and raise only ``mdmemd.errors`` types for what
a caller can cause. Looks at files only through the ``FileSystem`` port and changes nothing but through
``Roots``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

from mdmemd.engine.freshness import Freshness
from mdmemd.engine.journal import Journals
from mdmemd.engine.report import FileProblem, RootStatus
from mdmemd.engine.root_options import RootOptions
from mdmemd.engine.root_status import root_status
from mdmemd.engine.roots import Roots
from mdmemd.engine.service import Service
from mdmemd.engine.state import RootView
from mdmemd.errors import InvalidRequestError
from mdmemd.model import RootSpec
from mdmemd.ports import EntryKind, FileSystem
from mdmemd.search.locate import paths_in_roots
from mdmemd.sync.exclusion import Exclusion, ScopeReport
from mdmemd.sync.path_rules import PathRules
from mdmemd.sync.scan import Listing, look_at_paths
from mdmemd.sync.scope import Scope, ScopeRules

APPLY_PATIENCE = "wait=5"
"""How long a change of a root waits to be in effect: a large root is walked behind the answer."""


class PathState(StrEnum):
    """Where one path stands."""

    INDEXED = "indexed"
    PENDING = "pending"
    EXCLUDED = "excluded"
    FAILED = "failed"
    MISSING = "missing"
    FOLDER = "folder"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class PathReport:
    """What is known of one absolute path.

    Attributes:
        root: the root that it lies in, ``None`` where it lies in none; ``relative`` is its path there.
        sentence: the answer in words.
        exclusion: the rule that keeps it out.
        indexed_at: unix seconds of its last indexing, ``None`` where that was before the daemon's start.
        modified_at: unix seconds of the indexed file.
        problems: what is wrong with it.
    """

    path: str
    root: str | None
    relative: str
    state: PathState
    sentence: str
    exclusion: Exclusion | None = None
    indexed_at: float | None = None
    modified_at: float | None = None
    problems: tuple[FileProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class RootDetails:
    """One root with its options and what its rules do."""

    status: RootStatus
    spec: RootSpec
    rules: ScopeReport


class Scoping:
    """See the module."""

    def __init__(
        self,
        roots: Roots,
        files: FileSystem,
        freshness: Freshness,
        journals: Journals,
        rules: ScopeRules,
        service: Service,
    ) -> None:
        self._roots = roots
        self._files = files
        self._freshness = freshness
        self._journals = journals
        self._rules = rules
        self._service = service

    def change_root(self, name: str, *, new_name: str = "", options: RootOptions) -> RootStatus:
        """Rename a root or choose other options; durable when it returns, and mostly in effect."""
        spec = self._roots.change(name, new_name=new_name, options=options)
        self._freshness.catch_up((spec.name,), self._freshness.patience(APPLY_PATIENCE))
        return root_status(self._service.root_view(spec.name), self._service.model())

    def show_root(self, name: str) -> RootDetails:
        """What is in a root, what is out, and by which rules."""
        view = self._service.root_view(name)
        return RootDetails(root_status(view, self._service.model()), view.spec, view.rules)

    def why(self, path: str) -> PathReport:
        """Whether the file or folder at an absolute path is indexed, and if not, why."""
        if not os.path.isabs(path) or "\0" in path:
            raise InvalidRequestError(
                f"{path!r} is no absolute path.", remedy="Give the whole path of a file."
            )
        path = os.path.normpath(path)
        specs = self._roots.specs()
        folders = {name: spec.path for name, spec in specs.items()}
        name, relative = next(paths_in_roots(path, folders=folders, files=self._files), (None, ""))
        if name is None:
            sentence = "it lies in no registered root: mdmemctl root add FOLDER"
            return PathReport(path, None, "", PathState.OUTSIDE, sentence)
        self._freshness.catch_up((name,), self._freshness.patience(""))
        return self._of_path(path, self._service.root_view(name), relative.rstrip("/"), specs)

    def _of_path(self, path: str, view: RootView, relative: str, specs: dict[str, RootSpec]) -> PathReport:
        spec = view.spec
        inside = f"{spec.path.rstrip('/')}/"
        others = (other.path for other in specs.values())
        nested = [other.removeprefix(inside) for other in others if other.startswith(inside)]
        scope = self._rules.scope(spec, nested=nested)
        rules = PathRules(self._files, spec.path, scope)
        if self._files.is_directory(path):
            return self._of_folder(path, view, relative, rules)
        if excluded := rules.exclusion(relative):
            return PathReport(
                path, spec.name, relative, PathState.EXCLUDED, f"not indexed: {excluded.sentence}", excluded
            )
        return self._of_file(path, view, relative, scope)

    def _of_folder(self, path: str, view: RootView, relative: str, rules: PathRules) -> PathReport:
        found = rules.of_folder(relative)
        name = view.spec.name
        if isinstance(found, Exclusion):
            sentence = f"nothing in this folder is indexed: {found.sentence}"
            return PathReport(path, name, relative, PathState.EXCLUDED, sentence, found)
        if self._is_linked(view.spec.path, relative):
            sentence = "nothing in this folder is indexed: links to folders are not followed"
            return PathReport(path, name, relative, PathState.EXCLUDED, sentence)
        below = f"{relative}/" if relative else ""
        count = sum(each.path.startswith(below) for each in view.snapshot.iter_documents())
        sentence = f"a folder of the root {name}; {count} documents in it are indexed"
        return PathReport(path, name, relative, PathState.FOLDER, sentence)

    def _of_file(self, path: str, view: RootView, relative: str, scope: Scope) -> PathReport:
        listing = look_at_paths(self._files, view.spec.path, (relative,), scope)
        seen = listing.files.get(relative)
        record = view.snapshot.document(relative)
        problems = tuple(each for each in view.problems if each.path == relative)
        if seen is None:
            state, sentence = self._not_seen(path, view, relative, listing)
        elif record is not None and record.fingerprint == seen:
            state, sentence = PathState.INDEXED, "indexed as it is now"
        elif problems:
            state, sentence = PathState.FAILED, f"not indexed: {problems[-1].problem.message}"
        else:
            how = "in an older version; the change" if record is not None else "not yet; it"
            state, sentence = PathState.PENDING, f"indexed {how} waits to be read"
        return PathReport(
            path,
            view.spec.name,
            relative,
            state,
            sentence,
            next(iter(listing.excluded), None),
            indexed_at=self._indexed_at(view.spec.name, relative) if record else None,
            modified_at=record.fingerprint.mtime_ns / 1e9 if record else None,
            problems=problems,
        )

    def _not_seen(self, path: str, view: RootView, relative: str, listing: Listing) -> tuple[PathState, str]:
        """Why a file that the rules keep is no document."""
        if listing.missing is not None:
            return PathState.MISSING, f"the folder of its root cannot be read: {listing.missing}"
        if problem := listing.problems.get(relative):
            return PathState.FAILED, f"not indexed: {problem.message}"
        if excluded := next(iter(listing.excluded), None):
            return PathState.EXCLUDED, f"not indexed: {excluded.sentence}"
        try:
            kind = self._files.entry_kind(path)
        except OSError as error:
            return PathState.MISSING, f"there is no such file: {error.strerror}"
        if kind is EntryKind.SYMLINK:
            sentence = "not indexed: a link to what is a document itself, a folder, or outside of the root"
            return PathState.EXCLUDED, sentence
        if self._is_linked(view.spec.path, os.path.dirname(relative)):
            return PathState.EXCLUDED, "not indexed: it lies in a linked folder, and those are not followed"
        return PathState.EXCLUDED, "not indexed: it is no regular file"

    def _is_linked(self, folder: str, inside: str) -> bool:
        """Whether a link leads to a folder of the root."""
        try:
            real = self._files.real_path(os.path.join(folder, inside))
            return real != os.path.join(self._files.real_path(folder), inside).rstrip("/")
        except OSError:
            return False

    def _indexed_at(self, name: str, relative: str) -> float | None:
        journal = self._journals.of(name)
        entries = journal.after_tick(0).entries if journal else ()
        return next((change.at for change in reversed(entries) if change.path == relative), None)
