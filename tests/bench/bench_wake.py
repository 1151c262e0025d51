"""What a sleeping root costs and what waking it takes: ``python tests/bench/bench_wake.py FOLDER``.

A private daemon that puts unused roots to sleep after a minute. Prints its resident memory with the root in
memory and asleep, and the time of the first question after that, beside the same question asked again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmem.link import Client, connect
from mdmem_testkit.private_daemon import Instance

ROUNDS = 3
POLL_SECONDS = 2.0


def rss_mb(client: Client) -> float:
    """Resident memory of the daemon."""
    return client.status().daemon.rss_bytes / 1e6


def ask(client: Client, question: str) -> tuple[float, str]:
    """Milliseconds of a question, and what its answer says of itself."""
    started = time.perf_counter()
    answer = client.search(question)
    milliseconds = 1000 * (time.perf_counter() - started)
    state = answer.state
    return milliseconds, f"{state.mode}, {state.coverage}, fresh {state.fresh} {state.outstanding or ''}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("docs", type=Path, help="folder of Markdown")
    docs = parser.parse_args().docs
    with tempfile.TemporaryDirectory(prefix="mdmem-wake-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(docs, tree, ignore=shutil.ignore_patterns(".git", ".venv", "node_modules"))
        instance = Instance(Path(folder) / "home")
        (instance.home / "config").mkdir(parents=True)
        (instance.home / "config/config.toml").write_text("[roots]\nhibernate_after_minutes = 1\n")
        os.environ["MDMEM_HOME"] = str(instance.home)
        try:
            with connect() as client:
                client.add_root(str(tree), name="docs")
                root = client.wait_root("docs")
                print(f"{root.documents} documents, {root.passages} passages", flush=True)
                measure(client)
        finally:
            instance.close()


def measure(client: Client) -> None:
    """Let the root sleep and wake a few times."""
    pause = threading.Event()
    for _ in range(ROUNDS):
        awake_mb = rss_mb(client)
        while client.list_roots()[0].state != "asleep":
            pause.wait(POLL_SECONDS)
        pause.wait(POLL_SECONDS)
        asleep_mb = rss_mb(client)
        first, said = ask(client, "how do I roll back a release")
        again, _ = ask(client, "how do I roll back a release now")
        print(f"awake {awake_mb:.0f} MB, asleep {asleep_mb:.0f} MB; first question {first:.0f} ms ({said}),")
        print(f"  another one {again:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
