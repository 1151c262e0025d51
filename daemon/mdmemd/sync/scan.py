"""One walk of a root, or of one tree in it, through the ``FileSystem`` port: what is on disk now.

Invariants: directory links are not followed; a linked file counts only where its target is a regular file
inside the root that is not a document by itself (else the same text would be there twice, or text from
outside would leak in); what cannot be looked at is reported and costs only itself. Called by the writer. Does
not read files and does not compare: ``reconcile`` does.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mdmemd.model import Fingerprint, Problem
from mdmemd.ports import DirectoryEntry, EntryKind, FileSystem
from mdmemd.sync.exclusion import Exclusion, Removed, ScopeReport, Tally
from mdmemd.sync.ignore_rules import FolderRules
from mdmemd.sync.path_rules import PathRules
from mdmemd.sync.rule_reading import RULE_FILES
from mdmemd.sync.scope import FILE_BYTES_MAX, NOT_MARKDOWN, Scope

TOO_LARGE = Problem("too_large", f"larger than the {FILE_BYTES_MAX // 2**20} MiB that are indexed")

BROKEN_LINK = Problem("broken_link", "a link to a file that is not there")

OnFolder = Callable[[str], object]


@dataclass(slots=True)
class Listing:
    """What one walk found.

    Attributes:
        files: root-relative path of every document, with its fingerprint.
        links: all links with the name of a document, whether they are one now or not: what happens to their
            targets is told by no event.
        folders: root-relative path of every kept folder in walk order, an outer one before what is in it; the
            root itself is the empty path. These are the folders to watch.
        problems: root-relative path (file or folder) of everything that could not be looked at, and why.
        unlisted: folders that could not be listed: nothing may be concluded about what is below them.
        missing: the root's folder is gone, unreadable or no folder, with the reason.
        entries: how many names the listed folders hold.
        ignore_files: absolute path and fingerprint of every file that the rules were read from; where one of
            them changes, so may the listing.
        excluded: what the rules took away, but for files that are no Markdown.
        unused_globs: those of the root that matched nothing; empty for a part of it.
    """

    files: dict[str, Fingerprint] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    folders: list[str] = field(default_factory=list)
    problems: dict[str, Problem] = field(default_factory=dict)
    unlisted: list[str] = field(default_factory=list)
    missing: str | None = None
    entries: int = 0
    ignore_files: dict[str, Fingerprint] = field(default_factory=dict)
    excluded: dict[Exclusion, Tally] = field(default_factory=dict)
    unused_globs: tuple[str, ...] = ()

    def report(self) -> ScopeReport:
        """What the rules did."""
        removed = [
            Removed(reason, tally.folders, tally.files, tuple(tally.examples))
            for reason, tally in self.excluded.items()
        ]
        removed.sort(key=lambda each: (-each.files, -each.folders, each.reason.sentence))
        return ScopeReport(tuple(removed), tuple(sorted(self.ignore_files)), self.unused_globs)


ENTRIES_PER_STEP = 200
"""About 5 ms; a folder with more names takes several steps."""


class Walk:
    """A walk in short steps, so that its caller can do other work between them.

    ``listing`` is whole once ``step`` has returned false. One thread.
    """

    def __init__(
        self, files: FileSystem, folder: str, scope: Scope, *, on_folder: OnFolder | None = None
    ) -> None:
        """Nothing is looked at yet.

        ``folder`` is the root's absolute path; ``on_folder`` is called with each kept folder before it is
        listed, root-relative.
        """
        self.listing = Listing()
        self._files = files
        self._folder = folder
        self._scope = scope
        self._on_folder = on_folder
        self._reader = scope.reader(files, folder)
        self._paths = PathRules(files, folder, scope, reader=self._reader)
        self._waiting: list[tuple[str, FolderRules | None]] = [("", None)]
        # What is left of the folder that is being looked at: its path, its entries, its rules.
        self._inside: tuple[str, list[DirectoryEntry], FolderRules] | None = None
        self._used_globs: set[str] = set()
        self._is_whole = True

    def start_at(self, subtree: str) -> None:
        """Walk only what is at and below this root-relative path, with the rules of the folders above it."""
        self._waiting = []
        self._is_whole = False
        try:
            root = self._files.real_path(self._folder)
        except OSError as error:
            self.listing.missing = error.strerror or str(error)
            return
        path = os.path.join(self._folder, subtree)
        try:
            is_linked = self._files.real_path(path) != os.path.join(root, subtree)
        except OSError as error:
            self._fail(subtree, error)
            return
        if not self._files.is_directory(path):
            self.listing = look_at_paths(self._files, self._folder, (subtree,), self._scope)
        elif not is_linked:
            self._begin_in(subtree)

    def step(self) -> bool:
        """List the next folder, or look at the next files of it; returns whether anything is left."""
        if self._inside is None and self._waiting:
            self._list(*self._waiting.pop())
        if self._inside is not None:
            self._take_some(*self._inside)
        if self._inside is None and not self._waiting:
            self._finish()
            return False
        return True

    def _take_some(self, inside: str, entries: list[DirectoryEntry], rules: FolderRules) -> None:
        prefix = f"{inside}/" if inside else ""
        some, rest = entries[:ENTRIES_PER_STEP], entries[ENTRIES_PER_STEP:]
        for entry in some:
            self._take(prefix + entry.name, entry, rules)
        self._inside = (inside, rest, rules) if rest else None

    def _begin_in(self, subtree: str) -> None:
        around, _, name = subtree.rpartition("/")
        rules = self._paths.of_folder(around)
        if isinstance(rules, FolderRules):
            rules = self._scope.enter_folder(subtree, name, rules, self._reader.local)
        if isinstance(rules, Exclusion):
            self._count(rules, subtree, is_folder=True)
        else:
            self._waiting = [(subtree, rules)]

    def _finish(self) -> None:
        listing = self.listing
        listing.ignore_files = self._reader.ignore_files
        listing.problems |= self._reader.problems
        if self._is_whole:
            globs = (*self._scope.exclude.texts, *self._scope.include.texts)
            listing.unused_globs = tuple(glob for glob in globs if glob not in self._used_globs)
        if listing.unused_globs and listing.missing is None:
            named = ", ".join(listing.unused_globs)
            listing.problems[""] = Problem("unused_glob", f"globs of the root that match nothing: {named}")

    def _list(self, inside: str, rules: FolderRules | None) -> None:
        """List one folder that begins with ``rules``; the root's own are not read yet."""
        listing = self.listing
        if self._on_folder is not None:
            self._on_folder(inside)
        path = os.path.join(self._folder, inside) if inside else self._folder
        try:
            entries = self._files.list_directory(path)
        except OSError as error:
            self._fail(inside, error)
            return
        listing.entries += len(entries)
        present = {entry.name: entry.kind for entry in entries if entry.name in RULE_FILES}
        outcome = self._reader.enter(rules or self._reader.above_root(), inside, present)
        if isinstance(outcome, Exclusion):
            self._count(outcome, inside, is_folder=True)
            return
        listing.folders.append(inside)
        self._inside = (inside, entries, outcome)

    def _fail(self, inside: str, error: OSError) -> None:
        """What a folder that cannot be listed means; one that is gone has nothing below it."""
        if not inside:
            self.listing.missing = error.strerror or str(error)
        elif not isinstance(error, FileNotFoundError | NotADirectoryError):
            self.listing.unlisted.append(inside)
            self.listing.problems[inside] = Problem(
                "unreadable", f"folder cannot be listed: {error.strerror}"
            )

    def _take(self, relative: str, entry: DirectoryEntry, rules: FolderRules) -> None:
        name, local = entry.name, self._reader.local
        if entry.kind is EntryKind.DIRECTORY:
            begun = self._scope.enter_folder(relative, name, rules, local)
            if isinstance(begun, Exclusion):
                self._count(begun, relative, is_folder=True)
            elif not _is_text(name):
                self._refuse_name(relative)
            else:
                self._waiting.append((relative, begun))
            return
        excluded = self._scope.file_exclusion(relative, name, rules, local)
        if excluded is NOT_MARKDOWN:
            return
        if excluded is not None:
            self._count(excluded, relative, is_folder=False)
        elif not _is_text(name):
            self._refuse_name(relative)
        elif entry.kind is not EntryKind.OTHER:
            self._look_at(relative, is_link=entry.kind is EntryKind.SYMLINK)

    def _count(self, excluded: Exclusion, relative: str, *, is_folder: bool) -> None:
        if excluded.rule == "exclude":
            self._used_globs.add(excluded.pattern)
        self.listing.excluded.setdefault(excluded, Tally()).add(printable(relative), is_folder=is_folder)

    def _look_at(self, relative: str, *, is_link: bool) -> None:
        found = _look_at(self._files, self._folder, relative, self._paths, is_link=is_link)
        if is_link:
            self.listing.links.add(relative)
        if isinstance(found, Fingerprint):
            self.listing.files[relative] = found
            if self._scope.include.texts and (glob := self._scope.including(relative)):
                self._used_globs.add(glob)
        elif isinstance(found, Exclusion):
            self._count(found, relative, is_folder=False)
        elif found is not None:
            self.listing.problems[relative] = found

    def _refuse_name(self, relative: str) -> None:
        self.listing.problems[printable(relative)] = Problem(
            "bad_name", "its name is no valid UTF-8, so it cannot be asked for"
        )


