"""Keyword questions over RPC to a large root, with each kind of filter.

``python tests/bench/bench_questions.py [--sections 100000] [--rounds 3]``. Starts a private daemon that has
no model, over the files of a synthetic tree. The kinds take turns with each question, as the machine varies;
one question of each kind is not counted. Prints a table; judges nothing.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from synthetic_tree import SyntheticTree

from mdmem.link import connect
from mdmem_proto.messages import Filter
from mdmem_testkit.private_daemon import Instance
from mdmemd.model import IndexedFile

SECTIONS = 100_000
SMALL_SECTIONS = 1_000
"""Of the other root, which is searched too where no root is named."""

QUESTIONS = 100
QUESTION_WORDS = 4
STOP_RANKS = 100
HUB = 100
"""Files that link to the same one."""

FIRST_DAY = dt.date(2010, 1, 1)
INDEXING_SECONDS = 3_600.0

KINDS: dict[str, tuple[tuple[str, ...], Filter | None]] = {
    "all roots": ((), None),
    "one root": (("large",), None),
    "path, 1 in 97": (("large",), Filter(paths=("dir5",))),
    "glob, 1 in 10": (("large",), Filter(paths=("file*7.md",))),
    "tag, 1 in 100": (("large",), Filter(tags=("tag7",))),
    "tag of one document": (("large",), Filter(tags=("rare",))),
    "property, 1 in 3": (("large",), Filter(properties=("status=done",))),
    "since, most": (("large",), Filter(since="2012-01-01")),
    "links to": (("large",), Filter(links_to="dir0/file0.md")),
    "linked from": (("large",), Filter(linked_from="dir1/file1.md")),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", type=int, default=SECTIONS)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for name, value, target in rows(options.sections, rounds=options.rounds):
        print(f"{name:<58} {value:>26}   {target}", flush=True)


def rows(sections: int = SECTIONS, *, rounds: int = 1) -> Iterator[tuple[str, str, str]]:
    """Rows of the table: what, measured, target."""
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        instance = Instance(Path(folder) / "home")
        without_model(instance)
        kept = os.environ.get("MDMEM_HOME")
        os.environ["MDMEM_HOME"] = str(instance.home)
        try:
            for name, count in (("large", sections), ("small", SMALL_SECTIONS)):
                write_tree(Path(folder) / name, count)
            yield from measure(Path(folder), rounds)
        finally:
            instance.close()
            if kept is not None:
                os.environ["MDMEM_HOME"] = kept


def without_model(instance: Instance) -> None:
    """Choose a model that is not there, so that nothing is embedded beside the questions."""
    (instance.home / "data").mkdir(mode=0o700, parents=True)
    choice = {"format": 1, "name": str(instance.home / "nowhere"), "fingerprint": "none", "dimensions": 384}
    (instance.home / "data/model.json").write_text(json.dumps(choice))


def write_tree(root: Path, sections: int) -> None:
    """The files of a synthetic tree as Markdown."""
    for files in SyntheticTree().batches(sections=sections):
        for file in files:
            path = root / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(markdown(file))


def markdown(file: IndexedFile) -> str:
    """One file with its front matter, a date and a link."""
    properties, tags = file.document.properties, ", ".join(file.document.tags)
    assert properties is not None
    number = int(properties["number"])
    date = FIRST_DAY + dt.timedelta(days=number)
    hub = number // HUB * HUB
    head = f"---\nstatus: {properties['status']}\ndate: {date}\ntags: [{tags}]\n---\n"
    link = f"See [the first](/dir{hub % 97}/file{hub}.md)."
    texts = (section.text for section in file.document.sections)
    return "\n\n".join([f"{head}# {file.document.title}", link, *texts]) + "\n"


def measure(folder: Path, rounds: int) -> Iterator[tuple[str, str, str]]:
    """Register both roots, ask, and give a row a kind."""
    words, random = SyntheticTree(), np.random.default_rng(1)
    texts = [" ".join(words.words(random, QUESTION_WORDS, above_rank=STOP_RANKS)) for _ in range(QUESTIONS)]
    with connect(timeout_seconds=INDEXING_SECONDS) as client:
        for name in ("large", "small"):
            client.add_root(str(folder / name), name=name)
            root = client.wait_root(name, until="keyword")
            yield f"root {name!r}", f"{root.sections:,} sections", ""
        found: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for number, text in enumerate([texts[0], *(texts * rounds)]):
            for kind, (names, where) in KINDS.items():
                started = time.perf_counter()
                client.search(text, mode="keyword", roots=names, where=where)
                if number:
                    found[kind].append(1000 * (time.perf_counter() - started))
    for kind, milliseconds in found.items():
        p95 = np.quantile(milliseconds, 0.95)
        value = f"p50 {statistics.median(milliseconds):.1f}, p95 {p95:.1f} ms"
        yield f"keyword question over RPC, {kind}", value, "p50 <= 3 ms at 100k sections"


if __name__ == "__main__":
    main()
