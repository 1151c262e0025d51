"""Many agent sessions at once: ``python tests/bench/bench_sessions.py FOLDER [--sessions N]``.

Three projects, made of the files of FOLDER in turn, and N sessions over them (10), all started together
against a daemon that is not running. Prints when the last has its list of tools and when its first answer,
and the resident memory of all together: one model, N shims.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mdmem_testkit.agent_session import RawShim
from mdmem_testkit.private_daemon import Instance

PROJECTS = 3
QUESTION = {"name": "search_docs", "arguments": {"query": "how is it configured?"}}
MB = 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("docs", type=Path, help="folder of Markdown")
    parser.add_argument("--sessions", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mdmem-bench-") as folder:
        projects = make_projects(options.docs, Path(folder))
        instance = Instance(Path(folder) / "home")
        try:
            measure(instance, projects, sessions=options.sessions)
        finally:
            instance.close()


def make_projects(docs: Path, folder: Path) -> list[Path]:
    """Three folders with a third of the files each."""
    projects = [folder / f"project-{number}" for number in range(PROJECTS)]
    files = [path for path in sorted(docs.rglob("*.md")) if ".git" not in path.parts]
    for number, path in enumerate(files):
        copy = projects[number % PROJECTS] / path.relative_to(docs)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return projects


def measure(instance: Instance, projects: list[Path], *, sessions: int) -> None:
    """Start all sessions, ask each, print."""
    started = time.perf_counter()
    shims = [RawShim(instance, projects[number % PROJECTS]) for number in range(sessions)]
    with ThreadPoolExecutor(sessions) as clients:
        list(clients.map(begin, shims))
        print(f"last of {sessions} sessions has its tools after {time.perf_counter() - started:.2f} s")
        answered = [reply["result"].get("isError", False) for reply in clients.map(ask, shims)]
        print(f"last of {sessions} first answers after {time.perf_counter() - started:.2f} s")
    assert not any(answered)
    shim_mb = [resident_mb(shim.process.pid) for shim in shims]
    daemon_mb = resident_mb(instance.pid())
    print(f"resident: daemon {daemon_mb:.0f} MB, a shim {max(shim_mb):.1f} MB at most")
    print(f"resident in all: {daemon_mb + sum(shim_mb):.0f} MB for {sessions} sessions")
    for shim in shims:
        with shim:
            pass


def begin(shim: RawShim) -> None:
    """As an agent begins."""
    shim.initialize()
    shim.ask(1, "tools/list")


def ask(shim: RawShim) -> dict[str, dict[str, bool]]:
    """The first question of a session, on a project that is not indexed yet."""
    reply: dict[str, dict[str, bool]] = shim.ask(2, "tools/call", **QUESTION)
    return reply


def resident_mb(pid: int) -> float:
    """Resident memory of a process (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024 / MB


if __name__ == "__main__":
    main()
