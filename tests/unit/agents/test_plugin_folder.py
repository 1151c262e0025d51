"""The plugin as a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem.agents.plugin_folder import plugin_files, write_plugin
from mdmem.agents.server_entry import ServerEntry
from mdmem.errors import RefusedError
from mdmem_proto.release import VERSION

FILES = plugin_files(ServerEntry("mdmem", "/opt/a b/mdmem-mcp"), control="/opt/a b/mdmemctl")


def test_its_files_parse_and_name_whole_paths(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write_plugin(str(folder), FILES)
    manifest = json.loads((folder / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("mdmem", VERSION)
    servers = json.loads((folder / ".mcp.json").read_text())["mcpServers"]
    assert servers["mdmem"]["command"] == "/opt/a b/mdmem-mcp"
    (group,) = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]["PreToolUse"]
    assert group["hooks"][0]["command"] == "'/opt/a b/mdmemctl' mcp hook"
    skill = (folder / "skills" / "search-markdown" / "SKILL.md").read_text()
    assert skill.startswith("---\nname: search-markdown\ndescription: ")
    for text in FILES.values():
        assert "{version}" not in text
        assert "{command}" not in text


def test_g9_the_skill_names_only_tools_that_there_are() -> None:
    from mdmemd.mcp.tools.catalogue import TOOLS

    skill = next(text for path, text in FILES.items() if path.endswith("SKILL.md"))
    named = {"search_docs", "read_section", "get_document_outline", "list_documents"}
    assert named <= {tool.name for tool in TOOLS}
    assert all(f"`{name}`" in skill for name in named)


def test_it_is_written_again_over_itself_and_over_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write_plugin(str(folder), FILES)
    write_plugin(str(folder), FILES)
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    with pytest.raises(RefusedError, match="no plugin of mdmem"):
        write_plugin(str(other), FILES)
    assert [path.name for path in other.iterdir()] == ["precious"]


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plugin").write_text("x")
    with pytest.raises(RefusedError, match="no plugin of mdmem"):
        write_plugin(str(tmp_path / "plugin"), FILES)
