"""What a walk costs: ``python tests/bench/bench_scan.py``.

Makes 40,000 Markdown files in 2,000 folders, plain and as a git repository with ignore files as repositories
have them (60 patterns at the top, a small file in every 20th folder, an ignored folder of 4,000 files more),
and prints the processor time of the first and of the best of several walks; judges nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmemd.adapters.git import Git
from mdmemd.adapters.posix_files import PosixFiles
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.scan import scan
from mdmemd.sync.scope import SUFFIXES, Scope

FOLDERS = 2000
FILES = 20
WALKS = 5


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as place:
        for number in range(FOLDERS):
            folder = Path(place, f"area-{number // 100}", f"part-{number}")
            folder.mkdir(parents=True)
            for file in range(FILES):
                (folder / f"page-{file}.md").write_text("x")
        measure("plain", place)
        if shutil.which("git"):
            make_repository(Path(place))
            measure("repository", place)


def make_repository(tree: Path) -> None:
    """Ignore files and one ignored folder."""
    patterns = [
        f"*.{ending}" for ending in ("pyc", "o", "so", "log", "tmp", "swp", "class", "jar", "bak", "orig")
    ]
    patterns += [f"{name}/" for name in ("build", "dist", "target", "out", "coverage", "bin", "obj", ".idea")]
    patterns += [f"/generated-{number}" for number in range(20)] + [
        f"cache-{number}.*" for number in range(20)
    ]
    (tree / ".gitignore").write_text("\n".join([*patterns, "docs/**/draft-*.md", "!keep.md"]))
    for number in range(0, FOLDERS, 20):
        (tree / f"area-{number // 100}" / f"part-{number}" / ".gitignore").write_text(
            "*.local\nscratch-*.md\n"
        )
    for number in range(4000):
        folder = tree / "build" / f"part-{number // 20}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"page-{number}.md").write_text("x")
    subprocess.run(["git", "-C", str(tree), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(tree), "add", "area-1"], check=True, capture_output=True)


def measure(name: str, place: str) -> None:
    """Walk several times and print the best."""
    scope = Scope(git=GitKnowledge(Git(), PosixFiles(), suffixes=SUFFIXES))
    seconds = []
    for _ in range(WALKS):
        started = time.process_time()
        listing = scan(PosixFiles(), place, scope)
        seconds.append(time.process_time() - started)
    first, best = 1000 * seconds[0], 1000 * min(seconds)
    print(f"{name:<12} {len(listing.files)} files, first {first:.0f} ms, best {best:.0f} ms")


if __name__ == "__main__":
    main()
