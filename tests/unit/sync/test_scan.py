"""One walk of a root: what counts, what is reported, what a fault costs."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmemd.sync.scan import look_at_files, scan
from mdmemd.sync.scope import FILE_BYTES_MAX, Scope


@pytest.fixture
def files() -> FakeFiles:
    fake = FakeFiles()
    fake.write("/tree/a.md", "a")
    fake.write("/tree/sub/b.md", "b")
    fake.write("/tree/sub/c.txt", "c")
    fake.write("/tree/node_modules/d.md", "d")
    return fake


def test_documents_with_their_fingerprints(files: FakeFiles) -> None:
    listing = scan(files, "/tree", Scope())
    assert listing.files == {name: files.fingerprint(f"/tree/{name}") for name in ("a.md", "sub/b.md")}
    assert listing.problems == {}
    assert listing.missing is None


def test_the_hidden_rule_is_not_applied_above_the_root() -> None:
    """W11: a root inside a hidden or pruned folder is indexed."""
    fake = FakeFiles()
    fake.write("/home/.notes/node_modules/tree/a.md", "a")
    assert set(scan(fake, "/home/.notes/node_modules/tree", Scope()).files) == {"a.md"}


def test_a_missing_root_says_why_and_nothing_else() -> None:
    listing = scan(FakeFiles(), "/gone", Scope())
    assert listing.missing == "No such file or directory"


def test_an_unlistable_folder_costs_only_itself(files: FakeFiles) -> None:
    """P8: the rest is found, and the folder is named."""
    files.fail("/tree/sub", errno.EACCES)
    listing = scan(files, "/tree", Scope())
    assert set(listing.files) == {"a.md"}
    assert listing.unlisted == ["sub"]
    assert "Permission denied" in listing.problems["sub"].message


def test_an_unreadable_file_is_named(files: FakeFiles) -> None:
    files.fail("/tree/a.md", errno.EIO)
    listing = scan(files, "/tree", Scope())
    assert set(listing.files) == {"sub/b.md"}
    assert listing.problems["a.md"].kind == "unreadable"


def test_fifos_and_oversized_files_are_no_documents(files: FakeFiles) -> None:
    files.make_fifo("/tree/pipe.md")
    files.write("/tree/big.md", b"x" * (FILE_BYTES_MAX + 1))
    listing = scan(files, "/tree", Scope())
    assert set(listing.files) == {"a.md", "sub/b.md"}
    assert listing.problems["big.md"].kind == "too_large"


def test_links(files: FakeFiles) -> None:
    """F19: folder links are not followed; file links count if their target is inside and no document."""
    files.write("/outside/secret.md", "s")
    files.write("/tree/sub/plain.txt", "p")
    files.link("/tree/alias.md", "/tree/a.md")
    files.link("/tree/out.md", "/outside/secret.md")
    files.link("/tree/kept.md", "/tree/sub/plain.txt")
    files.link("/tree/folder.md", "/tree/sub")
    files.link("/tree/broken.md", "/tree/nothing.md")
    files.link("/tree/loop", "/tree")
    listing = scan(files, "/tree", Scope())
    assert set(listing.files) == {"a.md", "sub/b.md", "kept.md"}
    assert listing.problems["broken.md"].kind == "broken_link"


def test_a_name_that_is_no_text_is_reported_and_skipped(files: FakeFiles) -> None:
    files.write("/tree/caf\udce9.md", "x")
    files.write("/tree/d\udce9r/x.md", "x")
    listing = scan(files, "/tree", Scope())
    assert set(listing.files) == {"a.md", "sub/b.md"}
    assert {problem.kind for problem in listing.problems.values()} == {"bad_name"}
    assert set(listing.problems) == {"caf\ufffd.md", "d\ufffdr"}


def test_a_look_at_single_files_finds_what_a_walk_finds(files: FakeFiles) -> None:
    files.write("/outside/secret.md", "s")
    files.write("/tree/sub/plain.txt", "p")
    files.link("/tree/out.md", "/outside/secret.md")
    files.link("/tree/kept.md", "/tree/sub/plain.txt")
    files.link("/tree/broken.md", "/tree/nothing.md")
    files.make_fifo("/tree/pipe.md")
    scope = Scope(nested=["sub"])
    paths = [
        "a.md",
        "sub/b.md",
        "sub/c.txt",
        "out.md",
        "kept.md",
        "broken.md",
        "pipe.md",
        "gone.md",
        "../x.md",
    ]
    assert look_at_files(files, "/tree", paths, scope) == scan(files, "/tree", scope).files
    assert set(look_at_files(files, "/tree", paths, Scope())) == {"a.md", "sub/b.md", "kept.md"}
    assert look_at_files(files, "/gone", paths, scope) == {}
