"""Random trees with random ignore files: a walk keeps exactly what git does not ignore."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmemd.adapters.git import Git
from mdmemd.adapters.posix_files import PosixFiles
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.scan import scan
from mdmemd.sync.scope import SUFFIXES, Scope

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FOLDERS = ("a", "b", "ab", "a b", "é", "#a", "!b")
FILES = ("a.md", "b.md", "ab.md", "A.md", "é.md", "a b.md", "#a.md", "!b.md", "[a].md", "a*.md", "c.markdown")
PIECES = (
    *("a", "b", "ab", ".md", ".", "/", "/", "/", "*", "*", "**", "***", "?", "[ab]", "[!a]", "[^b]", "[a-c]"),
    *(
        "[]a]",
        "[c-a]",
        "[[:alpha:]]",
        "[[:nope:]]",
        "[a",
        "[",
        "]",
        "-",
        "\\",
        "\\*",
        "\\ ",
        "\\\\",
        " ",
        "#",
        "!",
        "é",
    ),
)

folder = st.lists(st.sampled_from(FOLDERS), max_size=3).map("/".join)
document = st.tuples(folder, st.sampled_from(FILES)).map(lambda pair: "/".join(filter(None, pair)))
random_line = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
likely_line = st.sampled_from(
    [
        "*",
        "!a/",
        "!a/**",
        "*.md",
        "!a.md",
        "/a",
        "a/",
        "**/b",
        "a/**/b.md",
        "a/*",
        "!*/",
        "/*",
        "ab.*",
        "é",
        "a**/b",
    ]
)
lines = st.lists(st.one_of(random_line, likely_line, likely_line.map("!".__add__)), max_size=5)
ignore_files = st.dictionaries(folder, lines, max_size=4)


def run(tree: Path, *arguments: str, text: str = "") -> list[str]:
    command = ["git", "-C", str(tree), *arguments]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [name.decode() for name in done.stdout.split(b"\0") if name]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    documents=st.sets(document, min_size=1, max_size=12),
    ignoring=ignore_files,
    exclude=lines,
    tracked=st.sets(st.integers(0, 11), max_size=2),
)
def test_a_walk_keeps_what_git_does_not_ignore(
    documents: set[str], ignoring: dict[str, list[str]], exclude: list[str], tracked: set[int]
) -> None:
    with tempfile.TemporaryDirectory(prefix="mdmem-git-") as place:
        tree = Path(place)
        run(tree, "init", "-q", ".")
        for name in documents:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("x")
        for inside, text in ignoring.items():
            if (tree / inside).is_dir():
                (tree / inside / ".gitignore").write_bytes("\n".join(text).encode())
        (tree / ".git/info/exclude").write_bytes("\r\n".join(exclude).encode())
        ordered = sorted(documents)
        added = [ordered[number] for number in tracked if number < len(ordered)]
        if added:
            run(tree, "add", "--force", "--", *(f":(literal){name}" for name in added))
        # Without the index: there a name like ``[a].md`` is taken for the pattern of a tracked ``a.md``.
        ignored = run(tree, "check-ignore", "--no-index", "-z", "--stdin", text="\0".join(ordered))
        found = scan(PosixFiles(), place, Scope(git=GitKnowledge(Git(), PosixFiles(), suffixes=SUFFIXES)))
        assert set(found.files) == documents - (set(ignored) - set(added))
        assert found.problems == {}