def scan(files: FileSystem, folder: str, scope: Scope, *, on_folder: OnFolder | None = None) -> Listing:
    """Walk the root at the absolute path ``folder``, see ``Walk``."""
    walk = Walk(files, folder, scope, on_folder=on_folder)
    while walk.step():
        pass
    return walk.listing


def scan_tree(
    files: FileSystem, folder: str, subtree: str, scope: Scope, *, on_folder: OnFolder | None = None
) -> Listing:
    """Walk what is at and below the root-relative path ``subtree``, finding there what ``scan`` would find.

    All known documents at and below it that are not in the listing are gone, unless the root is ``missing``
    or the folder is ``unlisted``.
    """
    walk = Walk(files, folder, scope, on_folder=on_folder)
    if subtree:
        walk.start_at(subtree)
    while walk.step():
        pass
    return walk.listing


def look_at_files(
    files: FileSystem, folder: str, paths: Iterable[str], scope: Scope
) -> dict[str, Fingerprint]:
    """The documents among some root-relative paths, as a walk would find them, without a walk."""
    return look_at_paths(files, folder, paths, scope).files


def look_at_paths(files: FileSystem, folder: str, paths: Iterable[str], scope: Scope) -> Listing:
    """Some root-relative paths as a walk would list them, without a walk.

    A path that is neither among the ``files`` nor ``unlisted`` is no document now, unless the root is
    ``missing``.
    """
    listing = Listing()
    try:
        root = files.real_path(folder)
    except OSError as error:
        listing.missing = error.strerror or str(error)
        return listing
    rules = PathRules(files, folder, scope)
    for relative in paths:
        if not _is_text(relative) or rules.exclusion(relative) is not None:
            continue
        path = os.path.join(folder, relative)
        try:
            is_link = files.real_path(path) != os.path.join(root, relative)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                listing.unlisted.append(relative)
            elif _is_link(files, path):
                listing.links.add(relative)
                listing.problems[relative] = BROKEN_LINK
            continue
        if is_link:
            listing.links.add(relative)
        seen = _look_at(files, folder, relative, rules, is_link=is_link)
        if isinstance(seen, Fingerprint):
            listing.files[relative] = seen
        elif isinstance(seen, Problem):
            listing.problems[relative] = seen
        elif seen is not None:
            listing.excluded.setdefault(seen, Tally()).add(relative, is_folder=False)
    return listing


