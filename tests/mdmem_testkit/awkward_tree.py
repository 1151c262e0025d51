"""A folder of everything that a file system may hold and an indexer may stumble over, made on the spot.

Pipes, loops and names that are no text survive neither copying nor git, so they are made by ``make``;
``INDEXED`` says which files are documents wherever the tests run.
"""

from __future__ import annotations

import contextlib
import os
import unicodedata
from pathlib import Path

COMPOSED = unicodedata.normalize("NFC", "é-name.md")
DECOMPOSED = unicodedata.normalize("NFD", "é-name.md")

PLAIN = (
    "plain.md",
    "hard.md",
    "upper.MD",
    "page.markdown",
    "page.mdx",
    "folder.md/inside.md",
    "loop/inside.md",
    ".hidden/h.md",
    "a b.md",
    "a_b.md",
    "a-b.md",
    "quote'\".md",
    "per%20cent.md",
    "#hash.md",
    "-dash.md",
    "[id].md",
    "*star.md",
    "back\\slash.md",
    "new\nline.md",
    "日本語.md",
    "future.md",
    "epoch.md",
    "/".join(["deep"] * 60) + "/leaf.md",
)
"""Files that are indexed on every system."""

OTHERS = ("text.txt", "noext", "page.md~", "page.md.bak", "#autosave.md#", ".page.md.swp", ".#lock.md")
"""Files that are no documents."""


def text_of(name: str) -> str:
    """The content of a file: a heading, and a word that no other file has."""
    return f"# File\n\nneedle{name.encode().hex()}\n"


def make(folder: Path) -> set[str]:
    """Make the tree in a folder that is not there yet; returns the paths that must be indexed."""
    expected = set(PLAIN)
    for name in (*PLAIN, *OTHERS, "node_modules/pkg/README.md", ".git/description.md"):
        _write(folder / name, text_of(name))
    (folder / "hard.md").unlink()
    os.link(folder / "plain.md", folder / "hard.md")
    os.utime(folder / "future.md", (4_102_444_800, 4_102_444_800))
    os.utime(folder / "epoch.md", (0, 0))
    expected |= _twins(folder, "Readme.md", "README.md") | _twins(folder, COMPOSED, DECOMPOSED)
    _make_links(folder)
    os.mkfifo(folder / "pipe.md")
    with open(folder / "sparse.md", "wb") as file:
        file.truncate(200 * 2**20)
    if os.geteuid() != 0:
        _write(folder / "locked.md", "x")
        _write(folder / "locked/inside.md", "x")
        (folder / "locked.md").chmod(0)
        (folder / "locked").chmod(0)
    with contextlib.suppress(OSError):  # macOS has no such names
        _write(Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff\xfe.md")), "x")
    return expected


def clean(folder: Path) -> None:
    """Let everything be removed again."""
    for name in ("locked", "locked.md"):
        if (folder / name).exists():
            (folder / name).chmod(0o700)


def _twins(folder: Path, first: str, second: str) -> set[str]:
    """Two names that only some file systems tell apart."""
    _write(folder / first, text_of(first))
    if (folder / second).exists():
        return {first}
    _write(folder / second, text_of(second))
    return {first, second}


def _make_links(folder: Path) -> None:
    outside = folder.parent / f"{folder.name}-outside"
    _write(outside / "secret.md", "# Outside\n\nneedleoutside\n")
    for name, target in {
        "alias.md": "plain.md",
        "self": ".",
        "loop/up": "..",
        "dangling.md": "nothing.md",
        "circle.md": "circle.md",
        "outside.md": str(outside / "secret.md"),
        "outside": str(outside),
    }.items():
        (folder / name).symlink_to(target)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
