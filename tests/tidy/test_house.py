"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PACKAGES = (PROJECT / "proto/mdmem_proto", PROJECT / "daemon/mdmemd", PROJECT / "clients/mdmem")
MODULES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
TESTS = sorted((PROJECT / "tests").rglob("*.py"))

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60

DOORS = {
    "httpx2": {"daemon/mdmemd/adapters/http_fetcher.py"},
    "marisa_trie": {"daemon/mdmemd/text/lexicon.py"},
    "markdown_it": {"daemon/mdmemd/text/block_parser.py"},
    "mcp": {"daemon/mdmemd/mcp/methods.py", "daemon/mdmemd/mcp/session.py"},
    "numkong": {"daemon/mdmemd/index/vector_rows.py"},
    "onnx": {"daemon/mdmemd/embed/bert_graph.py", "daemon/mdmemd/embed/bert_weights.py"},
    "onnxruntime": {"daemon/mdmemd/embed/session.py"},
    "pyroaring": {"daemon/mdmemd/index/deletions.py"},
    "sqlite3": {"daemon/mdmemd/embed/vector_cache.py", "daemon/mdmemd/embed/vector_file.py"},
    "tokenizers": {"daemon/mdmemd/embed/tokenizer.py"},
    "tomlkit": {"clients/mdmem/agents/config_file.py"},
    "usearch": {"daemon/mdmemd/index/vectors.py"},
    "watchdog": {"daemon/mdmemd/adapters/watching/inotify.py"},
    "yaml": {"daemon/mdmemd/text/front_matter.py"},
}
"""Each heavy or foreign library and the one module that may import it."""


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_documented_and_small(path: Path) -> None:
    source = path.read_text()
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "no module docstring"
    assert source.count("\n") <= MODULE_LINES_MAX
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1
            assert lines <= FUNCTION_LINES_MAX, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_package_is_its_docstring_only(path: Path) -> None:
    if path.name != "__init__.py":
        return
    body = ast.parse(path.read_text()).body[1:]
    allowed = {
        "clients/mdmem/link/__init__.py",
        "proto/mdmem_proto/messages/__init__.py",
    }
    assert not body or name_of(path) in allowed


def test_no_module_is_called_by_what_it_is_not() -> None:
    banned = re.compile(r"(^|_)(utils?|helpers?|common|misc|base|managers?)(_|$)")
    assert [name_of(path) for path in MODULES if banned.search(path.stem)] == []


def test_each_library_has_one_door() -> None:
    users: dict[str, set[str]] = {library: set() for library in DOORS}
    for path in MODULES:
        for library in imported(ast.parse(path.read_text())) & DOORS.keys():
            users[library].add(name_of(path))
    assert users == DOORS


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_tests_do_not_sleep(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yields = called == "sleep" and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
            assert called != "sleep" or yields, f"line {node.lineno}"


DOCUMENTS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "daemon/CHECKPOINT.md", "proto/PROTOCOL.md"]


def tracked_texts() -> list[Path]:
    names = ("*.py", "*.md", "*.toml", "*.service", "*.socket", "*.plist", "Makefile", "run")
    skipped = {".venv", ".git", "build", "dist", "golden"}
    found = [path for name in names for path in PROJECT.rglob(name)]
    return [path for path in found if path.is_file() and not skipped & set(path.relative_to(PROJECT).parts)]


def test_the_project_names_no_machine_and_no_registry_host() -> None:
    # Written in halves, so that this file does not name them.
    halves = [
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/fa", "rm/"),
        ("pypi.o", "rg"),
        ("pythonho", "sted"),
        ("npmj", "s."),
    ]
    places = re.compile("|".join(re.escape(first + second) for first, second in halves))
    assert [name_of(path) for path in tracked_texts() if places.search(path.read_text())] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_named_in_documents_exist(document: str) -> None:
    text = (PROJECT / document).read_text()
    named = set(re.findall(r"`((?:daemon|clients|proto|tests|systemd|launchd)/[\w./-]*)`", text))
    assert [path for path in sorted(named) if not (PROJECT / path).exists()] == []
