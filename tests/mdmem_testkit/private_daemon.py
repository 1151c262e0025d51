"""A private instance of mdmem for end-to-end tests: the installed commands, real processes, its own folders.

``Instance`` owns one ``MDMEM_HOME``. Whatever a test does, ``close`` ends the daemon of this instance by its
pid and shows its log if the test failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CEILING_SECONDS = 60.0
"""For every wait: generous, because a machine may be slow; nothing waits for time to pass."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)


class Instance:
    """One ``MDMEM_HOME`` and the commands on it."""

    def __init__(self, home: Path, *, python: str = sys.executable) -> None:
        self.home = home
        self.python = python
        self._pids: set[int] = set()

    @property
    def environment(self) -> dict[str, str]:
        """The caller's environment with this instance's home, and no user site or terminal settings in the
        way."""
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("MDMEM", "XDG", "CLAUDE", "NO_COLOR"))
        }
        return kept | {"MDMEM_HOME": str(self.home), "COLUMNS": "100"}

    def spawn(
        self, module: str, *arguments: str, environment: Mapping[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[bytes]:
        """Start ``python -m module`` with pipes."""
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(
            [self.python, "-m", module, *arguments],
            env={**self.environment, **(environment or {})},
            **(pipes | options),
        )

    def ctl(
        self, *arguments: str, environment: Mapping[str, str] | None = None, check: bool = True
    ) -> Result:
        """Run ``mdmemctl`` to its end; with ``check`` a status other than 0 fails the test."""
        process = self.spawn("mdmem", *arguments, environment=environment)
        try:
            out, err = process.communicate(timeout=CEILING_SECONDS)
        finally:
            process.kill()
        result = Result(process.returncode, out.decode(), err.decode())
        if check:
            assert result.code == 0, f"mdmemctl {' '.join(arguments)}: {result}"
        return result

    def json(self, *arguments: str) -> Any:
        """The JSON that a command prints."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        return self.ctl(*arguments[:end], "--json", *arguments[end:]).json

    def pid(self) -> int:
        """The daemon's pid; starts it where there is none."""
        pid: int = self.json("status")["daemon"]["pid"]
        self._pids.add(pid)
        return pid

    @property
    def log(self) -> str:
        """The daemon's log so far."""
        try:
            return (self.home / "log/mdmemd.log").read_text()
        except FileNotFoundError:
            return ""

    def close(self) -> None:
        """End the daemon of this instance, by its own request and else by its pid."""
        lock = self.home / "data/daemon.lock"
        pid = int((lock.read_text().split() or ["0"])[0]) if lock.exists() else 0
        self.ctl("stop", check=False)
        for number in {pid, *self._pids} - {0}:
            if self._is_ours(number):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is a daemon of this very instance, so that a recycled pid is never hit."""
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return f"MDMEM_HOME={self.home}\0".encode() in environment
