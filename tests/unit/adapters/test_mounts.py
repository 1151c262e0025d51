"""Which file systems tell of all changes, from the texts that the systems give."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mdmemd.adapters.watching.mounts import (
    Mount,
    kind_at,
    parse_mount_output,
    parse_mountinfo,
    polling_reason,
    tells_of_all_changes,
)

MOUNTINFO = r"""27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
22 27 0:21 / /proc rw,relatime - proc proc rw
40 27 0:50 / /home rw,relatime shared:12 master:3 - btrfs /dev/sda2 rw,subvol=/home
41 40 0:51 / /home/me/share rw - nfs4 server:/export rw,vers=4.2
42 40 0:52 / /home/me/share/local rw - tmpfs tmpfs rw
43 40 0:53 / /home/me/with\040space\134and\011tab rw - fuse.sshfs me@host:/ rw
44 40 0:50 /me/notes /home/me/bound rw - btrfs /dev/sda2 rw,subvol=/home
45 27 0:54 / /mnt/auto rw - autofs systemd-1 rw
46 45 0:55 / /mnt/auto rw - cifs //server/share rw
47 27 0:56 / /mnt/c rw,noatime - 9p drvfs rw,aname=drvfs
no line of a mount
"""

MOUNT_OUTPUT = """/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
//me@server/notes (old) on /Volumes/notes (old) (smbfs, nodev, nosuid, mounted by me)
server:/export on /Volumes/export (nfs)
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/homely", "ext4"),
        ("/home", "btrfs"),
        ("/home/me/notes", "btrfs"),
        ("/home/me/share", "nfs4"),
        ("/home/me/share/a/b", "nfs4"),
        ("/home/me/shared", "btrfs"),
        ("/home/me/share/local/x", "tmpfs"),
        ("/home/me/with space\\and\ttab/x", "fuse.sshfs"),
        ("/home/me/bound/x", "btrfs"),
        ("/mnt/auto/x", "cifs"),
        ("/mnt/c/Users", "9p"),
    ],
)
def test_the_longest_and_last_mount_counts(path: str, kind: str) -> None:
    assert kind_at(parse_mountinfo(MOUNTINFO), path) == kind


def test_a_mount_that_hides_all_earlier_ones_at_the_root() -> None:
    assert kind_at([Mount("/", "rootfs"), Mount("/", "overlay")], "/x") == "overlay"
    assert kind_at([], "/x") is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/Users/me", "apfs"),
        ("/Volumes/notes (old)/x", "smbfs"),
        ("/Volumes/export", "nfs"),
        ("/Volumes/other", "apfs"),
    ],
)
def test_the_output_of_mount_on_macos(path: str, kind: str) -> None:
    assert kind_at(parse_mount_output(MOUNT_OUTPUT), path) == kind


@pytest.mark.parametrize(
    "kind",
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse", "fuse.sshfs", "drvfs", "vboxsf", "afs", "prl_fs"],
)
def test_shared_file_systems_are_polled(kind: str) -> None:
    assert not tells_of_all_changes(kind)


@pytest.mark.parametrize(
    "kind",
    ["overlay", "ext4", "btrfs", "xfs", "zfs", "tmpfs", "f2fs", "apfs", "fuseblk", "new", None],
)
def test_local_and_unknown_file_systems_have_events(kind: str | None) -> None:
    assert tells_of_all_changes(kind)


def test_the_reason_names_folder_and_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "link").symlink_to(share)
    mounts = [Mount("/", "ext4"), Mount(str(share), "nfs4")]
    monkeypatch.setattr("mdmemd.adapters.watching.mounts._mounts", lambda: mounts)
    assert polling_reason(str(tmp_path)) is None
    reason = polling_reason(str(tmp_path / "link"))
    assert reason is not None
    assert "(nfs4)" in reason
    assert str(tmp_path / "link") in reason


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_is_mounted_here_is_known() -> None:
    with open("/proc/self/mountinfo") as file:
        text = file.read()
    mounts = parse_mountinfo(text)
    assert len(mounts) == text.count("\n")
    assert kind_at(mounts, os.path.realpath("/proc/self")) == "proc"
