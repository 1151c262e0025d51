"""The command as a process: descriptors, imports, and how it ends (faults G1, R1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CEILING_SECONDS = 30.0

FORBIDDEN = (
    "asyncio",
    "click",
    "mcp",
    "mdmemd",
    "msgspec",
    "numpy",
    "platformdirs",
    "rich",
    "subprocess",
    "threading",
)
"""None of these may be imported while the daemon is up: they cost a third of the budget and more."""


def environment(home: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "MDMEM_HOME": str(home),
        "MDMEM_NO_START": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    } | more


def run(code: str, home: Path, *, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code],
        input=stdin,
        capture_output=True,
        timeout=CEILING_SECONDS,
        env=environment(home),
        check=False,
    )


MAIN = "import sys; sys.argv = ['mdmem-mcp']; from mdmem.mcp.main import main; sys.exit(main())"


def test_g1_nothing_but_messages_reaches_stdout(tmp_path: Path) -> None:
    noisy = (
        "import sys, os; sys.argv = ['mdmem-mcp']; import mdmem.mcp.main as m; take = m.take_stdout\n"
        "def noisy():\n"
        "    fd = take(); print('from a library'); os.write(1, b'from C code\\n')\n"
        "    os.system('echo from a child'); return fd\n"
        "m.take_stdout = noisy; sys.exit(m.main())"
    )
    done = run(noisy, tmp_path, stdin=b"nonsense\n")
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["error"]["code"] == -32700
    for words in (b"from a library", b"from C code", b"from a child"):
        assert words in done.stderr


def test_g1_a_closed_stderr_does_no_harm(tmp_path: Path) -> None:
    request = b'nonsense\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = run(f"import os; os.close(2); {MAIN}", tmp_path, stdin=request)
    assert [json.loads(line)["error"]["code"] for line in done.stdout.splitlines()] == [-32700, -32603]


@pytest.mark.parametrize("descriptor", [0, 1])
def test_g5_a_closed_stdin_or_stdout_ends_the_shim(descriptor: int, tmp_path: Path) -> None:
    done = run(f"import os; os.close({descriptor}); {MAIN}", tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    # The shim may first see that there is no daemon, and say so, or that stdin has ended.
    said = (
        b"mdmem-mcp: mdmem is not available: The mdmem daemon is not running. `mdmemctl start` starts it.\n"
    )
    assert done.stderr in (b"", said)


def test_without_a_daemon_that_may_be_started_every_request_says_so(tmp_path: Path) -> None:
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = run(MAIN, tmp_path, stdin=request)
    assert done.returncode == 0
    message = json.loads(done.stdout)["error"]["message"]
    assert message == "mdmem is not available: The mdmem daemon is not running. `mdmemctl start` starts it."
    assert message.encode() in done.stderr


def test_the_warm_path_imports_little(tmp_path: Path) -> None:
    code = (
        "import sys; import mdmem.mcp.main, mdmem.mcp.pump, mdmem.mcp.project; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    loaded = set(run(code, tmp_path).stdout.decode().split())
    assert not loaded & set(FORBIDDEN)
    assert len(loaded) > 20, "the list is real"


@pytest.mark.parametrize(
    ("option", "code"), [("--help", 0), ("-h", 0), ("--tools", 2), ("x", 2), ("--tool=markdex", 2)]
)
def test_options(option: str, code: int, tmp_path: Path) -> None:
    done = run(f"import sys; sys.argv = ['mdmem-mcp', {option!r}]; {MAIN.split(';', 2)[2]}", tmp_path)
    assert done.returncode == code
    assert b"Usage: mdmem-mcp" in (done.stderr if code else done.stdout)


@pytest.mark.parametrize("words", [["--tools", "nonsense"], ["--tools=nonsense"]])
def test_an_unknown_tool_set_is_one_sentence_with_the_sets(words: list[str], tmp_path: Path) -> None:
    done = run(f"import sys; sys.argv = ['mdmem-mcp', *{words!r}]; {MAIN.split(';', 2)[2]}", tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "mdmem-mcp: There is no tool set 'nonsense': "
        "the sets are mdmem, markdown-memory, markdex, docsearch.\n"
    )


@pytest.mark.parametrize("words", [["--tools", "markdex"], ["--tools=markdex"]])
def test_a_tool_set_is_taken(words: list[str], tmp_path: Path) -> None:
    done = run(f"import sys; sys.argv = ['mdmem-mcp', *{words!r}]; {MAIN.split(';', 2)[2]}", tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")


def test_an_unusable_environment_is_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mdmem.mcp.main"],
        input=b"",
        capture_output=True,
        timeout=CEILING_SECONDS,
        env=environment(tmp_path, MDMEM_HOME="relative"),
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(b"mdmem-mcp: MDMEM_HOME must be an absolute path")
    assert b"Traceback" not in done.stderr
