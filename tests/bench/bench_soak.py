"""Months of use in minutes: ``python tests/bench/bench_soak.py --edits 10000 --questions 10000``.

A private daemon over a synthetic root; edits (changed, new, deleted and renamed files) and questions take
turns, each question about the edit before it, so that none is answered from before. Prints, ten times on the
way, what may grow: resident memory, open files, threads, child processes, bytes on disk; and at the end the
growth from the second tenth on, after the first has filled what fills once.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import astuple, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmem.errors import MdmemError
from mdmem.link import Client, connect
from mdmem_testkit.private_daemon import Instance

FILES = 300
WORDS = [f"word{number}" for number in range(2_000)]
SAMPLES = 10


@dataclass(frozen=True, slots=True)
class Level:
    """What may grow, at one moment."""

    rss_mb: float
    files: int
    threads: int
    children: int
    cache_mb: float

    @classmethod
    def of(cls, pid: int, home: Path) -> Level:
        """Of a process, from the system."""
        process = Path(f"/proc/{pid}")
        pages = int((process / "statm").read_text().split()[1])
        sizes = [path.stat().st_size for path in (home / "cache").rglob("*") if path.is_file()]
        return cls(
            rss_mb=pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
            files=len(os.listdir(process / "fd")),
            threads=len(os.listdir(process / "task")),
            children=len((process / f"task/{pid}/children").read_text().split()),
            cache_mb=sum(sizes) / 1e6,
        )


def text(choose: random.Random, mark: str) -> str:
    """A file of three sections."""
    sections = (f"## {choose.choice(WORDS)}\n\n{' '.join(choose.choices(WORDS, k=30))}\n" for _ in range(3))
    return f"# {mark}\n\n{mark} here.\n\n" + "\n".join(sections)


def edit(choose: random.Random, tree: Path, number: int) -> str:
    """One edit; returns the word that only its file holds."""
    mark = f"mark{number}x"
    path = tree / f"{choose.randrange(FILES)}.md"
    kind = choose.random()
    if kind < 0.1:
        path.unlink(missing_ok=True)
        path = tree / f"{choose.randrange(FILES)}.md"
    elif kind < 0.2 and path.exists():
        path.rename(tree / f"renamed-{choose.randrange(20)}.md")
    path.write_text(text(choose, mark))
    return mark


def ask(client: Client, mark: str) -> str:
    """Whether the newest edit is found: ``found``, ``late`` (and the answer says so) or ``lost``."""
    answer = client.search(mark, limit=3)
    if any(hit.heading_path[:1] == (mark,) for hit in answer.hits):
        return "found"
    return "lost" if answer.state.fresh else "late"


def soak(instance: Instance, tree: Path, *, edits: int, questions: int) -> None:
    """Run and print."""
    choose = random.Random(1)
    for number in range(FILES):
        (tree / f"{number}.md").write_text(text(choose, f"start{number}"))
    with connect() as client:
        client.add_root(str(tree), name="docs")
        client.wait_root("docs")
    pid = instance.pid()
    levels: list[Level] = []
    outcomes: Counter[str] = Counter()
    asked = 0
    started = time.monotonic()
    print("edits questions |  rss MB  files threads children  cache MB", flush=True)
    with connect() as client:
        for number in range(edits):
            mark = edit(choose, tree, number)
            while asked * edits < (number + 1) * questions:
                asked += 1
                try:
                    outcomes[ask(client, mark)] += 1
                except MdmemError as error:
                    print(f"question {asked}: {error}", flush=True)
            if (number + 1) % max(1, edits // SAMPLES) == 0:
                levels.append(Level.of(pid, instance.home))
                values = " ".join(f"{value:8.1f}" for value in astuple(levels[-1]))
                print(f"{number + 1:5} {asked:9} | {values}", flush=True)
        status = client.status()
    seconds = time.monotonic() - started
    print(f"{edits} edits and {asked} questions in {seconds:.0f} s; the last edit: {dict(outcomes)}")
    first, last = astuple(levels[1 if len(levels) > 1 else 0]), astuple(levels[-1])
    growth = (f"{end - begin:+.1f}" for begin, end in zip(first, last, strict=True))
    print(f"growth since the second sample: {' '.join(growth)}")
    print(f"messages: {list(status.messages)}; model computed {status.model.computed}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edits", type=int, default=1_000)
    parser.add_argument("--questions", type=int, default=1_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mdmem-soak-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        instance = Instance(Path(folder) / "home")
        os.environ["MDMEM_HOME"] = str(instance.home)
        try:
            soak(instance, tree, edits=arguments.edits, questions=arguments.questions)
        finally:
            instance.close()


if __name__ == "__main__":
    main()
