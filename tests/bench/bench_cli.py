"""What one ``mdmemctl search`` costs as a whole process, with the daemon of this environment up.

    python tests/bench/bench_cli.py [--runs 20] [--budget-ms 150] [QUERY]

Prints wall and processor time of the client's process (milliseconds) for a bare interpreter, ``version`` and
``search``; ends with 1 where the median of ``search`` is over the budget. The processor time does not depend
on what else the machine does.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one process."""

    wall: float
    processor: float


def run_once(command: list[str]) -> Cost:
    """Run to the end; the output is thrown away, a failure ends the benchmark."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(1000 * wall, 1000 * processor)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("query", nargs="?", default="how to install")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget-ms", type=float, default=150.0)
    options = parser.parse_args()
    ctl = [sys.executable, "-m", "mdmem"]
    commands = {
        "bare interpreter": [sys.executable, "-c", "pass"],
        "mdmemctl version": [*ctl, "version"],
        "mdmemctl search": [*ctl, "search", options.query],
    }
    subprocess.run([*ctl, "start", "-q"], check=True)
    median = 0.0
    print(f"{'':18} wall: min  median     max   processor: median")
    for name, command in commands.items():
        costs = [run_once(command) for _ in range(options.runs)]
        walls = [cost.wall for cost in costs]
        median = statistics.median(walls)
        processor = statistics.median(cost.processor for cost in costs)
        print(f"{name:18} {min(walls):9.1f} {median:7.1f} {max(walls):7.1f} {processor:19.1f}")
    return int(median > options.budget_ms)


if __name__ == "__main__":
    sys.exit(main())
