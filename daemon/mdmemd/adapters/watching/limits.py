"""What to tell a user whose system allows no more inotify instances or watches.

Reads the present limits from ``/proc/sys/fs/inotify`` (inotify(7)). Any thread.
"""

from __future__ import annotations

INSTANCES = "max_user_instances"
WATCHES = "max_user_watches"

_FOLDER = "/proc/sys/fs/inotify"

_SUGGESTED_MIN = {INSTANCES: 1024, WATCHES: 524_288}
"""What common distributions and editors recommend."""


def instances_reason() -> str:
    """Why nothing can be watched: programs of this user hold all inotify instances."""
    return _reason(INSTANCES, "inotify instances")


def watches_reason() -> str:
    """Why a root cannot be watched: programs of this user hold all inotify watches."""
    return _reason(WATCHES, "inotify watches")


def _reason(name: str, what: str) -> str:
    now = _value(name)
    suggested = max(_SUGGESTED_MIN[name], 2 * (now or 0))
    return (
        f"the limit of {what} is reached (fs.inotify.{name} = {now if now is not None else 'unknown'}); "
        f"raise it with: sudo sysctl fs.inotify.{name}={suggested}"
    )


def _value(name: str) -> int | None:
    try:
        with open(f"{_FOLDER}/{name}", encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
