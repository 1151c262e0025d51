"""Other programs' files: changed whole, kept beside, refused rather than damaged."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from mdmem.agents.config_file import BACKUP_SUFFIX, Table, change_json, change_toml
from mdmem.errors import RefusedError


def put(table: Table) -> None:
    table.setdefault("servers", {})["mdmem"] = {"command": "/bin/mdmem-mcp"}


def test_a_file_that_is_not_there_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "mcp.json"
    assert change_json(str(path), put)
    assert json.loads(path.read_text()) == {"servers": {"mdmem": {"command": "/bin/mdmem-mcp"}}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("blank", ["    ", "\t", "  "])
def test_order_indentation_permissions_and_other_content_stay(tmp_path: Path, blank: str) -> None:
    path = tmp_path / "mcp.json"
    before = json.dumps({"z": "Grüße", "servers": {"other": {"env": {"KEY": "s"}}}, "a": [1]}, indent=blank)
    path.write_text(before)
    path.chmod(0o640)
    assert change_json(str(path), put)
    after = path.read_text()
    assert list(json.loads(after)) == ["z", "servers", "a"]
    assert json.loads(after)["servers"]["other"] == {"env": {"KEY": "s"}}
    assert f'\n{blank}"z"' in after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (tmp_path / f"mcp.json{BACKUP_SUFFIX}").read_text() == before


def test_the_second_time_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    change_json(str(path), put)
    seen = path.stat()
    assert not change_json(str(path), put)
    assert path.stat().st_ino == seen.st_ino
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "mcp.json"
    target.parent.mkdir()
    target.write_text("{}")
    link = tmp_path / "mcp.json"
    link.symlink_to(target)
    assert change_json(str(link), put)
    assert link.is_symlink()
    assert "mdmem" in target.read_text()


@pytest.mark.parametrize(
    "text", ['{"servers": {} // mine\n}', "{", "[1]", '{"servers": [1]}', '{"servers": "x"}', "\ufeff{}"]
)
def test_what_would_be_damaged_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(RefusedError, match="left as it is") as caught:
        change_json(str(path), put)
    assert "mcp print" in caught.value.remedy
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be read"):
        change_json(str(tmp_path), put)


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    assert change_json(str(tmp_path / "mcp.json"), put, dry_run=True)
    assert change_toml(str(tmp_path / "config.toml"), put, dry_run=True)
    assert os.listdir(tmp_path) == []


TOML = """\
# mine
model = "x"   # the good one

[servers.other]
command = 'npx'
"""


def test_toml_keeps_its_comments_and_its_layout(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(TOML)
    assert change_toml(str(path), put)
    after = path.read_text()
    assert after.startswith(TOML.rstrip())
    assert 'command = "/bin/mdmem-mcp"' in after
    assert not change_toml(str(path), put)
    assert change_toml(str(path), lambda table: table["servers"].pop("mdmem"))
    assert path.read_text().strip() == TOML.strip()


def test_toml_that_does_not_parse_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = ")
    with pytest.raises(RefusedError, match="no valid TOML"):
        change_toml(str(path), put)
    assert path.read_text() == "a = "
