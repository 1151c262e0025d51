"""The hook speaks only of long indexed Markdown that is read whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mdmem.agents.read_hook import LONG_BYTES, advice, asked_file


def event(path: object, *, tool: str = "Read", **tool_input: Any) -> str:
    return json.dumps({"tool_name": tool, "cwd": "/", "tool_input": {"file_path": path, **tool_input}})


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "Guide.MD"
    path.write_text("x" * LONG_BYTES)
    return path


def test_a_long_file_that_is_read_whole(long_file: Path) -> None:
    assert asked_file(event(str(long_file))) == str(long_file)
    relative = {"tool_name": "Read", "cwd": str(long_file.parent), "tool_input": {"file_path": "Guide.MD"}}
    assert asked_file(json.dumps(relative)) == str(long_file)


def test_everything_else_is_none_of_its_business(long_file: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.md"
    short.write_text("x")
    code = tmp_path / "long.py"
    code.write_text("x" * LONG_BYTES)
    for message in (
        event(str(long_file), limit=10),
        event(str(long_file), offset=5),
        event(str(long_file), tool="Edit"),
        event(str(short)),
        event(str(code)),
        event(str(tmp_path / "gone.md")),
        event(7),
        event("a\0.md"),
        "{}",
        "[]",
        "",
        "null",
        "not JSON",
    ):
        assert asked_file(message) is None, message


def test_advice_for_a_file_of_a_root(long_file: Path) -> None:
    said = advice(str(long_file), [str(long_file.parent.resolve())])
    assert said is not None
    output = json.loads(said)["hookSpecificOutput"]
    assert output["hookEventName"] == "PreToolUse"
    assert "search_docs" in output["additionalContext"]
    assert "permissionDecision" not in output


def test_no_advice_for_a_file_of_no_root(long_file: Path) -> None:
    assert advice(str(long_file), []) is None
    assert advice(str(long_file), [str(long_file.parent)[:-1], str(long_file)]) is None
