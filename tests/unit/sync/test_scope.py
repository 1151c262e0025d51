"""Which files belong to a root, by its own rules: built-in, nested roots, globs."""

from __future__ import annotations

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmemd.sync.globs import glob_problem
from mdmemd.sync.path_rules import PathRules
from mdmemd.sync.scope import Scope


def excluded(scope: Scope, path: str) -> str | None:
    files = FakeFiles()
    files.make_folder("/tree")
    found = PathRules(files, "/tree", scope).exclusion(path)
    return found.sentence if found else None


@pytest.mark.parametrize(
    "path", ["a.md", "A.MD", "b/c.markdown", "d.mdx", ".hidden/e.md", ".md", "node_modules.md"]
)
def test_markdown_of_any_case_is_in(path: str) -> None:
    assert excluded(Scope(), path) is None


@pytest.mark.parametrize("path", ["a.txt", "md", "a.md.bak", "a.md~", "b.mdown", ".#a.md~", "#a.md#"])
def test_other_suffixes_are_out(path: str) -> None:
    assert "not Markdown" in (excluded(Scope(), path) or "")


@pytest.mark.parametrize(
    "path", ["node_modules/a.md", "x/.git/a.md", ".venv/lib/a.md", "a/site-packages/b/c.md"]
)
def test_built_in_prunes_at_any_depth(path: str) -> None:
    assert "never indexed" in (excluded(Scope(), path) or "")


def test_a_glob_without_slash_matches_any_component_and_with_slash_is_anchored() -> None:
    scope = Scope(exclude=["drafts", "./build/*/", "*.tmp.md"])
    assert "excluded by drafts" in (excluded(scope, "a/drafts/b.md") or "")
    assert "excluded by ./build/*/" in (excluded(scope, "build/out/b.md") or "")
    assert excluded(scope, "a/build/out/b.md") is None
    assert "excluded by *.tmp.md" in (excluded(scope, "x.tmp.md") or "")
    assert excluded(scope, "Drafts/b.md") is None


@pytest.mark.parametrize(
    ("glob", "path"),
    [("a:b", "a:b/x.md"), (".hidden", ".hidden/x.md"), ("#x", "#x/y.md"), ("caf?.md", "café.md")],
)
def test_globs_are_plain_text(glob: str, path: str) -> None:
    assert excluded(Scope(exclude=[glob]), path) is not None


def test_globs_for_all_roots_exclude_too() -> None:
    assert "config.toml" in (excluded(Scope(exclude_everywhere=["*.tmp.md"]), "a/x.tmp.md") or "")


def test_with_include_globs_only_what_one_matches_is_in() -> None:
    scope = Scope(include=["docs", "/README.md"], exclude=["private"])
    assert excluded(scope, "README.md") is None
    assert excluded(scope, "a/docs/b/c.md") is None
    assert "no include glob" in (excluded(scope, "a/README.md") or "")
    assert "excluded by private" in (excluded(scope, "docs/private/x.md") or "")


@pytest.mark.parametrize("glob", ["", "!x", "[a", "../x", "a/../../b", "a\0", "#" * 1001, "/"])
def test_globs_that_cannot_mean_anything_are_told(glob: str) -> None:
    assert glob_problem(glob) is not None


def test_a_root_inside_a_root_is_not_its_own() -> None:
    scope = Scope(nested=["docs/inner"])
    assert excluded(scope, "docs/inner/a.md") == "a root of its own"
    assert excluded(scope, "docs/innermost/a.md") is None


def test_scopes_with_equal_rules_are_equal() -> None:
    assert Scope(exclude=["a/b"], nested=["c"]) == Scope(exclude=["a/b"], nested=["c"])
    assert Scope(exclude=["a"]) != Scope()
    assert Scope(include=["a"]) != Scope()
    assert Scope(exclude_everywhere=["a"]) != Scope(exclude=["a"])


def test_lock_files_of_an_editor_are_no_documents() -> None:
    assert "lock file" in (excluded(Scope(), "a/.#b.md") or "")
