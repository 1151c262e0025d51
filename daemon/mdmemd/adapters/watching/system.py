"""The watcher of this system: inotify on Linux, FSEvents on macOS, polling where neither can be had.

Called once by ``app``. A failure costs events, never the start of the daemon.
"""

from __future__ import annotations

import errno
import logging
import sys

from mdmemd.adapters.watching.limits import instances_reason
from mdmemd.adapters.watching.polling import PollingOnly
from mdmemd.ports import Watcher

log = logging.getLogger(__name__)


def system_watcher(marker_folder: str) -> Watcher:
    """The best that there is; ``marker_folder`` (absolute) is private to this daemon, made when needed."""
    try:
        # Each of the two can be imported on its own system only.
        if sys.platform == "linux":
            from mdmemd.adapters.watching.inotify_watcher import InotifyWatcher

            return InotifyWatcher(marker_folder)
        if sys.platform == "darwin":
            from mdmemd.adapters.watching.fsevents_watcher import FsEventsWatcher, native_stream

            return FsEventsWatcher(marker_folder, make_stream=native_stream())
        reason = f"there are no events on {sys.platform}"
    except OSError as error:
        reason = instances_reason() if error.errno == errno.EMFILE else f"events failed: {error.strerror}"
    except ImportError as error:
        reason = f"watchdog cannot be used: {error}"
    log.warning("roots are polled: %s", reason)
    return PollingOnly(reason)
