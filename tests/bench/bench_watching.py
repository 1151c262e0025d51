"""What watching costs on this system: ``python tests/bench/bench_watching.py [FOLDERS]`` (default 5,000).

Prints the time to add that many folders and to add them again, the memory that they take, how long catching
up takes, and the processor time for writes that matter and that do not.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mdmemd.adapters.process_memory import rss_bytes
from mdmemd.adapters.watching.system import system_watcher
from mdmemd.ports import Hint, Watcher

WRITES = 20_000
QUESTIONS = 200


def timed(act: Callable[[], object]) -> float:
    """Seconds that ``act`` takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def catch_up(watcher: Watcher) -> None:
    """Wait for all hints."""
    if not watcher.catch_up(timeout_seconds=10):
        raise SystemExit("no events here: nothing to measure")


def report_writes(watcher: Watcher, path: Path, told: list[Hint]) -> None:
    """Append to one open file, and tell what the watcher made of it."""
    with path.open("w") as file:
        catch_up(watcher)
        told.clear()
        before, own = time.process_time(), time.thread_time()
        for _ in range(WRITES):
            file.write("x")
            file.flush()
        own = time.thread_time() - own
        catch_up(watcher)
        theirs = time.process_time() - before - own
    print(f"{WRITES} writes to {path.name}: {1e3 * theirs:.1f} ms of the watcher, {len(told)} hints")


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    told: list[Hint] = []
    with tempfile.TemporaryDirectory() as base:
        root = Path(base, "root")
        names = [str(number) for number in range(count)]
        for name in names:
            (root / name).mkdir(parents=True)
        watcher = system_watcher(f"{base}/private")
        watch = watcher.open(str(root), told.append)
        watch.add("")
        catch_up(watcher)
        memory = rss_bytes()
        first, again = (timed(lambda: [watch.add(name) for name in names]) for _ in range(2))
        print(f"{watch.status()}: added in {1e3 * first:.0f} ms, again in {1e3 * again:.0f} ms,", end=" ")
        print(f"{(rss_bytes() - memory) / 1e6:.1f} MB")
        spent = sorted(timed(lambda: catch_up(watcher)) for _ in range(QUESTIONS))
        middle, late = spent[QUESTIONS // 2], spent[-QUESTIONS // 20]
        print(f"catching up: p50 {1e3 * middle:.2f} ms, p95 {1e3 * late:.2f} ms")
        report_writes(watcher, root / "log.md", told)
        report_writes(watcher, root / "0" / "foo.py", told)
        before = time.process_time()
        threading.Event().wait(5)
        print(f"idle: {(time.process_time() - before) / 5:.3%} of a core")
        print(f"closed in {1e3 * timed(watch.close):.0f} ms")
        watcher.close()


if __name__ == "__main__":
    main()
