"""How many processor cores this process may really use.

The smaller of its affinity mask and its quota: in a container with a quota of two cores on a machine of
sixty-four, sixty-four threads would be stopped most of the time, and the questions with them. Reads the quota
of the process's own control group and of those around it (version 2, ``cpu.max``: quota and period in
microseconds). Any thread.
"""

from __future__ import annotations

import os

CONTROL_GROUPS = "/sys/fs/cgroup"
OWN_GROUP = "/proc/self/cgroup"


def usable_cores(*, groups: str = CONTROL_GROUPS, own_group: str = OWN_GROUP) -> int:
    """At least 1; a quota of one and a half cores counts as two."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _group_folders(groups, own_group):
        limit = _read(f"{folder}/cpu.max").split()
        if len(limit) == 2 and limit[0].isdigit() and limit[1].isdigit() and int(limit[1]):
            cores = min(cores, -(-int(limit[0]) // int(limit[1])))
    return max(1, cores)


def _group_folders(groups: str, own_group: str) -> list[str]:
    """The folder of this process's group and of all groups around it."""
    own = [line.removeprefix("0::") for line in _read(own_group).splitlines() if line.startswith("0::")]
    parts = [part for part in (own[0] if own else "/").split("/") if part not in ("", "..")]
    return ["/".join([groups, *parts[:length]]) for length in range(len(parts) + 1)]


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
