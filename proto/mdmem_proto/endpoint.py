"""Where an instance of mdmem lives: its socket, locks, log and folders, from the environment alone.

Invariants: pure (looks at no file), so daemon and clients that see the same environment always agree; two
instances (two values of ``MDMEM_HOME``) share no path; the socket's path fits the platform's limit, or there
is an error that names both. Called once by each program when it starts. Creating the folders (0700, owned by
the user) and checking those that exist is for whoever uses them.

Written without platformdirs, dataclasses and typing, which together cost more than half of the shim's budget
to import.
"""

from __future__ import annotations

from mdmem_proto.errors import EndpointError
from mdmem_proto.limits import SOCKET_PATH_BYTES_MAX, SOCKET_PATH_BYTES_MAX_ELSEWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

NAME = "mdmem"
HASH_CHARACTERS = 16
SHARED_TEMPORARY_FOLDER = "/tmp"  # noqa: S108 - whoever makes a folder in it checks mode and owner


class Endpoint:
    """Absolute paths of one instance. Not to be changed once made.

    ``config_folder`` holds what the user writes, ``data_folder`` what must not be lost, ``cache_folder`` what
    may be deleted, ``run_folder`` what lives as long as the daemon or a start of it. ``socket_path`` is in
    ``run_folder`` unless that is too long for a socket. ``lock_path`` is held by the daemon all its life and
    lies in ``data_folder``, since that is what must not have two writers: sessions with different run folders
    (one of them started by cron, say) cannot get two daemons for one store. ``start_lock_path`` is held by
    the client that starts a daemon.
    """

    __slots__ = ("cache_folder", "config_folder", "data_folder", "log_path", "run_folder", "socket_path")

    def __init__(
        self,
        *,
        config_folder: str,
        data_folder: str,
        cache_folder: str,
        run_folder: str,
        log_path: str,
        socket_path: str,
    ) -> None:
        self.config_folder: Final = config_folder
        self.data_folder: Final = data_folder
        self.cache_folder: Final = cache_folder
        self.run_folder: Final = run_folder
        self.log_path: Final = log_path
        self.socket_path: Final = socket_path

    @property
    def lock_path(self) -> str:
        """Lock file of the daemon."""
        return f"{self.data_folder}/daemon.lock"

    @property
    def start_lock_path(self) -> str:
        """Lock file of whoever starts a daemon."""
        return f"{self.run_folder}/start.lock"

    @property
    def socket_folder(self) -> str:
        """The folder of ``socket_path``: private to the user like ``run_folder``, which it mostly is."""
        return self.socket_path.rpartition("/")[0]

    @property
    def instance_key(self) -> str:
        """Sixteen hexadecimal digits that tell this instance from others of the machine."""
        return _hash(self.run_folder)


def resolve(environ: Mapping[str, str], *, platform: str, uid: int, home: str) -> Endpoint:
    """The endpoint for an environment, a ``sys.platform``, a user id and the user's home folder.

    Raises ``EndpointError`` if a folder that is needed is not absolute, or no path short enough for the
    socket exists.
    """
    own_home = environ.get("MDMEM_HOME", "")
    if own_home:
        folder = _absolute(own_home, variable="MDMEM_HOME")
        config, data, cache, run, log = (
            f"{folder}/{part}" for part in ("config", "data", "cache", "run", "log")
        )
    elif platform == "darwin":
        config, data, cache, run, log = _macos(_absolute(home, variable="HOME"))
    else:
        config, data, cache, run, log = _xdg(environ, uid=uid, home=_absolute(home, variable="HOME"))
    return Endpoint(
        config_folder=config,
        data_folder=data,
        cache_folder=cache,
        run_folder=run,
        log_path=f"{log}/mdmemd.log",
        socket_path=_socket_path(environ, run, platform=platform, uid=uid),
    )


def _macos(home: str) -> tuple[str, str, str, str, str]:
    """Apple's folders; the run folder too, since ``$TMPDIR`` differs in a nix-shell and is cleaned up."""
    support = f"{home}/Library/Application Support/{NAME}"
    return (
        f"{support}/config",
        f"{support}/data",
        f"{home}/Library/Caches/{NAME}",
        f"{support}/run",
        f"{home}/Library/Logs/{NAME}",
    )


def _xdg(environ: Mapping[str, str], *, uid: int, home: str) -> tuple[str, str, str, str, str]:
    """The XDG Base Directory Specification 0.8: unset, empty and relative values mean the default."""

    def base(variable: str, default: str) -> str:
        value = environ.get(variable, "")
        return _clean(value) if value.startswith("/") else default

    runtime = base("XDG_RUNTIME_DIR", "")
    return (
        f"{base('XDG_CONFIG_HOME', f'{home}/.config')}/{NAME}",
        f"{base('XDG_DATA_HOME', f'{home}/.local/share')}/{NAME}",
        f"{base('XDG_CACHE_HOME', f'{home}/.cache')}/{NAME}",
        f"{runtime}/{NAME}" if runtime else _private_folder(SHARED_TEMPORARY_FOLDER, uid=uid),
        f"{base('XDG_STATE_HOME', f'{home}/.local/state')}/{NAME}",
    )


def _socket_path(environ: Mapping[str, str], run_folder: str, *, platform: str, uid: int) -> str:
    """The socket in ``run_folder`` or, where that is too long, in a short private folder by the other's hash.

    The short folder of Linux does not depend on the environment, so that all sessions agree; on macOS the
    environment names one that is private from the start.
    """
    bytes_max = SOCKET_PATH_BYTES_MAX.get(platform, SOCKET_PATH_BYTES_MAX_ELSEWHERE)
    path = f"{run_folder}/{NAME}.sock"
    if _length_bytes(path) <= bytes_max:
        return path
    temporary = environ.get("TMPDIR", "") if platform == "darwin" else ""
    base = _clean(temporary) if temporary.startswith("/") else SHARED_TEMPORARY_FOLDER
    short = f"{_private_folder(base, uid=uid)}/{_hash(run_folder)}.sock"
    if _length_bytes(short) <= bytes_max:
        return short
    raise EndpointError(
        f"The socket's path {short} has {_length_bytes(short)} bytes; this system allows {bytes_max}.",
        remedy="Set TMPDIR or MDMEM_HOME to a folder with a shorter path.",
    )


def _private_folder(base: str, *, uid: int) -> str:
    return f"{base}/{NAME}-{uid}"


def _absolute(path: str, *, variable: str) -> str:
    if not path.startswith("/"):
        raise EndpointError(
            f"{variable} must be an absolute path, and is {path!r}.",
            remedy=f"Set {variable} to an absolute path.",
        )
    return _clean(path)


def _clean(path: str) -> str:
    """The path without empty and ``.`` components, so that ``/a//b/`` is the instance ``/a/b``.

    ``..`` stays, since it may follow a symbolic link; ``/`` itself becomes empty.
    """
    return "".join(f"/{part}" for part in path.split("/") if part not in {"", "."})


def _length_bytes(path: str) -> int:
    return len(path.encode("utf-8", "surrogateescape"))


def _hash(run_folder: str) -> str:
    import hashlib  # 3 ms that only an over-long path needs

    return hashlib.sha256(run_folder.encode("utf-8", "surrogateescape")).hexdigest()[:HASH_CHARACTERS]
