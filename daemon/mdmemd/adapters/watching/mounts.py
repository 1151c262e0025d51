r"""Whether the kind of file system at a path tells of all changes there.

A network or shared file system tells only of what this machine does: an edit made elsewhere gives no event,
so a root on it has to be looked at. Parsing is pure; ``polling_reason`` asks the system. Any thread.

Formats: ``/proc/self/mountinfo`` as in proc(5), one mount a line, a later mount on the same point hides an
earlier one, space, tab, newline and backslash as ``\040`` and the like; on macOS the output of mount(8),
``DEVICE on POINT (TYPE, OPTION, ...)``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass

NETWORK = frozenset({"afpfs", "afs", "cifs", "coda", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "webdav"})
CLUSTER = frozenset({"beegfs", "ceph", "gfs2", "glusterfs", "gpfs", "lustre", "ocfs2", "orangefs", "pvfs2"})
HOST_OF_A_GUEST = frozenset({"9p", "drvfs", "fakeowner", "prl_fs", "vboxsf", "virtiofs", "vmhgfs"})
USER_SPACE = "fuse"
"""Names as the kernels give them. ``fuse.sshfs`` and all others of ``fuse`` count, ``fuseblk`` is a disk."""

NOT_TELLING = NETWORK | CLUSTER | HOST_OF_A_GUEST | {USER_SPACE}

MOUNT_SECONDS_MAX = 5.0
"""mount(8) does not ask the servers and answers at once."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system of this kind is seen at and below ``point``."""

    point: str
    kind: str


def parse_mountinfo(text: str) -> list[Mount]:
    """The mounts of Linux in the order in which they were made; lines of another form are left out."""
    found: list[Mount] = []
    for line in text.split("\n"):
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) >= 6:
            found.append(Mount(_unescaped(fields[4]), after.split(" ", 1)[0]))
    return found


def parse_mount_output(text: str) -> list[Mount]:
    """The mounts of macOS as mount(8) prints them; lines of another form are left out."""
    matches = (re.fullmatch(r".*? on (/.*) \(([^,()]+).*\)", line) for line in text.split("\n"))
    return [Mount(match[1], match[2]) for match in matches if match]


def kind_at(mounts: Iterable[Mount], path: str) -> str | None:
    """The kind of file system at an absolute path without links; ``None`` where no mount covers it."""
    best: Mount | None = None
    for mount in mounts:
        inside = mount.point.rstrip("/") + "/"
        if f"{path}/".startswith(inside) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best.kind if best else None


def tells_of_all_changes(kind: str | None) -> bool:
    """Whether events can be trusted there; an unknown kind counts as a local one."""
    return kind is None or (kind not in NOT_TELLING and not kind.startswith(f"{USER_SPACE}."))


def polling_reason(folder: str) -> str | None:
    """Why changes below an absolute path must be looked for, ``None`` where the system tells of them."""
    kind = kind_at(_mounts(), os.path.realpath(folder))
    if tells_of_all_changes(kind):
        return None
    return f"{folder} is on a shared file system ({kind}), where changes made elsewhere are not told"


def _mounts() -> list[Mount]:
    """What is mounted now; nothing where the system does not say."""
    try:
        if sys.platform == "darwin":
            command = ["/sbin/mount"]
            run = subprocess.run(command, capture_output=True, timeout=MOUNT_SECONDS_MAX, check=False)
            return parse_mount_output(os.fsdecode(run.stdout))
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return parse_mountinfo(file.read())
    except (OSError, subprocess.SubprocessError):
        return []


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
