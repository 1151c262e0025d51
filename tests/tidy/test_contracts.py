"""The import contracts hold, and each of them really breaks when it is violated."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
CEILING_SECONDS = 120

VIOLATIONS = {
    "the two programs meet only in the protocol": [
        ("clients/mdmem/link/client.py", "import mdmemd.model"),
        ("daemon/mdmemd/server/handlers/questions.py", "import mdmem.errors"),
    ],
    "daemon layers": [
        ("daemon/mdmemd/index/bm25.py", "import mdmemd.sync.scope"),
        ("daemon/mdmemd/text/document.py", "import mdmemd.index.bm25"),
        ("daemon/mdmemd/engine/writer.py", "import mdmemd.server.convert"),
        ("daemon/mdmemd/placed_nowhere.py", '"""A module that nobody placed."""'),
    ],
    "client layers": [
        ("clients/mdmem/link/dial.py", "import mdmem.cli.main"),
        ("clients/mdmem/placed_nowhere.py", '"""A module that nobody placed."""'),
    ],
    "wire types stay in the server": [("daemon/mdmemd/engine/service.py", "import mdmem_proto.messages")],
    "clients stay light": [("clients/mdmem/cli/render/search.py", "import numpy")],
    "the shim pumps bytes: no msgspec, no command line": [("clients/mdmem/mcp/lines.py", "import msgspec")],
    "the outside world is behind ports": [
        ("daemon/mdmemd/server/listener.py", "import mdmemd.adapters.posix_files")
    ],
    "adapters do not know each other": [
        ("daemon/mdmemd/adapters/readiness.py", "import mdmemd.adapters.process_lock")
    ],
    "the parse child stays light": [
        ("daemon/mdmemd/text/tokens.py", "import numpy"),
        ("daemon/mdmemd/index/term_columns.py", "import mdmemd.index.arrays"),
    ],
    "inside mdmemd.adapters.parse_process": [
        ("daemon/mdmemd/adapters/parse_process/frames.py", "import mdmemd.adapters.parse_process.child")
    ],
    "inside mdmemd.server": [("daemon/mdmemd/server/convert.py", "import mdmemd.server.handlers")],
    "inside mdmemd.search": [("daemon/mdmemd/search/query.py", "import mdmemd.search.searcher")],
    "inside mdmemd.sync": [("daemon/mdmemd/sync/placed_nowhere.py", '"""A module that nobody placed."""')],
    "inside mdmem.agents": [("clients/mdmem/agents/server_entry.py", "import mdmem.agents.setup")],
    "inside mdmem.link": [("clients/mdmem/link/deadline.py", "import mdmem.link.client")],
    "inside mdmem_proto": [("proto/mdmem_proto/frames.py", "import mdmem_proto.session")],
    "inside mdmemd.engine": [("daemon/mdmemd/engine/state.py", "import mdmemd.engine.writer")],
    "no cycles between siblings": [("daemon/mdmemd/text/tokens.py", "import mdmemd.index.arrays")],
    "inside mdmemd.text": [("daemon/mdmemd/text/tokens.py", "import mdmemd.text.document")],
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    skipped = shutil.ignore_patterns("__pycache__", "data")
    for package in ("proto/mdmem_proto", "daemon/mdmemd", "clients/mdmem"):
        shutil.copytree(PROJECT / package, folder / package, ignore=skipped)
    shutil.copy(PROJECT / "pyproject.toml", folder)
    return folder


def broken(folder: Path) -> set[str]:
    """Names of the contracts that do not hold in ``folder``."""
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=None))"
    path = ":".join(str(folder / part) for part in ("proto", "daemon", "clients"))
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={"PYTHONPATH": path, "PATH": "", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=CEILING_SECONDS,
        check=False,
    )
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    return {name.strip() for name in re.findall(r"^(.*) BROKEN(?: \(.*\))?$", done.stdout, re.MULTILINE)}


def test_the_contracts_hold(copy: Path) -> None:
    assert broken(copy) == set()


@pytest.mark.parametrize(
    ("contract", "file", "line"),
    [(contract, file, line) for contract, cases in VIOLATIONS.items() for file, line in cases],
)
def test_a_violation_breaks_its_contract(copy: Path, contract: str, file: str, line: str) -> None:
    path = copy / file
    before = path.read_text() if path.exists() else None
    path.write_text(f"{before}\n{line}\n" if before is not None else line)
    try:
        assert contract in broken(copy)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
