"""One suite for the ``FileSystem`` port, over the fake and the real one."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmemd.adapters.posix_files import PosixFiles
from mdmemd.ports import EntryKind, FileSystem


class Tree:
    """A file system with a way to change it; paths are absolute below ``folder``."""

    def __init__(self, files: FileSystem, folder: str, fake: FakeFiles | None) -> None:
        self.files = files
        self.folder = folder
        self._fake = fake

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}" if name else self.folder

    def write(self, name: str, content: bytes) -> None:
        if self._fake:
            self._fake.write(self.path(name), content)
        else:
            Path(self.path(name)).parent.mkdir(parents=True, exist_ok=True)
            Path(self.path(name)).write_bytes(content)

    def link(self, name: str, target: str) -> None:
        if self._fake:
            self._fake.link(self.path(name), self.path(target))
        else:
            os.symlink(self.path(target), self.path(name))

    def fifo(self, name: str) -> None:
        if self._fake:
            self._fake.make_fifo(self.path(name))
        else:
            os.mkfifo(self.path(name))


@pytest.fixture(params=["fake", "real"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    if request.param == "fake":
        fake = FakeFiles()
        fake.make_folder("/root")
        return Tree(fake, "/root", fake)
    return Tree(PosixFiles(), str(tmp_path), None)


def test_listing_tells_kinds_without_following_links(tree: Tree) -> None:
    tree.write("a.md", b"x")
    tree.write("folder/b.md", b"y")
    tree.link("to-file", "a.md")
    tree.link("to-folder", "folder")
    tree.fifo("pipe")
    entries = {entry.name: entry.kind for entry in tree.files.list_directory(tree.folder)}
    assert {name: tree.files.entry_kind(tree.path(name)) for name in entries} == entries
    assert entries == {
        "a.md": EntryKind.FILE,
        "folder": EntryKind.DIRECTORY,
        "to-file": EntryKind.SYMLINK,
        "to-folder": EntryKind.SYMLINK,
        "pipe": EntryKind.OTHER,
    }


def test_reading_gives_content_and_the_fingerprint_that_stat_gives(tree: Tree) -> None:
    tree.write("a.md", b"one\r\ntwo\0")
    content, fingerprint = tree.files.read(tree.path("a.md"), bytes_max=100)
    assert content == b"one\r\ntwo\0"
    assert fingerprint == tree.files.fingerprint(tree.path("a.md"))
    assert fingerprint.size == len(content)


def test_a_change_changes_the_fingerprint(tree: Tree) -> None:
    tree.write("a.md", b"one")
    before = tree.files.fingerprint(tree.path("a.md"))
    tree.write("a.md", b"other")
    assert tree.files.fingerprint(tree.path("a.md")) != before


def test_links_are_followed_for_files(tree: Tree) -> None:
    tree.write("a.md", b"one")
    tree.link("b.md", "a.md")
    assert tree.files.read(tree.path("b.md"), bytes_max=10)[0] == b"one"
    assert tree.files.real_path(tree.path("b.md")) == tree.files.real_path(tree.path("a.md"))


def test_a_file_at_the_limit_is_read_and_one_byte_more_is_not(tree: Tree) -> None:
    tree.write("a.md", b"x" * 10)
    assert tree.files.read(tree.path("a.md"), bytes_max=10)[0] == b"x" * 10
    with pytest.raises(OSError) as caught:
        tree.files.read(tree.path("a.md"), bytes_max=9)
    assert caught.value.errno == errno.EFBIG


@pytest.mark.parametrize(
    "call", ["fingerprint", "read", "list_directory", "real_path", "entry_kind", "folder_identity"]
)
def test_what_is_gone_says_so(tree: Tree, call: str) -> None:
    calls: dict[str, Callable[[str], object]] = {
        "fingerprint": tree.files.fingerprint,
        "read": lambda path: tree.files.read(path, bytes_max=10),
        "list_directory": tree.files.list_directory,
        "real_path": tree.files.real_path,
        "entry_kind": tree.files.entry_kind,
        "folder_identity": tree.files.folder_identity,
    }
    with pytest.raises(FileNotFoundError):
        calls[call](tree.path("nothing.md"))


def test_a_fifo_and_a_folder_are_no_files_and_do_not_block(tree: Tree) -> None:
    tree.fifo("pipe.md")
    tree.write("folder/a.md", b"x")
    for name in ("pipe.md", "folder"):
        with pytest.raises(OSError) as caught:
            tree.files.read(tree.path(name), bytes_max=10)
        assert caught.value.errno == errno.EINVAL
        with pytest.raises(OSError) as caught:
            tree.files.fingerprint(tree.path(name))
        assert caught.value.errno == errno.EINVAL


def test_a_folder_has_one_identity_by_any_spelling(tree: Tree) -> None:
    tree.write("folder/a.md", b"x")
    tree.write("other/a.md", b"x")
    tree.link("link", "folder")
    identity = tree.files.folder_identity(tree.path("folder"))
    assert identity == tree.files.folder_identity(tree.path("link"))
    assert identity != tree.files.folder_identity(tree.path("other"))
    with pytest.raises(NotADirectoryError):
        tree.files.folder_identity(tree.path("folder/a.md"))


def test_folders_are_told_from_files(tree: Tree) -> None:
    tree.write("folder/a.md", b"x")
    tree.link("link", "folder")
    assert tree.files.is_directory(tree.path("folder"))
    assert tree.files.is_directory(tree.path("link"))
    assert not tree.files.is_directory(tree.path("folder/a.md"))
    assert not tree.files.is_directory(tree.path("nothing"))
