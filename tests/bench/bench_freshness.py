"""From a finished save to searchable: edit, new file, deleted file, renamed folder; quiet and while indexing.

``python tests/bench/bench_freshness.py [--files 5000] [--backlog 10000]``. Starts a private daemon over
made-up files. "Word" is until the answer to a keyword question shows the change, "vector" until all passages
have theirs too. Then what a question costs in a watched and in a polled root, and the daemon while nothing
happens. Prints a table with targets; judges nothing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmem.link import Client, connect
from mdmem_proto.messages import SearchResult
from mdmem_testkit.private_daemon import Instance

ROUNDS = 20
IDLE_SECONDS = 60.0
SAVED_SECONDS = 40.0
"""After so long a changed index is saved, and the daemon has nothing to do."""

QUESTIONS = 100
MOVED = 100
PASSAGES = 100

numbers = itertools.count()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=5_000, help="in the root that is edited")
    parser.add_argument("--backlog", type=int, default=10_000, help="in the root that is indexed meanwhile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        instance = Instance(Path(folder) / "home")
        os.environ["MDMEM_HOME"] = str(instance.home)
        tree = make_tree(Path(folder) / "tree", options.files)
        try:
            big = make_tree(Path(folder) / "big", options.backlog)
            for name, value, target in measure(instance, tree, big):
                print(f"{name:<66} {value:>24}   {target}", flush=True)
        finally:
            instance.close()


def make_tree(root: Path, count: int) -> Path:
    """Short files in folders of a hundred; what they say differs from root to root."""
    for number in range(count):
        folder = root / f"part{number // 100}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        text = f"# Page {number} of {root.name}\n\nA line about subject {number} of {root.name}.\n"
        (folder / f"{number}.md").write_text(text)
    return root


def measure(instance: Instance, tree: Path, big: Path) -> Iterator[tuple[str, str, str]]:
    """Rows of the table: what, measured, target."""
    with connect() as client:
        client.add_root(str(tree), name="tree")
        client.wait_root("tree")
        yield from changes(client, tree, "quiet", "p95 <= 200 ms")
        yield from questions(instance, client)
        threading.Event().wait(SAVED_SECONDS)
        yield "idle daemon, CPU", f"{idle_percent(instance.pid()):.3f} %", "< 0.1 %"
        client.add_root(str(big), name="big")
        yield from changes(client, tree, "while another root is indexed", "p95 <= 500 ms")
        left = next(root for root in client.list_roots() if root.name == "big")
        yield "  left of that root meanwhile", f"{left.pending_files} files", "more than none"
        client.wait_root("big", until="keyword")
        client.remove_root("big")
        client.add_root(str(big), name="again")
        rows = own_root(client, big)
        yield "edit of a file in the root that is being indexed: word", spread(rows), "p95 <= 500 ms"


def questions(instance: Instance, client: Client) -> Iterator[tuple[str, str, str]]:
    """A question where nothing has changed, by how the root is watched; in turns, as the machine varies."""
    rows: dict[str, list[float]] = {"events": [], "polling": []}
    for _ in range(4):
        for mode, found in rows.items():
            instance.ctl("root", "set", "tree", "--watch", mode)
            client.sync(roots=["tree"])
            for number in range(QUESTIONS // 4):
                started = time.perf_counter()
                client.search(f"subject {number} of tree", roots=["tree"], mode="keyword")
                found.append(1000 * (time.perf_counter() - started))
    instance.ctl("root", "set", "tree", "--watch", "events")
    client.sync(roots=["tree"])
    for mode, found in rows.items():
        yield f"keyword question, {mode}", spread(found, digits=1), ""


def changes(client: Client, tree: Path, when: str, target: str) -> Iterator[tuple[str, str, str]]:
    """Each kind of change, ``ROUNDS`` times (a renamed folder fewer)."""
    path = tree / "edited.md"
    path.write_text(long_text("first"))
    client.sync(roots=["tree"], until="keyword")
    for what, is_all in (("word", False), ("vector", True)):
        rows = [edit(client, path, until_embedded=is_all) for _ in range(ROUNDS)]
        yield f"one-line edit of {PASSAGES} passages, {when}: {what}", spread(rows), target
    yield f"new file, {when}: word", spread([new_file(client, tree) for _ in range(ROUNDS)]), target
    yield f"deleted file, {when}: word", spread([deleted(client, tree) for _ in range(ROUNDS)]), target
    rows = [renamed(client, tree) for _ in range(ROUNDS // 4)]
    yield f"renamed folder of {MOVED} files, {when}: word", spread(rows), target


def long_text(word: str) -> str:
    body = "".join(f"Paragraph number {number} of the file.\n\n" for number in range(PASSAGES - 1))
    return f"# Edited file\n\n{body}The word is {word}.\n"


def edit(client: Client, path: Path, *, until_embedded: bool) -> float:
    word = f"zyx{next(numbers)}edit"
    path.write_text(long_text(word))
    started = time.perf_counter()

    def has_it(answer: SearchResult) -> bool:
        is_found = bool(answer.hits) and answer.hits[0].path == path.name
        return is_found and (not until_embedded or answer.state.embedded == answer.state.passages)

    return wait(client, word, has_it, started)


def new_file(client: Client, tree: Path) -> float:
    number = next(numbers)
    name = f"part1/new{number}.md"
    (tree / name).write_text(f"# New\n\nwvu{number}new\n")
    started = time.perf_counter()
    return wait(client, f"wvu{number}new", lambda answer: paths(answer) == [name], started)


def deleted(client: Client, tree: Path) -> float:
    number = next(numbers)
    name = f"part2/gone{number}.md"
    (tree / name).write_text(f"# Gone\n\ntsr{number}gone\n")
    wait(client, f"tsr{number}gone", lambda answer: paths(answer) == [name], 0.0)
    (tree / name).unlink()
    started = time.perf_counter()
    return wait(client, f"tsr{number}gone", lambda answer: not answer.hits and answer.state.fresh, started)


def renamed(client: Client, tree: Path) -> float:
    number = next(numbers)
    old, new = min(tree.glob("part3*")), tree / f"part3moved{number}"
    old.rename(new)
    started = time.perf_counter()

    def is_moved(answer: SearchResult) -> bool:
        root = next(root for root in client.list_roots() if root.name == "tree")
        return bool(answer.hits) and not root.pending_files and answer.hits[0].path.startswith(f"{new.name}/")

    stem = min(int(path.stem) for path in new.iterdir())
    return wait(client, f'"subject {stem} of tree"', is_moved, started)


def own_root(client: Client, big: Path) -> list[float]:
    """While its first index runs, as long as that takes."""
    path = big / "edited.md"
    found: list[float] = []
    while len(found) < ROUNDS:
        root = next(root for root in client.list_roots() if root.name == "again")
        if found and not root.pending_files:
            break
        word = f"qpo{next(numbers)}own"
        path.write_text(f"# Own\n\n{word}\n")
        started = time.perf_counter()
        found.append(wait(client, word, lambda answer: bool(answer.hits), started, root="again"))
    return found


def wait(
    client: Client,
    question: str,
    is_there: Callable[[SearchResult], bool],
    started: float,
    *,
    root: str = "tree",
) -> float:
    """Milliseconds until the answer is as it should be."""
    while not is_there(client.search(question, roots=[root], mode="keyword")):
        pass
    return 1000 * (time.perf_counter() - started)


def paths(answer: SearchResult) -> list[str]:
    return [hit.path for hit in answer.hits]


def idle_percent(pid: int) -> float:
    """CPU of a process that nobody asks anything, in percent of one core (Linux)."""
    before = cpu_seconds(pid)
    threading.Event().wait(IDLE_SECONDS)
    return 100 * (cpu_seconds(pid) - before) / IDLE_SECONDS


def cpu_seconds(pid: int) -> float:
    """User and system time so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(milliseconds: list[float], *, digits: int = 0) -> str:
    """Median and 95th percentile."""
    ordered = sorted(milliseconds)
    middle, high = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    return f"p50 {middle:.{digits}f}, p95 {high:.{digits}f} ms"


if __name__ == "__main__":
    main()
