"""The wire package is pure and small: what its modules import is a closed list."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "proto" / "mdmem_proto"
ALLOWED = {
    "__future__", "collections.abc", "difflib", "enum", "hashlib", "itertools", "msgspec", "struct", "typing",
}  # fmt: skip
OF_THE_SHIM = ("endpoint", "errors", "frames", "limits", "mcp_stream", "msgpack", "tool_sets", "version")
"""Modules that the MCP shim imports: of the list above only these may import what is quick."""
SLOW = {"msgspec", "typing", "collections.abc"}


def imports(path: Path, *, at_start: bool) -> set[str]:
    """Modules that a file imports: all, or those outside of functions and of blocks for the type checker."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if at_start else list(ast.walk(tree))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return found | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_nothing_touches_a_file_a_socket_a_clock_or_a_thread(path: Path) -> None:
    foreign = {name for name in imports(path, at_start=False) if not name.startswith("mdmem_proto.")}
    assert foreign <= ALLOWED


@pytest.mark.parametrize("name", OF_THE_SHIM)
def test_the_modules_of_the_shim_import_only_what_is_quick(name: str) -> None:
    found = imports(PACKAGE / f"{name}.py", at_start=True)
    assert not found & SLOW
    assert {each for each in found if each.startswith("mdmem_proto.")} <= {
        f"mdmem_proto.{other}" for other in OF_THE_SHIM
    }
