"""Which files belong to a root."""

from __future__ import annotations

import pytest

from mdmemd.sync.scope import Scope


@pytest.mark.parametrize(
    "path", ["a.md", "A.MD", "b/c.markdown", "d.mdx", ".hidden/e.md", ".md", "node_modules.md"]
)
def test_markdown_of_any_case_is_in(path: str) -> None:
    assert Scope().excluded(path) is None


@pytest.mark.parametrize("path", ["a.txt", "md", "a.md.bak", "a.md~", "b.mdown"])
def test_other_suffixes_are_out(path: str) -> None:
    assert Scope().excluded(path) == "not Markdown"


@pytest.mark.parametrize(
    "path", ["node_modules/a.md", "x/.git/a.md", ".venv/lib/a.md", "a/site-packages/b/c.md"]
)
def test_built_in_prunes_at_any_depth(path: str) -> None:
    assert "never indexed" in (Scope().excluded(path) or "")


def test_a_glob_without_slash_matches_any_component_and_with_slash_is_anchored() -> None:
    scope = Scope(exclude=["drafts", "./build/*/", "*.tmp.md"])
    assert scope.excluded("a/drafts/b.md") == "excluded by drafts"
    assert scope.excluded("build/out/b.md") == "excluded by build/*"
    assert scope.excluded("a/build/out/b.md") is None
    assert scope.excluded("x.tmp.md") == "excluded by *.tmp.md"
    assert scope.excluded("Drafts/b.md") is None


def test_a_root_inside_a_root_is_not_its_own() -> None:
    scope = Scope(nested=["docs/inner"])
    assert scope.excluded("docs/inner/a.md") == "a root of its own"
    assert scope.excluded("docs/innermost/a.md") is None


def test_scopes_with_equal_rules_are_equal() -> None:
    assert Scope(exclude=["a/b"], nested=["c"]) == Scope(exclude=["./a/b/"], nested=["c"])
    assert Scope(exclude=["a"]) != Scope()
