"""A stand-in for the program ``python -m mdmemd``, to test how clients start the daemon and what they say.

``environment`` gives an environment in which ``mdmemd`` is this module, behaving as told. Each start appends
a line to ``starts`` in the instance's home, so a test counts processes.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mdmem_proto.endpoint import Endpoint, resolve

BEHAVIOUR_VARIABLE = "TEST_FAKE_MDMEMD"


def environment(home: Path, behaviour: str) -> dict[str, str]:
    """An environment whose daemon is a fake. ``behaviour`` is one of ``BEHAVIOURS``."""
    assert behaviour in BEHAVIOURS
    package = home / "fake/mdmemd"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("from mdmem_testkit.fake_mdmemd import main\nmain()\n")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MDMEM", "XDG"))}
    return kept | {
        "MDMEM_HOME": str(home),
        "PYTHONPATH": os.pathsep.join([str(home / "fake"), *(os.path.abspath(path) for path in sys.path)]),
        BEHAVIOUR_VARIABLE: behaviour,
    }


def starts(home: Path) -> int:
    """How many fakes have been started for this instance."""
    path = home / "starts"
    return len(path.read_text().splitlines()) if path.exists() else 0


def report(line: str) -> None:
    """Write to the descriptor of ``--ready-fd`` and close it."""
    ready_fd = int(sys.argv[sys.argv.index("--ready-fd") + 1])
    os.write(ready_fd, line.encode())
    os.close(ready_fd)


def serve(endpoint: Endpoint) -> None:
    """Be a daemon until a client says stop; where another one runs already, say so as the real one does."""
    from mdmem_testkit.fake_daemon import CEILING_SECONDS, FakeDaemon

    os.makedirs(endpoint.data_folder, exist_ok=True)
    with open(endpoint.lock_path, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say_already_running(endpoint)
            return
        if os.path.exists(endpoint.socket_path):
            os.unlink(endpoint.socket_path)
        with FakeDaemon(endpoint.socket_path, {}) as daemon:
            report(json.dumps({"ready": True, "socket": endpoint.socket_path, "pid": os.getpid()}) + "\n")
            daemon.stopped.wait(CEILING_SECONDS)


def say_already_running(_endpoint: Endpoint) -> None:
    report('{"ready": false, "reason": "It runs.", "remedy": "Use it.", "kind": "already_running"}\n')


def fail(_endpoint: Endpoint) -> None:
    report('{"ready": false, "reason": "The disk is full.", "remedy": "Free some.", "kind": "failed"}\n')


def die(_endpoint: Endpoint) -> None:
    print("a library is missing", file=sys.stderr)
    sys.exit(7)


def say_nonsense(_endpoint: Endpoint) -> None:
    report("hello\n")


def hold(endpoint: Endpoint) -> None:
    """Say nothing until the test opens and closes the pipe ``hold``."""
    with open(f"{os.environ['MDMEM_HOME']}/hold", "rb") as pipe:
        pipe.read()


BEHAVIOURS: dict[str, Callable[[Endpoint], None]] = {
    "serve": serve,
    "already_running": say_already_running,
    "fail": fail,
    "die": die,
    "nonsense": say_nonsense,
    "hold": hold,
}


def main() -> None:
    """Be the program."""
    with open(f"{os.environ['MDMEM_HOME']}/starts", "a") as file:
        file.write(f"{os.getpid()} {time.monotonic()}\n")
    endpoint = resolve(os.environ, platform=sys.platform, uid=os.getuid(), home="/")
    BEHAVIOURS[os.environ[BEHAVIOUR_VARIABLE]](endpoint)
