"""Which names of files are worth a hint when something happens to them, for every kind of watcher.

A coarse filter before any rule of a root is asked: a build that writes thousands of other files costs a
look at each name and nothing else. Folders always matter and are not asked about here. Pure; the watcher's
thread.
"""

from __future__ import annotations

from mdmemd.sync.rule_reading import RULE_FILES
from mdmemd.sync.scope import SUFFIXES


def name_matters(name: str) -> bool:
    """Whether a change of a file with this name (no folders) can change what is indexed."""
    return name in RULE_FILES or name.lower().endswith(SUFFIXES)
