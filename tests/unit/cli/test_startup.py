"""What a search costs before it asks: the modules that its process imports.

Measured on a 2-core machine: 75 ms of processor time for the whole process, of 150 ms that it may last.
"""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from mdmem_testkit.fake_daemon import FakeDaemon

PROGRAM = """
import sys
before = set(sys.modules)
from mdmem.cli.main import run
code = run(sys.argv[1:])
modules = sorted(set(sys.modules) - before)
import json
sys.stderr.write(json.dumps([code, modules]))
"""

THIRD_PARTY = {"click", "msgspec", "typing_extensions"}
"""All that a search needs; msgspec imports typing_extensions where it finds it."""

SLOW = {
    "asyncio": "52 ms",
    "concurrent": "only a wait for the start lock needs it",
    "email": "a sign of importlib.metadata, 25 ms",
    "importlib.metadata": "25 ms",
    "json": "msgspec writes the JSON",
    "logging": "10 ms",
    "subprocess": "only a start of the daemon needs it",
    "tempfile": "5 ms",
}


@pytest.mark.parametrize("arguments", [["search", "x"], ["search", "x", "--json"]], ids=" ".join)
def test_a_search_imports_little(daemon: FakeDaemon, arguments: list[str]) -> None:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, check=True, timeout=30
    )
    code, modules = msgspec.json.decode(process.stderr, type=tuple[int, list[str]])
    assert code == 0
    tops = {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
    assert {top for top in tops if not top.startswith(("mdmem", "_"))} <= THIRD_PARTY
    assert set(modules) & SLOW.keys() == set()
    assert not any(
        module.startswith(("mdmemd", "mdmem.link.spawn", "mdmem.cli.progress")) for module in modules
    )
