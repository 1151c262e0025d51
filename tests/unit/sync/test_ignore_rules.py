"""Ignore files of all kinds in one tree: which files are left, and which rule has taken the others."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.fake_repositories import FakeRepositories
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.path_rules import PathRules
from mdmemd.sync.scan import Listing, look_at_files, scan, scan_tree
from mdmemd.sync.scope import SUFFIXES, Scope


class Tree:
    """``/r`` with ignore files; ``paths`` are what a walk of a folder finds, checked against single looks."""

    def __init__(self) -> None:
        self.files = FakeFiles()
        self.files.make_folder("/r")
        self.git = FakeRepositories()

    def write(self, *paths: str, text: str = "x") -> None:
        for path in paths:
            self.files.write(f"/r/{path}", text)

    def repository(self, top: str = "/r", *tracked: str) -> None:
        for name in ("HEAD", "index", "config"):
            self.files.write(f"{top}/.git/{name}", "x")
        self.git.track(top, *tracked)

    def scope(self, **rules: list[str]) -> Scope:
        return Scope(**rules, git=GitKnowledge(self.git, self.files, suffixes=SUFFIXES))

    def listing(self, root: str = "/r", **rules: list[str]) -> Listing:
        listing = scan(self.files, root, self.scope(**rules))
        everything = [
            path.removeprefix(f"{root}/") for path in self.files.paths() if path.startswith(f"{root}/")
        ]
        assert look_at_files(self.files, root, everything, self.scope(**rules)).keys() == listing.files.keys()
        for folder in listing.folders:
            part = scan_tree(self.files, root, folder, self.scope(**rules))
            below = {path for path in listing.files if not folder or path.startswith(f"{folder}/")}
            assert part.files.keys() == below
        return listing

    def paths(self, root: str = "/r", **rules: list[str]) -> set[str]:
        return set(self.listing(root, **rules).files)

    def why(self, path: str, root: str = "/r") -> str | None:
        found = PathRules(self.files, root, self.scope()).exclusion(path)
        return found.sentence if found else None


@pytest.fixture
def tree() -> Tree:
    return Tree()


def test_nested_files_negation_and_anchors(tree: Tree) -> None:
    tree.write(
        "ignored/a.md", "x.tmp.md", "keep.tmp.md", "build/b.md", "sub/build/c.md", "sub/local.md", "local.md"
    )
    tree.write(".gitignore", text="ignored/\n*.tmp.md\n!keep.tmp.md\n/build\n")
    tree.write("sub/.gitignore", text="local.md\n")
    assert tree.paths() == {"keep.tmp.md", "sub/build/c.md", "local.md"}
    assert tree.why("sub/local.md") == "ignored by sub/.gitignore:1 (local.md)"
    assert tree.why("ignored/deep/a.md") == "ignored by .gitignore:1 (ignored/)"


def test_an_allow_list_keeps_what_it_names(tree: Tree) -> None:
    """W13."""
    tree.write("a.md", "src/a.md", "docs/a.md", "docs/deep/a.md")
    tree.write(".gitignore", text="*\n!docs/\n!docs/**\n")
    assert tree.paths() == {"docs/a.md", "docs/deep/a.md"}


def test_nothing_in_an_ignored_folder_can_be_brought_back(tree: Tree) -> None:
    tree.write("build/a.md", "build/b.md")
    tree.write(".gitignore", text="build/\n!build/a.md\n")
    tree.write("build/.gitignore", text="!*\n")
    assert tree.paths() == set()


def test_mdmemignore_works_without_git_and_wins_over_gitignore(tree: Tree) -> None:
    tree.write("a.md", "notes/b.md", "notes/c.md", "gen/d.md")
    tree.write(".gitignore", text="gen/\nnotes/b.md\n")
    tree.write(".mdmemignore", text="a.md\n!gen/\n")
    tree.write("notes/.mdmemignore", text="!b.md\nc.md\n")
    assert tree.paths() == {"notes/b.md", "gen/d.md"}
    assert tree.why("notes/c.md") == "ignored by notes/.mdmemignore:2 (c.md)"


def test_rules_above_the_root_count_unless_they_ignore_the_root(tree: Tree) -> None:
    """W11, W14: the same files whether a folder or one around it is the root."""
    tree.repository("/r")
    tree.write("docs/a.md", "docs/sub/secret.md", "docs/sub/b.md", "out/site/a.md", "out/site/secret.md")
    tree.write(".gitignore", text="secret.md\nout/\n")
    tree.write("docs/.gitignore", text="/sub/b.md\n")
    assert tree.paths("/r/docs/sub") == set()
    assert tree.paths("/r/docs") == {"a.md"}
    assert tree.paths("/r") == {"docs/a.md"}
    assert tree.paths("/r/out/site") == {"a.md", "secret.md"}
    assert tree.why("secret.md", "/r/docs/sub") == "ignored by /r/.gitignore:1 (secret.md)"


def test_a_folder_that_is_called_git_and_is_no_repository_hides_none(tree: Tree) -> None:
    tree.repository("/r")
    tree.write(".gitignore", text="b.md\n")
    tree.write("docs/.git/description.md", "docs/a.md", "docs/b.md")
    assert tree.paths("/r/docs") == {"a.md"}


def test_a_gitignore_above_a_root_outside_any_repository_means_nothing(tree: Tree) -> None:
    tree.write("docs/a.md")
    tree.write(".gitignore", text="a.md\n")
    assert tree.paths("/r/docs") == {"a.md"}


def test_exclude_files_of_the_repository_and_of_the_user(tree: Tree) -> None:
    tree.repository()
    tree.git.user_file = "/home/me/ignore"
    tree.files.write("/home/me/ignore", "*.swp.md\n!b.md\n")
    tree.write(".git/info/exclude", text="private\nb.md\n")
    tree.write("a.md", "b.md", "c.swp.md", "private/d.md", "sub/b.md")
    tree.write("sub/.gitignore", text="!b.md\n")
    assert tree.paths() == {"a.md", "sub/b.md"}
    tree.files.remove("/r/.git")
    assert tree.paths() == {"a.md", "b.md", "c.swp.md", "private/d.md", "sub/b.md"}


def test_what_git_tracks_is_never_ignored_by_its_rules(tree: Tree) -> None:
    tree.repository("/r", "gen/kept.md", "gen/deep/kept.md", "draft.md", "other/x.md")
    tree.write(
        "gen/kept.md", "gen/new.md", "gen/deep/kept.md", "gen/deep/new.md", "gen/none/x.md", "draft.md"
    )
    tree.write(".gitignore", text="gen/\ndraft.md\n")
    tree.write(".mdmemignore", text="deep/kept.md\n")
    assert tree.paths() == {"gen/kept.md", "gen/deep/kept.md", "draft.md"}
    assert tree.paths("/r/gen") >= {"kept.md", "new.md"}
    tree.write("gen/.mdmemignore", text="kept.md\n")
    assert tree.paths() == {"draft.md"}


def test_git_is_asked_once_for_one_index_and_not_where_nothing_is_ignored(tree: Tree) -> None:
    tree.repository("/r", "a.md")
    tree.write("a.md", "b.md")
    scope = tree.scope()
    scan(tree.files, "/r", scope)
    assert tree.git.asked == []
    tree.write(".gitignore", text="?.md\n")
    for _ in range(3):
        assert set(scan(tree.files, "/r", scope).files) == {"a.md"}
    assert tree.git.asked == ["/r"]
    tree.git.track("/r", "b.md")
    tree.files.write("/r/.git/index", "y")
    assert set(scan(tree.files, "/r", scope).files) == {"b.md"}


def test_without_git_ignore_files_still_count_and_the_gap_is_told(tree: Tree) -> None:
    tree.repository("/r", "a.md")
    tree.git.failure = OSError(errno.ENOENT, "git is not installed")
    tree.write("a.md", "b.md")
    tree.write(".gitignore", text="a.md\n")
    listing = tree.listing()
    assert set(listing.files) == {"b.md"}
    assert listing.problems[".git"].kind == "git_unavailable"
    assert "git is not installed" in listing.problems[".git"].message


def test_a_repository_inside_has_rules_of_its_own(tree: Tree) -> None:
    """A submodule or a clone: the rules around it do not reach into it, its own do."""
    tree.repository("/r", "a.md")
    tree.write(".gitignore", text="notes.md\nclone/\n")
    tree.write("a.md", "notes.md", "mod/notes.md", "mod/x.md", "clone/x.md")
    tree.files.write("/r/.git/modules/mod/HEAD", "x")
    tree.files.write("/r/.git/modules/mod/index", "x")
    tree.write("mod/.git", text="gitdir: ../.git/modules/mod\n")
    tree.write("mod/.gitignore", text="x.md\n")
    tree.git.track("/r/mod")
    tree.files.write("/r/clone/.git/HEAD", "x")
    assert tree.paths() == {"a.md", "mod/notes.md"}


def test_a_linked_work_tree_is_pruned_inside_a_root_and_fine_as_one(tree: Tree) -> None:
    tree.repository("/r", "a.md")
    for name in ("HEAD", "index"):
        tree.files.write(f"/r/.git/worktrees/w/{name}", "x")
    tree.files.write("/r/.git/worktrees/w/commondir", "../..\n")
    tree.write("a.md", "w/a.md", "w/sub/b.md", "w/x.log.md")
    tree.write("w/.git", text="gitdir: /r/.git/worktrees/w\n")
    tree.write(".git/info/exclude", text="*.log.md\n")
    listing = scan(tree.files, "/r", tree.scope())
    assert set(listing.files) == {"a.md"}
    assert "w" not in listing.folders
    (reason,) = [each for each in listing.excluded if each.rule == "worktree"]
    assert "another checkout" in reason.sentence
    assert scan_tree(tree.files, "/r", "w/sub", tree.scope()).files == {}
    assert tree.paths("/r/w") == {"a.md", "sub/b.md"}


def test_local_settings_only_narrow(tree: Tree) -> None:
    """X2."""
    tree.write("a.md", "gen/b.md", "node_modules/c.md", "deep/gen/d.md")
    tree.write("big.md", text="x" * 2048)
    tree.write(
        ".mdmem.toml",
        text='exclude = ["gen", "../up", "!node_modules"]\nfile_kib_max = 1\ninclude = ["**"]\nmodel = "x"\n',
    )
    tree.write("deep/.mdmem.toml", text='exclude = ["*"]\n')
    listing = tree.listing()
    assert set(listing.files) == {"a.md"}
    message = listing.problems[".mdmem.toml"].message
    for part in ("'include' means nothing", "'model' means nothing", "'../up' leads out", "'!node_modules'"):
        assert part in message


@pytest.mark.parametrize(
    "text", ["file_kib_max = 0", "file_kib_max = true", "exclude = 5", "exclude = [1]", "= x"]
)
def test_local_settings_that_are_wrong_are_told_and_change_nothing(tree: Tree, text: str) -> None:
    tree.write("a.md")
    tree.write(".mdmem.toml", text=text)
    listing = tree.listing()
    assert set(listing.files) == {"a.md"}
    assert listing.problems[".mdmem.toml"].kind == "local_settings"


def test_ignore_files_that_cannot_be_used_are_told(tree: Tree) -> None:
    tree.write("a.md", "b/b.md", "c/c.md", "d/d.md")
    tree.write(".gitignore", text="x" * (128 * 1024 + 1))
    tree.write("b/.gitignore", text="".join(f"{number}\n" for number in range(2001)))
    tree.write("c/.gitignore", text="c.md")
    tree.files.fail("/r/c/.gitignore", errno.EACCES)
    tree.files.write("/elsewhere", "d.md")
    tree.files.link("/r/d/.gitignore", "/elsewhere")
    listing = tree.listing()
    assert set(listing.files) == {"a.md", "b/b.md", "c/c.md", "d/d.md"}
    told = {path: problem.message for path, problem in listing.problems.items()}
    assert set(told) == {".gitignore", "b/.gitignore", "c/.gitignore"}
    assert "larger than 128 KiB" in told[".gitignore"]


def test_a_listing_tells_what_its_rules_were_read_from(tree: Tree) -> None:
    tree.repository("/r/top")
    tree.files.write("/r/top/.gitignore", "x\n")
    tree.files.write("/r/top/docs/a.md", "x")
    tree.files.write("/r/top/docs/sub/.mdmemignore", "b.md\n")
    listing = scan(tree.files, "/r/top/docs", tree.scope())
    names = ("/r/top/.gitignore", "/r/top/docs/sub/.mdmemignore")
    assert listing.ignore_files == {name: tree.files.fingerprint(name) for name in names}


def test_what_was_taken_away_is_counted_by_reason(tree: Tree) -> None:
    tree.write(
        "a.md", "x/1.md", "y/x/2.md", "d1.md", "d2.md", "d3.md", "d4.md", "node_modules/p/a.md", "t.txt"
    )
    tree.write(".gitignore", text="# drafts\nd?.md\n")
    listing = tree.listing(exclude=["x", "nothing"])
    counted = {
        (each.rule, each.line): (tally.folders, tally.files, len(tally.examples))
        for each, tally in listing.excluded.items()
    }
    assert counted == {("exclude", 0): (2, 0, 2), ("gitignore", 2): (0, 4, 3), ("built_in", 0): (1, 0, 1)}


def test_globs_that_match_nothing_are_named(tree: Tree) -> None:
    """C7."""
    tree.write("docs/a.md", "b.md", "c.txt")
    listing = tree.listing(include=["docs", "a.md,*.txt"], exclude=["b.md", "drafts"])
    assert listing.unused_globs == ("drafts", "a.md,*.txt")
    assert "drafts, a.md,*.txt" in listing.problems[""].message


def test_ignored_names_that_are_no_text_are_no_problem(tree: Tree) -> None:
    tree.files.write("/r/caf\udce9.tmp.md", "x")
    tree.files.write("/r/d\udce9r/x.md", "x")
    tree.write(".gitignore", text="*.tmp.md\nd?r/\n")
    assert scan(tree.files, "/r", tree.scope()).problems == {}
