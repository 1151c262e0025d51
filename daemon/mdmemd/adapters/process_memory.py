"""How much memory this process holds, from the system."""

from __future__ import annotations

import os
import resource
import sys


def rss_bytes() -> int:
    """Resident memory now (Linux), or the highest so far where the system tells only that (macOS)."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