def _look_at(
    files: FileSystem, folder: str, relative: str, rules: PathRules, *, is_link: bool
) -> Fingerprint | Problem | Exclusion | None:
    """One file that the rules keep: its fingerprint, or what is wrong with it.

    ``None`` for what is no regular file, and for a link to what is no document of this root.
    """
    path = os.path.join(folder, relative)
    try:
        if is_link and not _link_counts(files, folder, path, rules):
            return None
        fingerprint = files.fingerprint(path)
    except FileNotFoundError:
        return BROKEN_LINK if is_link else None
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None  # a pipe or a device
        return Problem("unreadable", f"cannot be looked at: {error.strerror}")
    if fingerprint.size > FILE_BYTES_MAX:
        return TOO_LARGE
    local_max = rules.reader.local.file_bytes_max
    if local_max is not None and fingerprint.size > local_max:
        return Exclusion(".mdmem.toml", f"larger than the {local_max // 1024} KiB of .mdmem.toml")
    return fingerprint


def _link_counts(files: FileSystem, folder: str, path: str, rules: PathRules) -> bool:
    target = files.real_path(path)
    root = files.real_path(folder)
    if not target.startswith(root.rstrip("/") + "/") or files.is_directory(target):
        return False
    return rules.exclusion(os.path.relpath(target, root)) is not None


def printable(path: str) -> str:
    """The path with what is no valid UTF-8 replaced."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_link(files: FileSystem, path: str) -> bool:
    try:
        return files.entry_kind(path) is EntryKind.SYMLINK
    except OSError:
        return False


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
