"""D18: a state folder that is missing, open to others, foreign, a link or unusable."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mdmem.errors import DaemonUnavailableError
from mdmem.link.folders import make_private_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_d18_a_missing_folder_is_made_private(tmp_path: Path) -> None:
    make_private_folder(str(tmp_path / "a/b"))
    assert mode(tmp_path / "a/b") == 0o700


def test_d18_a_folder_of_ours_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o755)
    make_private_folder(str(tmp_path / "run"))
    assert mode(tmp_path / "run") == 0o700


def test_d18_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(
        DaemonUnavailableError, match=rf"{tmp_path} belongs to user \d+ and not to you"
    ) as raised:
        make_private_folder(str(tmp_path))
    assert "MDMEM_HOME" in raised.value.remedy


def test_d18_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "real")
    with pytest.raises(DaemonUnavailableError, match="is a link and not a folder"):
        make_private_folder(str(tmp_path / "run"))


def test_d18_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(DaemonUnavailableError, match=f"{tmp_path}/run cannot be used: File exists"):
        make_private_folder(str(tmp_path / "run"))


def test_d18_a_read_only_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_arguments: False)  # root may write everywhere
    with pytest.raises(DaemonUnavailableError, match="cannot be used: Permission denied"):
        make_private_folder(str(tmp_path))


def test_d6_a_full_disk_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def makedirs(path: str, **_options: object) -> None:
        raise OSError(28, os.strerror(28), path)

    monkeypatch.setattr(os, "makedirs", makedirs)
    with pytest.raises(DaemonUnavailableError, match=f"{tmp_path} cannot be used: No space left on device"):
        make_private_folder(str(tmp_path))
