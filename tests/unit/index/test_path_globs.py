"""Globs over paths: what they fit, and that no glob makes any path slow."""

from __future__ import annotations

import time

import pytest

from mdmemd.index.path_globs import compile_glob, is_glob, literal_folder

CEILING_SECONDS = 5.0


@pytest.mark.parametrize(
    ("glob", "fits", "fits_not"),
    [
        ("*.md", ["a.md", "docs/a.md"], ["a.mdx", "a.md5"]),
        ("api*", ["api.md", "docs/api-v2.md", "docs/apis/x.md"], ["rapid.md"]),
        ("/api*", ["api.md", "apis/x.md"], ["docs/api.md"]),
        ("docs/*", ["docs/a.md", "docs/sub/a.md"], ["docs.md", "old/docs/a.md"]),
        ("docs/*/a.md", ["docs/x/a.md"], ["docs/a.md", "docs/x/y/a.md"]),
        ("docs/**/a.md", ["docs/a.md", "docs/x/a.md", "docs/x/y/a.md"], ["a.md", "docs/ba.md"]),
        ("**/sub/**", ["sub/a.md", "x/sub/y/a.md"], ["sub.md", "x/subs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/x/a.md"], ["docs"]),
        ("**", ["a.md", "x/y.md"], []),
        ("a?b.md", ["a_b.md", "aéb.md"], ["ab.md", "a/b.md"]),
        ("[ab]*/x.md", ["a/x.md", "bcd/x.md"], ["c/x.md"]),
        ("x[!0-9].md", ["xa.md"], ["x1.md", "x/.md"]),
        ("[z-a].md", ["[z-a].md"], ["z.md"]),
        ("[*].md", ["*.md"], ["a.md"]),
        ("a**b.md", ["axxb.md", "ab.md"], ["a/b.md"]),
        ("a*b*c*d.md", ["abcd.md", "aXbXcXbXd.md"], ["acbd.md"]),
        ("*ab", ["aab", "abab"], ["aba"]),
        ("**/a/**/b.md", ["a/b.md", "x/a/y/a/b.md"], ["b.md", "xa/b.md"]),
        ("a+(b).md*", ["a+(b).md"], ["aab.md"]),
        ("a\nb*", ["a\nb.md"], ["b.md"]),
    ],
)
def test_what_a_glob_fits(glob: str, fits: list[str], fits_not: list[str]) -> None:
    fullmatch = compile_glob(glob).fullmatch
    assert [path for path in (*fits, *fits_not) if fullmatch(path)] == fits


def test_what_stands_for_itself_is_no_glob_s11() -> None:
    assert not any(map(is_glob, ("a_b.md", "100%.md", "a[.md", "a].md", "x+y{a,b}(c).md")))
    assert all(map(is_glob, ("a*", "?", "[ab].md", "a/**")))


@pytest.mark.parametrize(
    ("glob", "folder"),
    [
        ("docs/sub/*.md", "docs/sub"),
        ("docs/*/x.md", "docs"),
        ("*.md", ""),
        ("docs/**", "docs"),
        ("/a/b*", "a"),
    ],
)
def test_only_the_paths_of_its_folder_are_looked_at(glob: str, folder: str) -> None:
    assert literal_folder(glob) == folder


@pytest.mark.parametrize("glob", ["*a" * 60 + "b", "**/a*/" * 40 + "b", "a?*" * 60 + "b", "**/" * 200 + "b"])
def test_no_glob_tries_everything(glob: str) -> None:
    started = time.monotonic()
    assert not compile_glob(glob).fullmatch("a" * 4_000 + "c")
    assert not compile_glob(glob).fullmatch("a/" * 2_000 + "c")
    assert time.monotonic() - started < CEILING_SECONDS
