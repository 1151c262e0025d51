"""Whole transcripts of ``mdmemctl`` against scripted answers: what is printed where, and the exit code.

What click words itself (its help, its usage errors) is left out: it differs between its versions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from mdmem.cli.commands import daemon as daemon_commands
from mdmem.cli.main import run
from mdmem_proto.errors import ErrorCode
from mdmem_proto.messages import (
    ChangesResult,
    Empty,
    GcResult,
    IndexResult,
    ListResult,
    ModelListResult,
    ProgressEvent,
    RootAddResult,
    RootListResult,
    SearchResult,
    SyncResult,
)
from mdmem_proto.release import VERSION
from mdmem_testkit import wire_values as values
from mdmem_testkit.fake_daemon import Fail, FakeDaemon, Step
from mdmem_testkit.golden import check_golden
from mdmem_testkit.instances import endpoint_of

PROJECT = Path(__file__).parents[2]

Record = Callable[[str, Sequence[str]], None]

NEW = RootAddResult(root=values.ROOT, created=True)
AMBIGUOUS = Fail(
    ErrorCode.AMBIGUOUS,
    "Two sections end in Options.",
    "Name one of these.",
    ("Run > Options", "Test > Options"),
)
PROGRESS = [
    ProgressEvent("index", 0, 0),
    ProgressEvent("index", 10, 202),
    ProgressEvent("index", 202, 202),
    ProgressEvent("embed", 64, 9320),
]
GOLDEN_SET = "tests/eval/golden.json"
REFUSED = Fail(ErrorCode.REFUSED, "/ cannot be a root: it holds everything.", "Register a folder below it.")

CASES: dict[str, tuple[str, Sequence[str], Sequence[Step]]] = {
    # name: method, command line, what the daemon answers
    "search": ("search", ["search", "install", "python"], [values.SEARCH]),
    "search-json": ("search", ["search", "install python", "--json"], [values.SEARCH]),
    "search-more": ("search", ["search", "install python", "--max-tokens", "90"], [values.MORE_SEARCH]),
    "search-explain": ("search", ["search", "install python", "--explain"], [values.EXPLAINED_SEARCH]),
    "search-near": ("search", ["search", "UV_PYTHN", "--mode", "exact"], [values.NEAR_SEARCH]),
    "search-nothing": ("search", ["search", "xyzzy"], [values.EMPTY_SEARCH]),
    "search-nothing-json": ("search", ["search", "xyzzy", "--json"], [values.EMPTY_SEARCH]),
    "search-pointers": (
        "search",
        ["search", "x"],
        [SearchResult(query="x", hits=(values.POINTER,), state=values.STATE, cursor=None)],
    ),
    "search-scattered": (
        "search",
        ["search", "x y"],
        [SearchResult(query="x y", hits=(values.POINTER,), state=values.SCATTERED_STATE, cursor=None)],
    ),
    "search-unknown-root": (
        "search",
        ["search", "x", "--root", "vu"],
        [Fail(ErrorCode.NOT_FOUND, "There is no root vu.", "`mdmemctl root list` lists them.", ("uv",))],
    ),
    "search-filtered": (
        "search",
        ["search", "x", "--tag", "ops", "--prop", "status=done"],
        [SearchResult(query="x", hits=(values.POINTER,), state=values.FILTERED_STATE, cursor=None)],
    ),
    "search-filtered-nothing": (
        "search",
        ["search", "x", "--kind", "memory"],
        [SearchResult(query="x", hits=(), state=values.FILTERED_OUT_STATE, cursor=None)],
    ),
    "search-unknown-tag": (
        "search",
        ["search", "x", "--tag", "opps"],
        [Fail(ErrorCode.NOT_FOUND, "No document has the tag 'opps'.", "Use one that exists.", ("ops",))],
    ),
    "read": ("read", ["read", "install-python.md", "Getting started"], [values.READ]),
    "read-many": (
        "read.many",
        ["read", "install-python.md#Getting started", "gone.md:1-4", "--max-bytes", "9000"],
        [values.READ_MANY],
    ),
    "read-many-left-out": ("read.many", ["read", "docs/*.md#Install*"], [values.LEFT_OUT]),
    "read-id": ("read", ["read", "^k3f9a2c7"], [values.READ]),
    "read-ids": ("read.many", ["read", "^k3f9a2c7", "^00000000"], [values.READ_MANY]),
    "read-several-parts": ("read.many", ["read", "a.md", "b.md", "--part", "2"], []),
    "read-one-bounded": ("read", ["read", "a.md", "Usage", "--max-bytes", "9"], []),
    "read-many-glob-json": ("read.many", ["read", "docs/*", "--json"], [values.READ_MANY]),
    "read-quiet": ("read", ["read", "install-python.md", "-q"], [values.READ]),
    "read-json": ("read", ["read", "install-python.md", "--json"], [values.READ]),
    "read-ambiguous": ("read", ["read", "a.md", "Options"], [AMBIGUOUS]),
    "read-ambiguous-json": ("read", ["read", "a.md", "Options", "--json"], [AMBIGUOUS]),
    "outline": ("outline", ["outline", "install-python.md"], [values.OUTLINE]),
    "outline-json": ("outline", ["outline", "install-python.md", "--json"], [values.OUTLINE]),
    "preview": ("preview", ["preview", "a.md"], [values.PREVIEW]),
    "preview-passages": ("preview", ["preview", "a.md", "--passages"], [values.PREVIEW]),
    "preview-json": ("preview", ["preview", "a.md", "--json"], [values.PREVIEW]),
    "preview-nothing": ("preview", ["preview", "empty.md"], [values.EMPTY_PREVIEW]),
    "preview-missing": (
        "preview",
        ["preview", "a.md"],
        [Fail(ErrorCode.NOT_FOUND, "There is no file /a.md.", "Check the spelling.")],
    ),
    "preview-folder": (
        "preview",
        ["preview", ".", "--json"],
        [Fail(ErrorCode.REFUSED, "/docs is a folder, and a preview shows one file.", "Name a file in it.")],
    ),
    "ls": ("list", ["ls"], [values.LISTING]),
    "ls-one-root": (
        "list",
        ["ls", "docs", "--root", "uv"],
        [ListResult(documents=values.LISTING.documents[1:], state=values.PARTIAL_STATE)],
    ),
    "ls-nothing": ("list", ["ls", "--kind", "memory"], [ListResult(documents=(), state=values.STATE)]),
    "ls-filtered": ("list", ["ls", "--since", "7d"], [values.LISTING]),
    "ls-json": ("list", ["ls", "--json"], [values.LISTING]),
    "root-add": ("roots.add", ["root", "add", "/src/uv/docs", "--name", "uv"], [NEW]),
    "root-add-again": (
        "roots.add",
        ["root", "add", "/src/uv/docs"],
        [RootAddResult(root=values.ROOT, created=False)],
    ),
    "root-add-empty": (
        "roots.add",
        ["root", "add", "/src/empty"],
        [RootAddResult(root=values.EMPTY_ROOT, created=True)],
    ),
    "root-add-wait": ("roots.add", ["root", "add", "--wait", "/src/uv/docs"], [NEW]),
    "root-add-wait-json": ("roots.add", ["root", "add", "/src/uv/docs", "--wait=keyword", "--json"], [NEW]),
    "root-add-refused": ("roots.add", ["root", "add", "/"], [REFUSED]),
    "root-add-refused-json": ("roots.add", ["root", "add", "/", "--json"], [REFUSED]),
    "root-list": (
        "roots.list",
        ["root", "list"],
        [RootListResult(roots=(values.TROUBLED_ROOT, values.ROOT))],
    ),
    "root-list-nothing": ("roots.list", ["root", "list"], [RootListResult(roots=())]),
    "root-list-json": ("roots.list", ["root", "list", "--json"], [RootListResult(roots=(values.ROOT,))]),
    "root-remove": ("roots.remove", ["root", "remove", "uv"], [Empty()]),
    "root-remove-json": ("roots.remove", ["root", "remove", "uv", "--json"], [Empty()]),
    "eval": ("eval", ["eval", GOLDEN_SET, "--limit", "5"], [values.EVALUATION]),
    "eval-json": ("eval", ["eval", GOLDEN_SET, "--json"], [values.COMPARED_EVALUATION]),
    "eval-compared": ("eval", ["eval", GOLDEN_SET, "--mode", "keyword"], [values.COMPARED_EVALUATION]),
    "eval-missing": ("eval", ["eval", "nowhere.json"], []),
    "eval-no-section": (
        "eval",
        ["eval", GOLDEN_SET],
        [
            Fail(
                ErrorCode.INVALID_REQUEST,
                "Labels of the golden set that name no indexed section: 1, first a.md > A (question q1).",
                "Check --root.",
                ("a.md > A (question q1)",),
            )
        ],
    ),
    "eval-draft": ("eval.draft", ["eval", "draft"], [values.DRAFT]),
    "sync": ("sync", ["sync"], [*PROGRESS[:3], SyncResult(roots=(values.ROOT, values.TROUBLED_ROOT))]),
    "sync-json": ("sync", ["sync", "uv", "--vectors", "--json"], [SyncResult(roots=(values.ROOT,))]),
    "sync-gone": (
        "sync",
        ["sync", "notes"],
        [Fail(ErrorCode.NOT_FOUND, "The folder of notes is out of reach: it is gone.", "Check the disk.")],
    ),
    "changes": ("changes", ["changes", "--since", "1700000000000"], [values.CHANGES]),
    "changes-json": ("changes", ["changes", "--json"], [values.CHANGES]),
    "changes-nothing": (
        "changes",
        ["changes", "uv", "--since", "1700000000200"],
        [ChangesResult(changes=(), tick=1_700_000_000_200, incomplete=())],
    ),
    "index": ("index", ["index"], [values.INDEXED]),
    "index-nothing": ("index", ["index"], [IndexResult(roots=(), file=None)]),
    "index-file": ("index", ["index", "a.md"], [IndexResult(roots=(values.ROOT,), file="a.md")]),
    "index-force-wait": ("index", ["index", "uv", "--force", "--wait"], [values.INDEXED]),
    "index-json": ("index", ["index", "--json"], [values.INDEXED]),
    "index-unknown": (
        "index",
        ["index", "vu"],
        [Fail(ErrorCode.NOT_FOUND, "There is no root vu.", "See: mdmemctl root list", ("uv",))],
    ),
    "gc": ("gc", ["gc"], [values.FREED]),
    "gc-nothing": ("gc", ["gc"], [GcResult(files=0, bytes=0, memory_bytes=0)]),
    "gc-json": ("gc", ["gc", "--json"], [values.FREED]),
    "export": ("export", ["export", "uv", "/tmp/uv.mdmem"], [values.EXPORTED]),
    "export-json": ("export", ["export", "uv", "/tmp/uv.mdmem", "--json"], [values.EXPORTED]),
    "export-there": (
        "export",
        ["export", "uv", "/tmp/uv.mdmem"],
        [Fail(ErrorCode.REFUSED, "/tmp/uv.mdmem is there already.", "--force writes over it.")],
    ),
    "import": ("import", ["import", "/tmp/uv.mdmem", "--path", "/src/uv/docs"], [values.IMPORTED]),
    "import-wait-json": (
        "import",
        ["import", "/tmp/uv.mdmem", "--path", "/src/uv/docs", "--root", "uv", "--wait", "--json"],
        [values.IMPORTED],
    ),
    "root-set": (
        "roots.set",
        ["root", "set", "uv", "--exclude", "drafts", "--include", "", "--watch", "polling"],
        [values.ROOT],
    ),
    "root-set-json": ("roots.set", ["root", "set", "uv", "--name", "docs", "--json"], [values.ROOT]),
    "root-set-refused": (
        "roots.set",
        ["root", "set", "uv", "--exclude", "!x"],
        [
            Fail(
                ErrorCode.INVALID_REQUEST,
                "The exclude glob '!x' begins with !; write that line into a .mdmemignore file.",
                "Correct it.",
            )
        ],
    ),
    "root-show": ("roots.show", ["root", "show", "uv"], [values.RULES]),
    "root-show-json": ("roots.show", ["root", "show", "uv", "--json"], [values.RULES]),
    "root-show-nothing": ("roots.show", ["root", "show", "empty"], [values.NO_RULES]),
    "why": ("why.path", ["why", "build/a.md"], [values.WHY]),
    "why-indexed": ("why.path", ["why", "a.md"], [values.WHY_INDEXED]),
    "why-outside": ("why.path", ["why", "/elsewhere/a.md"], [values.WHY_OUTSIDE]),
    "why-query": ("why.query", ["why", "install python", "copy.md#Installing Python"], [values.WHY_QUERY]),
    "why-query-not-indexed": ("why.query", ["why", "x", "build/a.md"], [values.WHY_NOT_INDEXED]),
    "why-json": ("why.path", ["why", "build/a.md", "--json"], [values.WHY]),
    "model-list": ("models.list", ["model", "list"], [values.MODELS]),
    "model-list-damaged": (
        "models.list",
        ["model", "list"],
        [ModelListResult(models=(values.BUILT_IN_MODEL, values.DAMAGED_MODEL))],
    ),
    "model-list-json": ("models.list", ["model", "list", "--json"], [values.MODELS]),
    "model-use": ("models.use", ["model", "use", "embeddinggemma"], [values.GEMMA_IN_USE]),
    "model-use-absent": (
        "models.use",
        ["model", "use", "embeddinggemma", "--json"],
        [
            Fail(
                ErrorCode.NOT_FOUND,
                "The model embeddinggemma is not here yet.",
                "Download it: mdmemctl model download embeddinggemma",
            )
        ],
    ),
    "model-download": ("models.list", ["model", "download", "embeddinggemma", "--yes"], [values.MODELS]),
    "model-download-unasked": ("models.list", ["model", "download", "embeddinggemma"], [values.MODELS]),
    "model-download-unknown": ("models.list", ["model", "download", "gemma"], [values.MODELS]),
    "model-verify": ("models.verify", ["model", "verify", "embeddinggemma"], [values.GEMMA_IN_USE]),
    "model-verify-damaged": ("models.verify", ["model", "verify", "embeddinggemma"], [values.DAMAGED_MODEL]),
    "model-pin": ("models.verify", ["model", "pin", "embeddinggemma"], [values.GEMMA]),
    "model-path": ("models.list", ["model", "path", "embeddinggemma"], [values.MODELS]),
    "status": ("status", ["status"], [values.STATUS]),
    "status-json": ("status", ["status", "--json"], [values.STATUS]),
    "version": ("", ["version"], []),
    "version-json": ("", ["version", "--json"], []),
    "internal-error": ("status", ["status"], [Fail(ErrorCode.INTERNAL, "Bug 12ab: see the log.")]),
    "busy": ("status", ["status"], [Fail(ErrorCode.BUSY, "Too much is going on.", "Try again.")]),
}

WITHOUT_DAEMON: dict[str, Sequence[str]] = {
    "no-daemon": ["search", "x"],
    "no-daemon-json": ["search", "x", "--json"],
    "no-daemon-stop": ["stop"],
    "no-daemon-stop-json": ["stop", "--json"],
    "no-daemon-version": ["version"],
    "unknown-command": ["serch", "x"],
    "unknown-command-json": ["serch", "x", "--json"],
}


@pytest.fixture
def record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Record:
    for name in ("NO_COLOR", "MDMEM_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MDMEM_HOME", str(tmp_path))
    monkeypatch.setenv("MDMEM_NO_START", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(daemon_commands, "time", SimpleNamespace(time=lambda: 1_700_000_000.0 + 93_784))

    def record(name: str, arguments: Sequence[str]) -> None:
        code = run(arguments)
        out, err = capsysbinary.readouterr()
        command = " ".join(["mdmemctl", *arguments])
        text = f"$ {command}\n{out.decode()}--- stderr\n{err.decode()}--- exit {code}\n"
        text = text.replace(sys.executable, "PYTHON").replace(f" {VERSION} ", " VERSION ")
        text = text.replace(f'"version":"{VERSION}"', '"version":"VERSION"')
        check_golden(f"cli/{name}.txt", text)

    return record


@pytest.mark.parametrize("name", CASES)
def test_transcript(name: str, record: Record, tmp_path: Path) -> None:
    method, arguments, steps = CASES[name]
    script = {
        "roots.wait": [*PROGRESS, values.ROOT],
        "models.download": [ProgressEvent("download", 20_842_634, 217_568_394), values.DOWNLOADED_GEMMA],
        method: steps,
    }
    with FakeDaemon.at(endpoint_of(tmp_path), script):
        record(name, arguments)


@pytest.mark.parametrize("name", WITHOUT_DAEMON)
def test_transcript_without_a_daemon(name: str, record: Record) -> None:
    record(name, WITHOUT_DAEMON[name])


def test_each_recorded_transcript_belongs_to_a_case() -> None:
    recorded = {path.stem for path in (Path(__file__).parent / "cli").iterdir()}
    assert recorded == CASES.keys() | WITHOUT_DAEMON.keys()
