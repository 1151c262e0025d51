"""One walk of a root: what counts, what is reported, what a fault costs."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmemd.sync.scan import ENTRIES_PER_STEP, Walk, look_at_files, scan, scan_tree
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


def test_kept_folders_are_told_before_they_are_listed(files: FakeFiles) -> None:
    """A watch is placed before the look, so nothing that happens between them is missed."""
    files.make_folder("/tree/sub/deep")

    def appear(folder: str) -> None:
        told.append(folder)
        files.write(f"/tree/{folder}/new.md".replace("//", "/"), "n")

    told: list[str] = []
    listing = scan(files, "/tree", Scope(), on_folder=appear)
    assert told == listing.folders == ["", "sub", "sub/deep"]
    assert {"new.md", "sub/new.md", "sub/deep/new.md"} <= set(listing.files)


def test_a_folder_that_cannot_be_listed_is_no_kept_folder(files: FakeFiles) -> None:
    files.fail("/tree/sub", errno.EACCES)
    assert scan(files, "/tree", Scope()).folders == [""]


def test_a_tree_is_walked_as_the_whole_walk_would(files: FakeFiles) -> None:
    files.write("/tree/sub/deep/e.md", "e")
    files.write("/tree/sub/node_modules/f.md", "f")
    whole = scan(files, "/tree", Scope())
    part = scan_tree(files, "/tree", "sub", Scope())
    assert part.files == {path: seen for path, seen in whole.files.items() if path.startswith("sub/")}
    assert part.folders == ["sub", "sub/deep"]
    assert scan_tree(files, "/tree", "", Scope()) == whole


def test_a_tree_may_be_one_file_gone_excluded_or_behind_a_link(files: FakeFiles) -> None:
    files.link("/tree/linked", "/tree/sub")
    assert set(scan_tree(files, "/tree", "a.md", Scope()).files) == {"a.md"}
    for subtree in ("gone", "linked", "linked/deep", "node_modules", "node_modules/x", "sub/c.txt"):
        listing = scan_tree(files, "/tree", subtree, Scope())
        assert (listing.files, listing.folders, listing.missing) == ({}, [], None), subtree
    assert scan_tree(files, "/tree", "sub", Scope(exclude=["sub"])).files == {}


def test_a_tree_of_a_missing_root_concludes_nothing() -> None:
    assert scan_tree(FakeFiles(), "/gone", "sub", Scope()).missing == "No such file or directory"


def test_a_walk_can_be_taken_folder_by_folder(files: FakeFiles) -> None:
    walk = Walk(files, "/tree", Scope())
    assert walk.step()
    assert set(walk.listing.files) == {"a.md"}
    assert not walk.step()
    assert walk.listing == scan(files, "/tree", Scope())


def test_a_step_is_short_in_a_large_folder_too(files: FakeFiles) -> None:
    for number in range(2 * ENTRIES_PER_STEP):
        files.write(f"/tree/{number}.md", "x")
    walk = Walk(files, "/tree", Scope())
    before, steps = 0, 0
    while walk.step():
        assert len(walk.listing.files) - before <= ENTRIES_PER_STEP
        before, steps = len(walk.listing.files), steps + 1
    assert steps >= 3
    assert walk.listing == scan(files, "/tree", Scope())
