"""The installed ``git`` behind the ``Repositories`` port.

Invariants: no shell; nothing that a repository configures is run (no fsmonitor, no hooks, no fetching of
missing objects) and nothing is written (no optional locks); a call ends within ``TIMEOUT_SECONDS``. The
caller's ``GIT_*`` variables are not passed on, but for those that say where the user's settings are: a hook
that started the daemon must not point it at another repository. A repository that git refuses to trust, as
one that belongs to somebody else, is not asked any further. Any thread.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Sequence

TIMEOUT_SECONDS = 5.0
"""A local repository answers in milliseconds; a dead network disk never does."""

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.alternateRefsCommand="),
)
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})
_FIXED = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}


class Git:
    """Asks the program ``git``."""

    def __init__(self, *, program: str = "git", timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._program = program
        self._timeout_seconds = timeout_seconds

    def tracked(self, top: str, *, suffixes: Sequence[str]) -> frozenset[str]:
        """The tracked files with these endings; see the port."""
        wanted = [f":(icase,glob)**/*{suffix}" for suffix in suffixes]
        # The work tree is named, so that a checkout marked as bare answers like any other.
        output = self._ask(
            *("-C", top, f"--work-tree={top}", "ls-files", "-z", "--cached", "--", *wanted),
            # What is no repository to git must not be answered for by one around it.
            GIT_CEILING_DIRECTORIES=os.path.dirname(top),
        )
        return frozenset(os.fsdecode(path) for path in output.split(b"\0") if path)

    def user_ignore_file(self) -> str | None:
        """``core.excludesFile`` of the user; see the port."""
        try:
            output = self._ask("config", "--global", "--includes", "-z", "--get", "core.excludesFile")
        except FileNotFoundError:
            return None
        except OSError:
            output = b""  # not set: git ends with a status of 1
        named = os.path.expanduser(os.fsdecode(output.rstrip(b"\0")))
        if os.path.isabs(named):
            return named
        folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        return os.path.join(folder, "git", "ignore")

    def _ask(self, *arguments: str, **environment: str) -> bytes:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in _KEPT}
        command = [self._program, *_SAFE, *arguments]
        try:
            done = subprocess.run(
                command,
                env=kept | _FIXED | environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._timeout_seconds,
                check=False,
            )
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "git is not installed") from error
        except subprocess.TimeoutExpired as error:
            seconds = f"{self._timeout_seconds:g} s"
            raise TimeoutError(errno.ETIMEDOUT, f"git did not answer within {seconds}") from error
        except OSError as error:
            raise OSError(error.errno, f"git cannot be started: {error.strerror}") from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
            raise OSError(errno.EIO, f"git refuses: {said or f'status {done.returncode}'}")
        return done.stdout
